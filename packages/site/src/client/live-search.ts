/** Search while typing: fetches the page for the new query and adopts the parts that depend on the query. */

import { showRelativeDates } from './dates.ts';

const afterMs = 200;
const busyAfterMs = 150;

/** What depends on the query; the footer links its feeds. The box itself stays, with what is typed. */
const parts = ['#found', '.end ul'];

/** Returns the name of a link, without its count. */
const nameOf = (link: Element): string | null => (link.querySelector('span') ?? link).textContent;

/** Replaces a part with that of another document. Focus moves to the link of the same name. */
const swap = (selector: string, found: Document): void => {
  const current = document.querySelector(selector);
  const fresh = found.querySelector(selector);
  if (!current || !fresh) return;
  const focused = current.contains(document.activeElement) ? document.activeElement : null;
  current.replaceWith(document.adoptNode(fresh));
  if (focused) [...fresh.querySelectorAll('a')].find((link) => nameOf(link) === nameOf(focused))?.focus();
};

const setBusy = (isBusy: boolean): void => document.querySelector('#results')?.setAttribute('aria-busy', `${isBusy}`);

/** Replaces the results in place while typing. After any error, the page stays as it is and says so. */
export const startLiveSearch = (): void => {
  const form = document.querySelector<HTMLFormElement>('[data-search]');
  const input = form?.querySelector<HTMLInputElement>('[type=search]');
  const status = form?.querySelector('[data-status]');
  if (!form || !input || !status) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: XMLHttpRequest | undefined;
  let shown = input.value;

  const say = (text: string, isFailure = false): void => {
    status.textContent = text;
    status.classList.toggle('hidden', !isFailure);
  };

  const adopt = (found: Document, url: string): void => {
    showRelativeDates(found);
    const all = (): void => {
      parts.forEach((selector) => swap(selector, found));
      document.title = found.title;
      say(document.querySelector('[data-result-count]')?.textContent ?? '');
    };
    // A search that overtakes another skips the transition of that one.
    const moving = (document as Partial<Document>).startViewTransition?.(all).ready.catch(() => undefined);
    if (!moving) all();
    history.replaceState(null, '', url.replace(/\?q=$/, ''));
  };

  const search = (): void => {
    if (input.value.trim() === shown.trim()) return;
    shown = input.value;
    request?.abort();
    const one = (request = new XMLHttpRequest());
    const busy = setTimeout(() => setBusy(true), busyAfterMs);
    const fail = (what: string): void => {
      setBusy(false);
      // The same text may be searched for again.
      shown = '';
      say(`${what}; press Enter to try again`, true);
    };
    // The form has texts only.
    one.open('GET', `/?${new URLSearchParams(new FormData(form) as unknown as URLSearchParams)}`);
    one.responseType = 'document';
    one.onloadend = () => clearTimeout(busy);
    one.onerror = () => fail('No connection');
    one.onload = () => {
      const found = one.response as Document | null;
      if (found?.querySelector('#results')) adopt(found, one.responseURL);
      else fail('Search isn’t available');
    };
    one.send();
  };

  // `compositionend` has no `isComposing`, so it starts the search that the composition held back.
  const later = (event: Event): void => {
    clearTimeout(timer);
    if (!(event as InputEvent).isComposing) timer = setTimeout(search, afterMs);
  };
  input.addEventListener('input', later);
  input.addEventListener('compositionend', later);
};
