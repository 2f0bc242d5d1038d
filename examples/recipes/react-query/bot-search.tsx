/** The same list with TanStack Query, which aborts a search that nobody waits for, and keeps those that it has. */
import { createClient } from '@bot-directory/sdk';
import { keepPreviousData, QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';

const directory = createClient({ baseUrl: 'https://directory.example.com' });
// The client of the directory retries by itself.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

const useBots = (q: string) =>
  useInfiniteQuery({
    queryKey: ['bots', q],
    queryFn: ({ pageParam: cursor, signal }) =>
      directory.bots.page({ q: q || undefined, cursor, limit: 20 }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    placeholderData: keepPreviousData,
  });

const Bots = () => {
  const [q, setQ] = useState('');
  const { data, error, hasNextPage, fetchNextPage } = useBots(q.trim());
  return (
    <>
      <input type="search" aria-label="Search" value={q} onChange={(event) => setQ(event.target.value)} />
      <p role="status">{error?.message ?? (data && `${data.pages.at(-1)?.total} found`)}</p>
      <ul>
        {data?.pages
          .flatMap((page) => page.items)
          .map((bot) => (
            <li key={bot.id}>
              <a href={bot.url}>{bot.name}</a>
            </li>
          ))}
      </ul>
      {hasNextPage && <button onClick={() => void fetchNextPage()}>Load more</button>}
    </>
  );
};

export const BotSearch = () => (
  <QueryClientProvider client={queries}>
    <Bots />
  </QueryClientProvider>
);
