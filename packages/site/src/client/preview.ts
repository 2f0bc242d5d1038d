/** Shows what a template's link would publish as soon as it is pasted: the form's own preview, without the button. */

const afterMs = 300;

/**
 * Replaces the parts of the form in `place` that the preview of a link has new. What was typed or ticked stays. A link
 * that is refused stays as it is until it is sent.
 */
export const startPreview = (place: HTMLElement): void => {
  const template = new RegExp(`^(https?://)?${place.dataset.submission}/bot/[^/\\s]+$`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: XMLHttpRequest | undefined;
  let shown = '';

  const partOf = (name: string, within: ParentNode = place) =>
    within.querySelector<HTMLElement>(`[data-part=${name}]`) as HTMLElement;
  /** Whether somebody has chosen categories: otherwise the form has none, or those suggested for the last link. */
  const hasOwn = (): boolean => partOf('categories').dataset.own !== undefined;

  const adopt = (found: Document): void => {
    const field = (name: string, within: ParentNode) => within.querySelector(`[name=${name}]`) as HTMLInputElement;
    field('integrations', found).value = field('integrations', place).value;
    // As they were understood.
    for (const name of ['link', 'source_url']) field(name, place).value = field(name, found).value;
    for (const name of ['top', 'integrations', 'buttons', ...(hasOwn() ? [] : ['categories'])])
      partOf(name).replaceWith(document.adoptNode(partOf(name, found)));
    // Every field was accepted.
    place.querySelectorAll('.field-error').forEach((error) => error.remove());
    place.querySelectorAll('.field-wrong,[aria-invalid]').forEach((wrong) => {
      wrong.classList.remove('field-wrong');
      wrong.removeAttribute('aria-invalid');
    });
    (document.querySelector('#said') as Element).textContent = place.querySelector('h2')?.textContent ?? '';
  };

  const preview = (form: HTMLFormElement): void => {
    const sent = new URLSearchParams({ step: 'preview' });
    // What was found of another link does not count.
    for (const [name, value] of new FormData(form) as unknown as Iterable<[string, string]>)
      if (!name.startsWith('found') && (name !== 'categories' || hasOwn())) sent.append(name, value);
    const one = (request = new XMLHttpRequest());
    one.open('POST', '/submit');
    one.responseType = 'document';
    one.onload = () => {
      const found = one.response as Document | null;
      // Somebody who types elsewhere by now is not interrupted.
      if (one.status === 200 && found && document.activeElement?.id === 'link') adopt(found);
    };
    one.send(sent);
  };

  place.addEventListener('input', ({ target }) => {
    const { form, name, value } = target as HTMLInputElement;
    if (name === 'categories') partOf('categories').dataset.own = '';
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
