/** Copy buttons of code snippets. */

/** Copies the code next to a button, and says so; if the clipboard is not available, selects it. */
export const startCopy = (): void =>
  document.querySelectorAll<HTMLElement>('[data-copy]').forEach((button) =>
    button.addEventListener('click', () => {
      const code = button.previousElementSibling as Element;
      const toggle = (text: string): void => {
        button.toggleAttribute('data-copied');
        (document.querySelector('#said') as Element).textContent = text;
      };
      // Pages in an insecure context have no clipboard.
      const copy = async (): Promise<void> => navigator.clipboard.writeText(code.textContent);
      copy().then(
        () => {
          toggle('Copied');
          setTimeout(toggle, 2_000, '');
        },
        () => getSelection()?.selectAllChildren(code),
      );
    }),
  );
