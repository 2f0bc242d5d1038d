/** The list: searched while typing, filtered, and extended by every "Show more". */
import { AbortedError, type Bot, type Client, type Page } from '@bot-directory/sdk';
import { botItem, element, say } from './view.ts';

const pageSize = 5;
const typingPauseMs = 150;

/** Listens to the search form. Returns a function that reloads the list. */
export const setUpSearch = (directory: Client): (() => void) => {
  const form = element('search', HTMLFormElement);
  const bots = element('bots', HTMLUListElement);
  const more = element('more', HTMLButtonElement);
  let current = new AbortController();
  let last: Page<Bot> | undefined;

  const show = async (request: Promise<Page<Bot> | undefined> | undefined, isFirst: boolean) => {
    try {
      last = await request;
      if (isFirst) bots.replaceChildren();
      bots.append(...(last?.items ?? []).map(botItem));
      say('summary', last?.total === 0 ? 'No bot matches.' : `${bots.childElementCount} of ${last?.total}`);
    } catch (error) {
      // A newer search has taken over.
      if (!(error instanceof AbortedError)) say('summary', `The list can't be loaded: ${String(error)}`);
    }
    more.hidden = last?.hasMore !== true;
  };

  const search = () => {
    // Ends the last search and every "Show more" of its pages.
    current.abort();
    current = new AbortController();
    const { q, category } = Object.fromEntries(new FormData(form)) as { q: string; category: string };
    const filters = { q: q.trim() || undefined, category: category || undefined };
    void show(directory.bots.page({ ...filters, limit: pageSize }, { signal: current.signal }), true);
  };

  let typing: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(search, typingPauseMs);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => {
    more.hidden = true;
    void show(last?.next(), false);
  });
  void fillCategories(directory);
  return search;
};

const fillCategories = async (directory: Client): Promise<void> => {
  const outcome = await directory.categories().safe();
  if (!outcome.ok) return;
  const used = outcome.data.filter(({ count }) => count > 0);
  element('category', HTMLSelectElement).append(
    ...used.map(({ name, count }) => new Option(`${name} (${count})`, name)),
  );
};
