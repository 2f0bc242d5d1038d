/**
 * What a script adds to a page: the saved theme before the first paint, relative dates, copying, sharing, search while
 * typing and by keyboard, a note of new bots, and forms that are sent once. Everything works without it. It runs where
 * no text can become markup (Trusted Types `'none'`).
 */
import { startCopy } from './copy.ts';
import { showRelativeDates } from './dates.ts';
import { startKeys } from './keys.ts';
import { startLiveSearch } from './live-search.ts';
import { startNews } from './news.ts';
import { startOnce } from './once.ts';
import { startShare } from './share.ts';
import { showSavedTheme, startTheme } from './theme.ts';

showSavedTheme();

addEventListener('DOMContentLoaded', () => {
  showRelativeDates(document);
  startTheme();
  startCopy();
  startShare();
  startKeys();
  startLiveSearch();
  startNews();
  startOnce();
  document.querySelector<HTMLElement>('[data-focus]:not(.note>*)')?.focus();
});
// A note is only for the sender of the form: it stays visible, but leaves the address, which may be copied or reloaded.
addEventListener('load', () => {
  if (!document.querySelector('.note:target')) return;
  const { hash } = location;
  history.replaceState(null, '', location.pathname);
  // See kept.ts. Where there is no storage, nothing was kept.
  if (hash === '#published') sessionStorage.removeItem('submission');
});
