/** Forms that write are sent once, however often their button is clicked before the response comes. */

/** As long as the slowest response may take; after that, the form can be sent again. */
const againAfterMs = 10_000;

/** Sends each form once. Otherwise, a double click on "Publish bot" shows that the bot is already listed. */
export const startOnce = (): void => {
  let sent: HTMLFormElement | undefined;
  let sentMs = 0;
  document.addEventListener('submit', (event) => {
    const { timeStamp } = event;
    const target = event.target as HTMLFormElement;
    if (target.method !== 'post') return;
    if (target === sent && timeStamp - sentMs < againAfterMs) event.preventDefault();
    else {
      [sent, sentMs] = [target, timeStamp];
      target.setAttribute('aria-busy', 'true');
    }
  });
  const release = (): void => {
    sent?.removeAttribute('aria-busy');
    sent = undefined;
  };
  // A page that is shown again, from the browser's cache, has sent nothing yet; nor has one whose visitor pressed Stop.
  addEventListener('pageshow', release);
  (globalThis as { navigation?: EventTarget }).navigation?.addEventListener('navigateerror', release);
};
