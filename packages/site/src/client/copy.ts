/** Copy buttons beside code. */

/** Copies the code beside a button; if the clipboard is not available, selects it. */
export const startCopy = (): void =>
  document.querySelectorAll<HTMLElement>('[data-copy]').forEach((button) => {
    const label = button.getAttribute('aria-label') ?? '';
    const copy = async (): Promise<void> => {
      const code = button.previousElementSibling;
      if (code === null) return;
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        getSelection()?.selectAllChildren(code);
        return;
      }
      button.dataset.copied = '';
      button.setAttribute('aria-label', 'Copied');
      setTimeout(() => {
        delete button.dataset.copied;
        button.setAttribute('aria-label', label);
      }, 2_000);
    };
    button.addEventListener('click', () => void copy());
  });
