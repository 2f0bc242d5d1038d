/** The directory as a page: the query in its URL, and the view of the result. */
import type { Bot } from '@bot-directory/contract';
import type { DirectoryQuery } from '@bot-directory/site';
import { parseBotQuery, type Listing } from '../domain/listing.ts';
import type { Selected } from '../store/selected.ts';
import { refusedQuery } from './failures.ts';
import type { PageRead } from './page-read.ts';
import { sendablePage, stateOfBots, type Site } from './site.ts';

const pageSize = 24;

/** The page of a query. Failure: invalid_request. */
export const directoryPage = (site: Site, search: string): PageRead => {
  const params = new URLSearchParams(search);
  params.delete('limit');
  // An empty search box means no search.
  if (params.get('q')?.trim() === '') params.delete('q');
  const result = parseBotQuery(params, site.categories);
  if (!result.ok) throw refusedQuery(result.errors);
  const listing: Listing = { ...result.value, limit: pageSize };
  const query = queryOf(listing, params.get('q') ?? '');
  return {
    key: `directory ${JSON.stringify([listing, query.q])}`,
    state: () => stateOfBots(site),
    isSearch: listing.words.length > 0,
    make: async () => {
      const { bots } = site.directory;
      const selected = await bots.select(listing);
      return sendablePage(site, {
        page: 'directory',
        query,
        isFirstPage: listing.after === undefined,
        bots: botsOf(selected),
        total: selected.total,
        size: bots.size,
        next: selected.next,
        categories: bots.index.countCategories(site.categories),
        integrations: bots.index.countIntegrations(),
      });
    },
  };
};

const queryOf = ({ categories, integrations, author, sort }: Listing, q: string): DirectoryQuery => ({
  q: q.trim(),
  categories,
  integrations,
  author,
  sort,
});

/** The bots of a selection. */
export const botsOf = ({ ordinals, segments }: Selected): Bot[] =>
  Array.from(ordinals, (ordinal) => JSON.parse(segments.json(ordinal).toString()) as Bot);
