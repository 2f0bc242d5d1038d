/** The theme: the system's, unless the visitor chose one. */

const themes = ['system', 'light', 'dark'];
const { dataset } = document.documentElement;

/** Shows the saved theme, and that the script runs. Runs before the first paint. */
export const showSavedTheme = (): void => {
  dataset.js = '';
  dataset.theme = 'system';
  try {
    dataset.theme = (localStorage.theme as string | undefined) ?? 'system';
  } catch {
    // A browser without storage saves none.
  }
};

/** Makes each click switch to the next theme: system, light, dark. */
export const startTheme = (): void => {
  const buttons = document.querySelectorAll<HTMLElement>('[data-theme-button]');
  const label = (): void =>
    buttons.forEach((button) => button.setAttribute('aria-label', `Theme: ${dataset.theme as string}`));
  label();
  buttons.forEach((button) =>
    button.addEventListener('click', () => {
      dataset.theme = themes[(themes.indexOf(dataset.theme as string) + 1) % themes.length] as string;
      label();
      try {
        localStorage.theme = dataset.theme;
      } catch {
        // It keeps the theme for this page only.
      }
    }),
  );
};
