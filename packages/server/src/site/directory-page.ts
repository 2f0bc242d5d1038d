/** The directory as a page: the view of what its URL selects, which its feeds share; and all integrations as a page. */
import { limits, type CategoryCount } from '@bot-directory/contract';
import { categorySlug, to, type DirectoryQuery, type UnknownName } from '@bot-directory/site';
import { timestamp } from '../base/time.ts';
import { displayText } from '../domain/display-text.ts';
import type { Listing } from '../directory/listing.ts';
import { botsOf, searchBots, type Search } from '../directory/directory.ts';
import { namesLike } from '../domain/search.ts';
import { pathOf } from '../http/target.ts';
import { routeTo, type ResourceRoute, type State } from '../reads/resource.ts';
import { numbersOf } from './authors-page.ts';
import { askedByVisitor, type Asked } from './asked-bots.ts';
import { shelvesOf, tilesOf } from './shelves.ts';
import { sendablePage, type Site } from './site.ts';

/** How many bots a page of results has. */
const pageSize = 24;
/** How many categories an empty result suggests. */
const suggestedCategories = 6;

/** What is found, as people and feeds need it. */
const foundBy = async (
  { directory: { bots } }: Site,
  { listing, query: { q }, isImpossible }: Asked,
): Promise<Search> =>
  isImpossible
    ? {
        listing,
        q,
        leftOut: [],
        suggestion: undefined,
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
  const value = displayText(decoded(raw), limits.urlLength);
  // A chat takes the `)` or `.` after an address for a part of it.
  const filter = (name === 'category' ? categoryAt(categories, value) : undefined) ?? value.replace(/\p{P}+$/u, '');
  if (filter === '') return undefined;
  const params = new URLSearchParams(search);
  params.append(name, filter);
  return params.toString();
};

/** The category whose page has this last part of its path. */
const categoryAt = (categories: Site['categories'], part: string): string | undefined =>
  [...categories, ...(categories.former?.keys() ?? [])].find((one) => categorySlug(one) === part.toLowerCase());

const decoded = (raw: string): string => {
  try {
    return decodeURIComponent(raw);
  } catch {
    return '';
  }
};

/** The page of a query at its one address, to which others redirect. */
const resultsPage = (path: string): ResourceRoute<Site> => ({
  path,
  find: (site, { path: own, search }) => {
    const whole = wholeSearch(site, own, search);
    if (whole === undefined) return undefined;
    const asked = askedByVisitor(site, whole, pageSize);
    const { listing, query, cursor } = asked;
    const address = to.directory(query, cursor);
    if (pathOf(address) !== own) return { redirectTo: address };
    const isHome = address === '/';
    return {
      query: [listing, query],
      // Shelves have what is trending, too.
      freshness: {
        of: 'directory',
        state: () => pageState(site, isHome ? { ...listing, sort: 'trending' } : listing),
      },
      make: async () => {
        const { bots } = site.directory;
        const found = await foundBy(site, asked);
        const [place, facets, shelves] = await Promise.all([
          bots.placeAmong(found.listing),
          bots.countFacets(found.listing, site.categories),
          isHome ? shelvesOf(site) : undefined,
        ]);
        const unknown = found.selected.total === 0 ? unknownIn(site, query) : [];
        const author = own.startsWith('/authors/') ? numbersOf(site, query.author ?? '') : undefined;
        const page = sendablePage(site, {
          page: 'directory',
          query: { ...query, q: found.q },
          author,
          typed: query.q,
          leftOut: found.leftOut,
          unknown,
          suggestion: found.suggestion,
          isFirstPage: listing.after === undefined,
          bots: botsOf(found.selected),
          total: found.selected.total,
          next: found.selected.next,
          ...place,
          ...facets,
          size: bots.size,
          shelves,
          isTrending: bots.index.isTrending,
          suggested: largest(bots.index.countCategories(site.categories)),
        });
        // A page of a name that is not here has no other content.
        return own === '/' || unknown.length === 0 ? page : { ...page, status: 404 };
      },
    };
  },
});

/** The names in a query that no bot has, with those that are like them. */
const unknownIn = ({ directory, categories }: Site, query: DirectoryQuery): UnknownName[] => {
  const { index } = directory.bots;
  const used = index.countIntegrations().map(({ slug }) => slug);
  const handle = query.author?.slice(1).toLowerCase();
  const authors = handle === undefined || index.hasAuthor(handle) ? [] : [handle];
  return [
    ...query.categories
      .filter((name) => !categories.includes(name))
      .map((name) => ({ kind: 'category' as const, name, near: namesLike(name, categories) })),
    ...query.integrations
      .filter((slug) => !used.includes(slug))
      .map((name) => ({ kind: 'integration' as const, name, near: namesLike(name, used) })),
    ...authors.map((name) => ({
      kind: 'author' as const,
      name: `@${name}`,
      near: namesLike(`@${name}`, index.authors()),
    })),
  ];
};

/**
 * What a page of results depends on. It links what is trending only while something is, and that may end with a day,
 * which no change of the directory dates. It counts the posts of an author.
 */
const pageState = ({ directory: { bots, posts } }: Site, { sort, author }: Listing): State => {
  const { isTrending } = bots.index;
  const { version, changedAtMs } = bots.stateInOrder(sort);
  const of = author === undefined ? { version: 0, changedAtMs: 0 } : posts;
  const isDated = isTrending && changedAtMs !== undefined;
  return {
    version: `${version}.${of.version}${isTrending ? '' : '.quiet'}`,
    changedAtMs: isDated ? Math.max(changedAtMs, of.changedAtMs) : undefined,
  };
};

const largest = (categories: readonly CategoryCount[]): string[] =>
  categories
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, suggestedCategories)
    .map(({ name }) => name);

/** The home page, and those of a category, an integration and an author. */
export const resultsPages: readonly ResourceRoute<Site>[] = [
  '/',
  '/categories/:slug',
  '/integrations/:slug',
  '/authors/:handle',
].map(resultsPage);

/** Every category in use. */
export const categoriesPage = routeTo(
  '/categories',
  async (site: Site) => sendablePage(site, { page: 'categories', categories: await tilesOf(site) }),
  (site) => site.directory.bots,
);

/** Every integration in use. */
export const integrationsPage = routeTo(
  '/integrations',
  (site: Site) =>
    sendablePage(site, { page: 'integrations', integrations: site.directory.bots.index.countIntegrations() }),
  (site) => site.directory.bots,
);
