/** What a script adds to the two large forms: a sentence about a webhook, and the preview of a pasted link. */
import { startPreview } from './preview.ts';
import { startWish } from './wish.ts';

// The script is deferred, so the document is complete.
document.querySelectorAll<HTMLFormElement>('[data-register]').forEach(startWish);
document.querySelectorAll<HTMLElement>('[data-submission]').forEach(startPreview);
