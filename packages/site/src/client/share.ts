/** The system's share sheet, where the browser has one. Elsewhere, the link can be copied. */

/** Shows the button in it that opens it. */
export const startShare = (): void =>
  document.querySelectorAll<HTMLElement>('[data-share]').forEach((place) => {
    // Pages in an insecure context have no sheet.
    place.hidden = !('share' in navigator);
    // A visitor who closes the sheet has shared nothing.
    place.addEventListener(
      'click',
      () => void navigator.share({ url: place.dataset.share as string }).catch(() => undefined),
    );
  });
