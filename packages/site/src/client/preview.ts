/** Shows what a template's link would publish as soon as it is pasted: the form's own preview, without the button. */

const afterMs = 300;

/** Replaces the form in `place` with that of its preview. A link that is refused stays as it is until it is sent. */
export const startPreview = (place: HTMLElement): void => {
  const template = new RegExp(`^https://${place.dataset.submission}/bot/[^/\\s]+$`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: XMLHttpRequest | undefined;
  let shown = '';

  const preview = (form: HTMLFormElement): void => {
    const sent = new URLSearchParams({ step: 'preview' });
    for (const name of ['link', 'author', 'source_url']) sent.set(name, new FormData(form).get(name) as string);
    const one = (request = new XMLHttpRequest());
    one.open('POST', '/submit');
    one.responseType = 'document';
    one.onload = () => {
      const fresh = (one.response as Document | null)?.querySelector('[data-submission] > form');
      // Somebody who types elsewhere by now is not interrupted.
      if (one.status !== 200 || !fresh || document.activeElement?.id !== 'link') return;
      place.replaceChildren(document.adoptNode(fresh));
      document.getElementById('link')?.focus();
      const said = document.querySelector('#said');
      if (said) said.textContent = fresh.querySelector('h2')?.textContent ?? '';
    };
    one.send(sent);
  };

  place.addEventListener('input', ({ target }) => {
    const { form, name, value } = target as HTMLInputElement;
    if (name !== 'link' || !form) return;
    clearTimeout(timer);
    request?.abort();
    const link = value.trim();
    if (link === shown || !template.test(link)) return;
    timer = setTimeout(() => {
      shown = link;
      preview(form);
    }, afterMs);
  });
};
