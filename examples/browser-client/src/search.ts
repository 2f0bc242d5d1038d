/** The list: searched while typing, filtered, and extended by every "Show more". */
import { AbortedError, type Client } from '@bot-directory/sdk';
import { botItem, element, say } from './view.ts';

const pageSize = 5;
const typingPauseMs = 150;

/** Listens to the search form. Returns a function that reloads the list. */
export const setUpSearch = (directory: Client): (() => void) => {
  const form = element('search', HTMLFormElement);
  const bots = element('bots', HTMLUListElement);
  const more = element('more', HTMLButtonElement);
  let current = new AbortController();
  let cursor: string | undefined;

  const show = async (after: string | undefined) => {
    current.abort();
    current = new AbortController();
    const { q, category } = Object.fromEntries(new FormData(form)) as { q: string; category: string };
    const filters = { q: q.trim() || undefined, category: category || undefined };
    const pages = directory.bots
      .iterate({ ...filters, limit: pageSize, cursor: after }, { signal: current.signal })
      .byPage();
    for await (const page of pages) {
      if (after === undefined) bots.replaceChildren();
      bots.append(...page.items.map(botItem));
      say('summary', page.total === 0 ? 'No bot matches.' : `${bots.childElementCount} of ${page.total}`);
      cursor = page.cursor;
      more.hidden = cursor === undefined;
      return;
    }
  };

  const start = (after?: string) => {
    show(after).catch((error: unknown) => {
      // A newer search has taken over.
      if (!(error instanceof AbortedError)) say('summary', `The list can't be loaded: ${String(error)}`);
    });
  };

  let typing: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(start, typingPauseMs);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => start(cursor));
  void fillCategories(directory);
  return () => start();
};

const fillCategories = async (directory: Client): Promise<void> => {
  const outcome = await directory.categories().safe();
  if (!outcome.ok) return;
  const used = outcome.data.filter(({ count }) => count > 0);
  element('category', HTMLSelectElement).append(
    ...used.map(({ name, count }) => new Option(`${name} (${count})`, name)),
  );
};
