/**
 * Dates relative to today. Pages are the same bytes for everybody and are cached, so they have absolute dates; only the
 * reader's browser knows what day it is.
 */

const dayMs = 86_400_000;
/** Dates as old as this stay absolute. */
const relativeDays = 30;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** Makes recent dates relative, with the full date as a tooltip and for screen readers. */
export const showRelativeDates = (page: Document): void =>
  page.querySelectorAll('time').forEach((time) => {
    const days = dayOf(Date.now()) - dayOf(Date.parse(time.dateTime));
    // A clock that is behind says nothing.
    if (days < 0 || days >= relativeDays) return;
    const full = page.createElement('span');
    full.className = 'hidden';
    full.textContent = `, ${(time.title = time.textContent)}`;
    time.replaceChildren(words.format(-days, 'day'), full);
  });
