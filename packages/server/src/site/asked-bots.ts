/**
 * Which bots a URL of the site selects. A feed is read by programs, and refuses what the API refuses. A page is read by
 * people, whose chats and networks add to its address: it ignores what it doesn't understand, and a name that no bot
 * can have finds nothing.
 */
import { limits, type BotSort } from '@bot-directory/contract';
import type { DirectoryQuery } from '@bot-directory/site';
import { timestamp } from '../base/time.ts';
import { nameOf, parseBotQuery, type Listing, type ListingRules } from '../directory/listing.ts';
import { displayText } from '../domain/display-text.ts';
import { firstWords } from '../domain/search.ts';
import { refusedQuery, type Site } from './site.ts';

/** What a URL selects: a query as it was typed, and the listing that it means. */
export type Asked = {
  readonly listing: Listing;
  readonly query: DirectoryQuery;
  /** Where the page begins, as it was sent. */
  readonly cursor: string | undefined;
  /** Whether no bot can match. */
  readonly isImpossible: boolean;
};

type Settings = Pick<Site, 'categories' | 'frame'>;

const rulesOf = ({ categories, frame: { templateHost } }: Settings): ListingRules => ({ categories, templateHost });

/** Reads the search part of a feed's URL. Words that the API refuses find nothing. Failure: invalid_request. */
export const askedByFeed = (site: Settings, search: string, limit: number): Asked => {
  const params = new URLSearchParams(search);
  const rules = rulesOf(site);
  params.delete('limit');
  if (params.has('link')) throw refusedQuery([{ pointer: '?link', detail: 'selects one bot, which has no feed' }]);
  const isOnce = params.getAll('q').length < 2;
  const q = isOnce ? takeWords(params, 'newest') : '';
  const whole = parseBotQuery(params, rules);
  params.delete('q');
  const read = whole.ok ? whole : parseBotQuery(params, rules);
  if (!read.ok || !isOnce) throw refusedQuery(whole.ok ? [] : whole.errors);
  return askedFor({ ...read.value, limit }, { q, params, isImpossible: !whole.ok });
};

/** Reads the search part of a page's URL. */
export const askedByVisitor = (site: Settings, search: string, limit: number): Asked => {
  const params = new URLSearchParams();
  const rules = rulesOf(site);
  const unknown: Readonly<Record<string, string[]>> = { category: [], integration: [], author: [] };
  for (const [sent, raw] of [...new URLSearchParams(search)].slice(0, limits.queryParameters)) {
    const name = nameOf(sent);
    const value = displayText(raw, limits.urlLength);
    if (value === '' || name === 'limit' || name === 'link') continue;
    const isLater = name === 'q' || name === 'cursor';
    if (!isLater && !parseBotQuery(new URLSearchParams([[name, value]]), rules).ok) unknown[name]?.push(value);
    else if (name === 'category' || name === 'integration') params.append(name, value);
    else params.set(name, value);
  }
  const q = takeWords(params, 'relevance');
  const whole = parseBotQuery(params, rules);
  const refused = whole.ok ? [] : whole.errors.map(({ pointer }) => pointer.slice(1));
  for (const name of refused) params.delete(name);
  const read = whole.ok ? whole : parseBotQuery(params, rules);
  if (!read.ok) throw refusedQuery(read.errors);
  const { category = [], integration = [], author = [] } = unknown;
  const isAnyCategory = category.length > 0 && read.value.categories.length === 0;
  const isImpossible = refused.includes('q') || isAnyCategory || integration.length + author.length > 0;
  const asked = askedFor({ ...read.value, limit }, { q, params, isImpossible });
  const { categories: known, integrations, author: handle } = asked.query;
  const query = {
    ...asked.query,
    categories: [...known, ...category],
    integrations: [...integrations, ...integration],
    author: author.map((one) => `@${one.replace(/^@/, '')}`)[0] ?? handle,
  };
  return { ...asked, query };
};

/** Takes the words that were typed, and leaves those that count; a search box that looks empty means no search. */
const takeWords = (params: URLSearchParams, searchSort: BotSort): string => {
  const q = displayText(params.get('q') ?? '', limits.queryLength);
  if (q === '') params.delete('q');
  else params.set('q', firstWords(q));
  if (q === '' && params.get('sort') === 'relevance') params.delete('sort');
  if (q !== '' && !params.has('sort')) params.set('sort', searchSort);
  return q;
};

type Read = { readonly q: string; readonly params: URLSearchParams; readonly isImpossible: boolean };

const askedFor = (listing: Listing, { q, params, isImpossible }: Read): Asked => ({
  listing,
  query: {
    q,
    categories: listing.categories,
    integrations: listing.integrations,
    author: listing.author,
    updatedSince: listing.updatedSinceMs === undefined ? undefined : timestamp(listing.updatedSinceMs),
    sort: listing.sort,
  },
  cursor: params.get('cursor') ?? undefined,
  isImpossible,
});
