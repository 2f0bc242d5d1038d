/** A list that is searched while somebody types, and that “Load more” extends. */
import { AbortedError, type Bot, createClient, type Page } from '@bot-directory/sdk';
import { useEffect, useState } from 'react';

const directory = createClient({ baseUrl: 'https://directory.example.com' });

interface Shown {
  pages: Page<Bot>[];
  problem?: string;
}

/** Shows one more page after those before it. */
const show = async (
  request: Promise<Page<Bot> | undefined>,
  before: Page<Bot>[],
  setShown: (shown: Shown) => void,
): Promise<void> => {
  try {
    const page = await request;
    if (page !== undefined) setShown({ pages: [...before, page] });
  } catch (error) {
    // Something else was typed meanwhile.
    if (!(error instanceof AbortedError)) setShown({ pages: before, problem: String(error) });
  }
};

export const BotSearch = () => {
  const [q, setQ] = useState('');
  const [{ pages, problem }, setShown] = useState<Shown>({ pages: [] });
  const last = pages.at(-1);

  useEffect(() => {
    const stop = new AbortController();
    const search = () => {
      const first = directory.bots.page({ q: q.trim() || undefined, limit: 20 }, { signal: stop.signal });
      void show(first, [], setShown);
    };
    const typing = setTimeout(search, 150);
    return () => {
      clearTimeout(typing);
      // Ends the search and every “Load more” of its pages.
      stop.abort();
    };
  }, [q]);

  return (
    <>
      <input type="search" aria-label="Search" value={q} onChange={(event) => setQ(event.target.value)} />
      <p role="status">{problem ?? (last && `${last.total} found`)}</p>
      <ul>
        {pages
          .flatMap((page) => page.items)
          .map((bot) => (
            <li key={bot.id}>
              <a href={bot.url}>{bot.name}</a>
            </li>
          ))}
      </ul>
      {last?.hasMore && <button onClick={() => void show(last.next(), pages, setShown)}>Load more</button>}
    </>
  );
};
