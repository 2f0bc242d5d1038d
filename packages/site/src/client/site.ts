/**
 * What a script adds to a page: the saved theme before the first paint, relative dates, copying, search while typing, a
 * note of new bots, and forms that are sent once. Everything works without it. It runs where no text can become markup
 * (Trusted Types `'none'`).
 */
import { startCopy } from './copy.ts';
import { showRelativeDates } from './dates.ts';
import { startLiveSearch } from './live-search.ts';
import { startNews } from './news.ts';
import { startOnce } from './once.ts';
import { showSavedTheme, startTheme } from './theme.ts';

showSavedTheme();
document.documentElement.dataset.js = '';

addEventListener('DOMContentLoaded', () => {
  showRelativeDates(document);
  startTheme();
  startCopy();
  startLiveSearch();
  startNews();
  startOnce();
  document.querySelector<HTMLElement>('main form [data-focus], main .hooks > [data-focus]')?.focus();
});
// Ctrl+K or Cmd+K goes to the search box: the page's own, or the home page's. Within a field it is the field's.
addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  if ((event.target as Element).closest('input,textarea,select')) return;
  event.preventDefault();
  const box = document.querySelector<HTMLElement>('[type=search]');
  if (box) box.focus();
  else location.href = '/#q';
});
// A note is only for the sender of the form: it stays visible, but leaves the address, which may be copied or reloaded.
addEventListener('load', () => {
  if (!document.querySelector('.note:target')) return;
  const { hash } = location;
  history.replaceState(null, '', location.pathname);
  // See kept.ts. Where there is no storage, nothing was kept.
  if (hash === '#published') sessionStorage.removeItem('submission');
});
