/**
 * A note of new bots on the home page. One tab holds the stream, by a lock shared among tabs; the others get its events
 * over a channel. A stream in each tab would use up the browser's connections to one host.
 */

/** Shows the note. Does nothing without a slot for it, or in a browser without locks. */
export const startNews = (): void => {
  const slot = document.querySelector('[data-news]');
  // Pages in an insecure context have no locks.
  if (!slot || !('locks' in navigator)) return;
  let news = 0;
  const channel = new BroadcastChannel('new-bots');
  const announce = (): void => {
    news += 1;
    const link = document.createElement('a');
    link.href = '/';
    link.textContent = `Show ${news} new ${news === 1 ? 'bot' : 'bots'}`;
    slot.replaceChildren(link);
  };
  channel.onmessage = announce;
  const leaving = new AbortController();
  addEventListener('pagehide', () => leaving.abort());
  // A page restored from the browser's cache shows old bots and holds no lock: reload it.
  addEventListener('pageshow', (event) => event.persisted && location.reload());
  navigator.locks
    .request(
      'new-bots',
      { signal: leaving.signal },
      () =>
        new Promise<void>((release) => {
          const stream = new EventSource('/api/events/stream');
          stream.addEventListener('bot.created', () => {
            announce();
            channel.postMessage(0);
          });
          leaving.signal.addEventListener('abort', () => {
            stream.close();
            release();
          });
        }),
    )
    .catch(() => undefined);
};
