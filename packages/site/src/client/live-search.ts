/** Search while typing: fetches the page for the new query and takes over its results. */

const afterMs = 200;
const busyAfterMs = 150;

/** Replaces the results in place while typing. Any error turns into an ordinary navigation. */
export const startLiveSearch = (): void => {
  const form = document.querySelector<HTMLFormElement>('[data-search]');
  const input = form?.querySelector<HTMLInputElement>('[type=search]');
  if (!form || !input) return;
  let timer = 0;
  let request: XMLHttpRequest | undefined;
  let shown = input.value;

  const address = (): string => {
    const asked = new URLSearchParams();
    new FormData(form).forEach((value, name) => typeof value === 'string' && value !== '' && asked.append(name, value));
    return asked.size > 0 ? `/?${asked.toString()}` : '/';
  };

  const adopt = (found: Document): void => {
    const current = document.getElementById('results');
    const fresh = found.getElementById('results');
    if (!current || !fresh) throw new Error();
    const swap = (): void => {
      current.replaceWith(document.adoptNode(fresh));
      document.title = found.title;
      const status = form.querySelector('[data-status]');
      if (status) status.textContent = fresh.querySelector('[data-result-count]')?.textContent ?? '';
    };
    if ('startViewTransition' in document) document.startViewTransition(swap);
    else swap();
  };

  const search = (): void => {
    if (input.value.trim() === shown.trim()) return;
    shown = input.value;
    const url = address();
    request?.abort();
    const one = (request = new XMLHttpRequest());
    const leave = (): void => location.assign(url);
    const busy = setTimeout(() => document.getElementById('results')?.setAttribute('aria-busy', 'true'), busyAfterMs);
    one.open('GET', url);
    one.responseType = 'document';
    one.onloadend = () => clearTimeout(busy);
    one.onerror = leave;
    one.onload = () => {
      try {
        adopt(one.response as Document);
        history.replaceState(null, '', url);
      } catch {
        leave();
      }
    };
    one.send();
  };

  input.addEventListener('input', (event) => {
    clearTimeout(timer);
    if (!(event instanceof InputEvent && event.isComposing)) timer = window.setTimeout(search, afterMs);
  });
  input.addEventListener('compositionend', () => {
    timer = window.setTimeout(search, afterMs);
  });
};
