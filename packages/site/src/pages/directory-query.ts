/** What a query of the directory is called, and whether it asks for all of it. */
import type { DirectoryQuery, DirectoryView } from '../views.ts';

/** Whether less than everything is asked for. */
export const isFiltered = ({ q, categories, integrations, author }: DirectoryQuery): boolean =>
  q !== '' || categories.length + integrations.length > 0 || author !== undefined;

/** Whether this is the home page. */
export const isHome = (view: DirectoryView): boolean =>
  !isFiltered(view.query) && view.query.sort === 'newest' && view.isFirstPage;

/** The title of what was asked for. */
export const headingOf = ({ q, categories, integrations, author, sort }: DirectoryQuery): string => {
  if (q !== '') return `Results for “${q}”`;
  if (author !== undefined) return `Bots by ${author}`;
  if (categories.length > 0) return `${categories.join(', ')} bots`;
  if (integrations.length > 0) return `Bots that work with ${integrations.join(' and ')}`;
  return sort === 'installs' ? 'Most installed bots' : 'Newest bots';
};
