/** The words for a query of the directory, and whether it asks for everything. */
import type { BotSort } from '@bot-directory/contract';
import type { DirectoryQuery, DirectoryView } from '../views.ts';

/** The words for each sort: in a link to it, as a heading, and for paging. In the order in which they are offered. */
export const sortWords = {
  newest: { link: 'Newest', heading: 'Newest bots', older: 'Older bots', back: 'Back to newest' },
  installs: {
    link: 'Most installed',
    heading: 'Most installed bots',
    older: 'Less installed bots',
    back: 'Back to most installed',
  },
} satisfies Record<BotSort, object>;

/** The sorts, as they are offered. */
export const sorts = Object.keys(sortWords) as BotSort[];

/** Whether the query has filters. */
export const isFiltered = ({ q, categories, integrations, author }: DirectoryQuery): boolean =>
  q !== '' || categories.length + integrations.length > 0 || author !== undefined;

/** Whether this is the home page. */
export const isHome = (view: DirectoryView): boolean =>
  !isFiltered(view.query) && view.query.sort === 'newest' && view.isFirstPage;

/** The heading for a query. */
export const headingOf = ({ q, categories, integrations, author, sort }: DirectoryQuery): string => {
  if (q !== '') return `Results for “${q}”`;
  if (author !== undefined) return `Bots by ${author}`;
  if (categories.length > 0) return `${categories.join(', ')} bots`;
  if (integrations.length > 0) return `Bots that work with ${integrations.join(' and ')}`;
  return sortWords[sort].heading;
};
