/** Forms that write are sent once, however often their button is clicked while the answer is on its way. */

/** As long as the slowest answer may take; whoever got none may try again then. */
const againAfterMs = 10_000;

/** Without it, a double click on "Publish bot" shows that the bot is there already. */
export const startOnce = (): void => {
  let sent = new WeakMap<EventTarget, number>();
  document.addEventListener('submit', (event) => {
    const { target, timeStamp } = event;
    if (!(target instanceof HTMLFormElement) || target.method !== 'post') return;
    if (timeStamp - (sent.get(target) ?? -againAfterMs) < againAfterMs) event.preventDefault();
    else sent.set(target, timeStamp);
  });
  // A page that is shown again, from the browser's cache, has sent nothing yet.
  addEventListener('pageshow', () => (sent = new WeakMap()));
};
