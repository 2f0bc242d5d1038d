/** Says in words what a webhook will get, while its form is filled in. */
import { wishInWords } from '../parts/wish.ts';

/** Keeps the sentence of a form up to date. */
export const startWish = (form: HTMLFormElement): void => {
  const sentence = form.querySelector('[data-wish]');
  const show = (): void => {
    const data = new FormData(form);
    const text = (name: string): string => (data.get(`filter/${name}`) as string).trim();
    const list = (name: string): string[] =>
      text(name)
        .split(/[\s]*,[\s]*/)
        .filter(Boolean);
    const wish = { category: list('category'), integration: list('integration'), author: text('author'), q: text('q') };
    if (sentence) sentence.textContent = wishInWords({ events: data.getAll('events') as string[], ...wish });
  };
  form.addEventListener('input', show);
  show();
};
