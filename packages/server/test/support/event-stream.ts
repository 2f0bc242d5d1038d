/** A reader of Server-Sent Events, which takes them as they come. */

/** One event of a stream, by its fields. */
export type StreamedEvent = { readonly id: string; readonly event: string; readonly data: string };

/** Opens a stream. Stop it before its server. */
export const listen = async (url: string, headers: Record<string, string> = {}) => {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  let text = '';
  let ended = false;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })()
    .catch(() => undefined)
    .finally(() => (ended = true));
  return {
    response,
    text: () => text,
    /** Whether the server ended it, in whatever way. */
    ended: () => ended,
    messages: () => text.split('\n\n').filter((block) => block.includes('data: ')).map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2))) as StreamedEvent),
    stop: async () => {
      stop.abort();
      await reading;
    },
  };
};
