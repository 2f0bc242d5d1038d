/**
 * The directory as a page: the query in its URL, which its feeds share, and the view of the result; and all
 * integrations as a page.
 */
import { limits, type BotSort, type CategoryCount } from '@bot-directory/contract';
import { categorySlug, to, type DirectoryQuery } from '@bot-directory/site';
import { timestamp } from '../base/time.ts';
import { displayText } from '../domain/display-text.ts';
import { parseBotQuery, type Listing } from '../directory/listing.ts';
import { botsOf, searchBots, type Search } from '../directory/directory.ts';
import { firstWords } from '../domain/search.ts';
import { pathOf } from '../http/target.ts';
import { rowOf, type ReadRow } from '../reads/read.ts';
import { refusedQuery, sendablePage, type Site } from './site.ts';

/** A page of results; the best matches of a search come first. */
const resultsOptions = { limit: 24, searchSort: 'relevance' } as const;
/** How many categories an empty result suggests. */
const suggestedCategories = 6;

/** What a visitor's URL selects: a query as it was typed, and the listing that it means. */
type Asked = {
  readonly listing: Listing;
  readonly query: DirectoryQuery;
  /** Where the page begins, as it was sent. */
  readonly cursor: string | undefined;
  /** Whether no bot can match. */
  readonly isImpossible: boolean;
};

/** Reads the search part of a URL. `searchSort` is the order of a search without one. Failure: invalid_request. */
export const askedBots = (
  { categories }: Pick<Site, 'categories'>,
  search: string,
  { limit, searchSort = 'newest' }: { limit: number; searchSort?: BotSort },
): Asked => {
  const params = new URLSearchParams(search);
  params.delete('limit');
  const q = displayText(params.get('q') ?? '', limits.queryLength);
  // A search box that looks empty means no search.
  if (q === '') params.delete('q');
  if (q === '' && params.get('sort') === 'relevance') params.delete('sort');
  if (q !== '' && !params.has('sort')) params.set('sort', searchSort);
  if (q !== '') params.set('q', firstWords(q));
  const { listing, isImpossible } = listingOf(params, categories);
  const query = queryOf(listing, q);
  return { listing: { ...listing, limit }, query, cursor: params.get('cursor') ?? undefined, isImpossible };
};

/** What is found, as people and feeds need it. */
const foundBy = async (
  { directory: { bots } }: Site,
  { listing, query: { q }, isImpossible }: Asked,
): Promise<Search> =>
  isImpossible
    ? {
        ...{ listing, q, leftOut: [], suggestion: undefined },
        selected: { total: 0, ordinals: new Uint32Array(), next: undefined, segments: bots.segments },
      }
    : searchBots(bots, listing, q);

/** The same with the times of their last changes. */
export const foundChanged = async (site: Site, asked: Asked) => {
  const { q, leftOut, selected } = await foundBy(site, asked);
  const { index } = site.directory.bots;
  const changedAt = Array.from(selected.ordinals, (one) => timestamp(index.unshown(one).updatedAtMs));
  const bots = botsOf(selected).map((bot, i) => ({ ...bot, changedAt: changedAt[i] ?? '' }));
  return { bots, next: selected.next, found: q, leftOut };
};

/** The parameter that a path stands for: `/integrations/slack` is `integration=slack`. */
const parameters = { categories: 'category', integrations: 'integration', authors: 'author' } as const;

/** The search part of a results page, with the filter of its path. `undefined`: there is no such page. */
const wholeSearch = ({ categories }: Site, path: string, search: string): string | undefined => {
  const [, kind = '', raw = ''] = path.split('/');
  const name = Object.entries(parameters).find(([one]) => one === kind)?.[1];
  if (name === undefined) return search;
  const value = decoded(raw);
  const filter =
    name === 'category'
      ? [...categories, ...(categories.former?.keys() ?? [])].find((one) => categorySlug(one) === value.toLowerCase())
      : value || undefined;
  if (filter === undefined) return undefined;
  const params = new URLSearchParams(search);
  params.append(name, filter);
  return params.toString();
};

const decoded = (raw: string): string => {
  try {
    return decodeURIComponent(raw);
  } catch {
    return '';
  }
};

/** The page of a query at its one address, to which others redirect. Failure: invalid_request. */
const resultsPage = (path: string): ReadRow<Site> => ({
  path,
  read: (site, { path: own, search }) => {
    const whole = wholeSearch(site, own, search);
    if (whole === undefined) return undefined;
    const asked = askedBots(site, whole, resultsOptions);
    const { listing, query, cursor } = asked;
    const address = to.directory(query, cursor);
    if (pathOf(address) !== own) return { redirectTo: address };
    return {
      query: [listing, query.q],
      state: () => pageState(site, listing),
      isSearch: listing.words.length > 0,
      make: async () => {
        const { bots } = site.directory;
        const found = await foundBy(site, asked);
        const [place, facets] = await Promise.all([
          bots.placeAmong(found.listing),
          bots.countFacets(found.listing, site.categories),
        ]);
        return sendablePage(site, {
          page: 'directory',
          query: { ...query, q: found.q },
          typed: query.q,
          leftOut: found.leftOut,
          suggestion: found.suggestion,
          isFirstPage: listing.after === undefined,
          bots: botsOf(found.selected),
          total: found.selected.total,
          next: found.selected.next,
          ...place,
          ...facets,
          size: bots.size,
          isTrending: bots.index.isTrending,
          suggested: largest(bots.index.countCategories(site.categories)),
        });
      },
    };
  },
});

/**
 * What a page of results depends on. It links what is trending only while something is, and that may end with a day,
 * which no change of the directory dates.
 */
const pageState = ({ directory: { bots } }: Site, { sort }: Listing) => {
  const state = bots.stateInOrder(sort);
  return bots.index.isTrending ? state : { version: `${state.version}.quiet`, changedAtMs: undefined };
};

const largest = (categories: readonly CategoryCount[]): string[] =>
  categories
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, suggestedCategories)
    .map(({ name }) => name);

/** The home page, and those of a category, an integration and an author. */
export const resultsPages: readonly ReadRow<Site>[] = [
  '/',
  '/categories/:slug',
  '/integrations/:slug',
  '/authors/:handle',
].map(resultsPage);

/**
 * Parses a query. Anything may be typed into the search box: text that the API refuses, such as one without a letter,
 * finds nothing here, and its page still has the box.
 */
const listingOf = (params: URLSearchParams, categories: readonly string[]) => {
  const whole = parseBotQuery(params, categories);
  if (whole.ok) return { listing: whole.value, isImpossible: false };
  const others = new URLSearchParams(params);
  others.delete('q');
  const rest = parseBotQuery(others, categories);
  if (!rest.ok || params.getAll('q').length > 1) throw refusedQuery(whole.errors);
  return { listing: rest.value, isImpossible: true };
};

const queryOf = ({ categories, integrations, author, updatedSinceMs, sort }: Listing, q: string): DirectoryQuery => ({
  q,
  categories,
  integrations,
  author,
  updatedSince: updatedSinceMs === undefined ? undefined : timestamp(updatedSinceMs),
  sort,
});

/** Every integration in use. */
export const integrationsPage = rowOf(
  '/integrations',
  (site: Site) =>
    sendablePage(site, { page: 'integrations', integrations: site.directory.bots.index.countIntegrations() }),
  (site) => site.directory.bots,
);
