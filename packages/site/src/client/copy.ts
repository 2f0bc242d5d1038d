/** Copy buttons of code snippets. */

/** Copies the code next to a button; if the clipboard is not available, selects it. */
export const startCopy = (): void =>
  document.querySelectorAll<HTMLElement>('[data-copy]').forEach((button) => {
    const label = button.ariaLabel;
    button.addEventListener('click', () => {
      const code = button.previousElementSibling as Element;
      // Pages in an insecure context have no clipboard.
      const copy = async (): Promise<void> => navigator.clipboard.writeText(code.textContent);
      copy().then(
        () => {
          button.dataset.copied = '';
          button.ariaLabel = 'Copied';
          setTimeout(() => {
            delete button.dataset.copied;
            button.ariaLabel = label;
          }, 2_000);
        },
        () => getSelection()?.selectAllChildren(code),
      );
    });
  });
