/**
 * What a script adds to the two large forms: a sentence about a webhook, and the preview of a pasted link, in a form
 * that keeps what is typed.
 */
import { startKeeping } from './kept.ts';
import { startPreview } from './preview.ts';
import { startWish } from './wish.ts';

// The script is deferred, so the document is complete.
document.querySelectorAll<HTMLFormElement>('[data-register]').forEach(startWish);
document.querySelectorAll<HTMLElement>('[data-submission]').forEach((place) => {
  startKeeping(place);
  startPreview(place);
});
