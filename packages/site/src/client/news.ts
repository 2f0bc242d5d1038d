/**
 * A note of new bots on the home page. One tab holds the stream, by a lock that all tabs ask for; the others hear of it
 * on a channel: a stream in each tab would use up the connections that a browser has for one address.
 */

/** Does nothing where there is no slot for the note, or no lock. */
export const startNews = (): void => {
  const slot = document.querySelector('[data-news]');
  // A page that is not secure has no locks.
  if (!slot || !('locks' in navigator)) return;
  let news = 0;
  const channel = new BroadcastChannel('new-bots');
  const tell = (): void => {
    news += 1;
    const link = document.createElement('a');
    link.href = '/';
    link.textContent = `${news} new ${news === 1 ? 'bot' : 'bots'}: show ${news === 1 ? 'it' : 'them'}`;
    slot.replaceChildren(link);
  };
  channel.onmessage = tell;
  const leaving = new AbortController();
  addEventListener('pagehide', () => leaving.abort());
  // A page that comes back from the cache of the browser shows old bots and holds no lock: load it anew.
  addEventListener('pageshow', (event) => event.persisted && location.reload());
  navigator.locks
    .request(
      'new-bots',
      { signal: leaving.signal },
      () =>
        new Promise<void>((release) => {
          const stream = new EventSource('/api/events/stream');
          stream.addEventListener('bot.created', () => {
            tell();
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
