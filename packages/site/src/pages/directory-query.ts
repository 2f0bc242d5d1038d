/** The words for a query of the directory, and whether it selects everything. */
import type { BotSort } from '@bot-directory/contract';
import { count, time } from '../parts/words.ts';
import type { DirectoryQuery, DirectoryView, NameIntegration } from '../views.ts';

/** The words for each sort, in the order of their links: the link and the heading. */
export const sortWords = {
  relevance: { link: 'Best match', heading: 'Best match' },
  newest: { link: 'Newest', heading: 'Newest bots' },
  updated: { link: 'Updated', heading: 'Recently updated bots' },
  trending: { link: 'Trending', heading: 'Trending bots' },
  installs: { link: 'Most installed', heading: 'Most installed bots' },
} satisfies Record<BotSort, object>;

/** Lists the sorts that are offered: without installs in the last days, what is trending is what is newest. */
export const sortsOf = ({ query: { q, sort: current }, isTrending }: DirectoryView): BotSort[] =>
  (Object.keys(sortWords) as BotSort[]).filter(
    (sort) => sort === current || (sort === 'relevance' ? q !== '' : sort !== 'trending' || isTrending),
  );

/** Returns whether the query has filters. */
export const isFiltered = ({ q, categories, integrations, author, updatedSince }: DirectoryQuery): boolean =>
  q !== '' || categories.length + integrations.length > 0 || author !== undefined || updatedSince !== undefined;

/** Returns whether this is the home page. */
export const isHome = (view: DirectoryView): boolean =>
  !isFiltered(view.query) && view.query.sort === 'newest' && view.isFirstPage;

/** Returns the heading for a query. */
export const headingOf = (
  { q, categories, integrations, author, updatedSince, sort }: DirectoryQuery,
  nameOf: NameIntegration,
): string => {
  if (q !== '') return `Results for “${q}”`;
  if (author !== undefined) return `Bots by ${author}`;
  if (categories.length > 0) return `${categories.join(', ')} bots`;
  if (integrations.length > 0) return `Bots that work with ${integrations.map((slug) => nameOf(slug)).join(' and ')}`;
  if (updatedSince !== undefined) return `Bots changed since ${time(updatedSince)}`;
  return sortWords[sort].heading;
};

/** Describes the list for search engines: how many bots there are, and the names of the first. */
export const describe = ({ query, bots, total }: DirectoryView, nameOf: NameIntegration): string => {
  const names = bots.slice(0, 3).map(({ name }) => name);
  const more = total > names.length ? ` and ${count(total - names.length, 'more', 'more')}` : '';
  return `${headingOf(query, nameOf)}: ${names.join(', ')}${more}. Search, read and install; no account needed.`;
};
