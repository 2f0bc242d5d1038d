/** Readers of Server-Sent Events: one that reads them as they arrive, and one that reads none until it is asked to. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

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
    const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  })()
    .catch(() => undefined)
    .finally(() => (ended = true));
  return {
    response,
    text: () => text,
    /** Whether the server ended it, in whatever way. */
    ended: () => ended,
    /** Its events, without those that only say where to resume. */
    messages: () =>
      text
        .split('\n\n')
        .filter((block) => block.includes('data: ') && !block.includes('event: position\n'))
        .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2))) as StreamedEvent),
    stop: async () => {
      stop.abort();
      await reading;
    },
  };
};

/** Opens a stream of a server of this process, and reads nothing of it yet. */
export const openUnread = async (url: string, headers: Record<string, string> = {}) => {
  const responses: ServerResponse[] = [];
  const onRequest = (message: unknown): void => void responses.push((message as { response: ServerResponse }).response);
  subscribe('http.server.request.start', onRequest);
  const [stream] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  unsubscribe('http.server.request.start', onRequest);
  return {
    /** The server's end of it. */
    response: responses.find(({ socket }) => socket?.remotePort === stream.socket.localPort),
    /** The ids of whole events, until there are as many or the stream ends. */
    read: async (most: number): Promise<string[]> => {
      const ids: string[] = [];
      let fields: string[] = [];
      try {
        for await (const line of createInterface({ input: stream })) {
          fields.push(line);
          if (line !== '') continue;
          const isEvent = fields.some((field) => field.startsWith('data: ')) && !fields.includes('event: position');
          if (isEvent) ids.push(fields[0]?.slice('id: '.length) ?? '');
          if (ids.length === most) break;
          fields = [];
        }
      } catch {
        // Cut off: what was whole counts.
      }
      stream.destroy();
      return ids;
    },
  };
};
