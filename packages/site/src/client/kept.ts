/**
 * Keeps what is typed into the form for a new bot as long as its tab lives, so that it survives a reload and the way
 * back to it. What the server has shown again, after a refusal, comes first. Once the bot is published, its page
 * forgets it.
 */

const key = 'submission';

/** Keeps the form in `place`, and fills it in again if the page has nothing that was typed. */
export const startKeeping = (place: HTMLElement): void => {
  const { kept } = place.dataset;
  const fields = (): HTMLInputElement[] => [
    ...place.querySelectorAll<HTMLInputElement>('input:not([type=hidden],[name=found])'),
  ];
  try {
    if (kept === 'forget') sessionStorage.removeItem(key);
    const saved = JSON.parse((kept === 'restore' && sessionStorage.getItem(key)) || '[]') as [string, string][];
    for (const field of fields()) {
      const values = saved.filter(([name]) => name === field.name).map(([, value]) => value);
      if (field.type !== 'checkbox') field.value = values[0] ?? field.value;
      else if (values.includes(field.value)) {
        field.checked = true;
        field.closest('[data-part]')?.setAttribute('data-own', '');
      }
    }
    place.addEventListener('input', () => {
      const typed = fields().filter(({ type, checked, value }) => (type === 'checkbox' ? checked : value));
      sessionStorage.setItem(key, JSON.stringify(typed.map(({ name, value }) => [name, value])));
    });
  } catch {
    // There is no storage.
  }
};
