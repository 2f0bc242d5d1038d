/** Search by keyboard: `/`, Ctrl+K or Cmd+K goes to the box, and arrows go from there through the results. */

/** Starts it. */
export const startKeys = (): void =>
  addEventListener('keydown', (event) => {
    const { key } = event;
    const from = event.target as HTMLElement;
    const stops = [...document.querySelectorAll<HTMLElement>('[type=search],#results .card-name a')];
    const isShortcut = key === (event.ctrlKey || event.metaKey ? 'k' : '/');
    // Within a field it is the field's.
    if (isShortcut && from.closest('input,textarea,select')) return;
    const at = stops.indexOf(from);
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (!isShortcut && (at < 0 || !step)) return;
    event.preventDefault();
    if (isShortcut && !stops[0]) location.href = '/#q';
    stops[isShortcut ? 0 : at + (step ?? 0)]?.focus();
  });
