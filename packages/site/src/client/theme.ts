/** The theme: the system's, unless the visitor chose one. */

const themes = ['system', 'light', 'dark'];
const root = document.documentElement;

const saved = (): string => {
  try {
    return localStorage.theme as string;
  } catch {
    return '';
  }
};

/** Shows the saved theme, and that the script runs. Runs before the first paint. */
export const showSavedTheme = (): void => {
  root.dataset.js = '';
  const theme = saved();
  if (themes.indexOf(theme) > 0) root.dataset.theme = theme;
};

/** Makes each click switch to the next theme: system, light, dark. */
export const startTheme = (): void => {
  const buttons = document.querySelectorAll<HTMLElement>('[data-theme-button]');
  const name = (): string => root.dataset.theme ?? 'system';
  const label = (): void => buttons.forEach((button) => button.setAttribute('aria-label', `Theme: ${name()}`));
  label();
  buttons.forEach((button) =>
    button.addEventListener('click', () => {
      const next = themes[(themes.indexOf(name()) + 1) % themes.length] ?? 'system';
      if (next === 'system') delete root.dataset.theme;
      else root.dataset.theme = next;
      label();
      try {
        localStorage.theme = next;
      } catch {
        // A browser without storage keeps the theme for this page only.
      }
    }),
  );
};
