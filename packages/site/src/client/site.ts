/**
 * What a script adds to a page: the saved theme before the first paint, copying, search while typing, and a note of new
 * bots. Everything works without it. It runs where no text can become markup (Trusted Types `'none'`).
 */
import { startCopy } from './copy.ts';
import { startLiveSearch } from './live-search.ts';
import { startNews } from './news.ts';
import { showSavedTheme, startTheme } from './theme.ts';

showSavedTheme();
document.documentElement.dataset.js = '';

addEventListener('DOMContentLoaded', () => {
  startTheme();
  startCopy();
  startLiveSearch();
  startNews();
  document.querySelector<HTMLElement>('main form [data-focus], main .hooks > [data-focus]')?.focus();
});
