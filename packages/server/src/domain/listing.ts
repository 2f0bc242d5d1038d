/**
 * The lists: what a query asks for, and where the next page begins. `bot-orders.ts` has the order of each sort;
 * `bot-index.ts` decides which bots are in a list.
 */
import { botSorts, foreignPagingNames, limits, type BotSort, type FieldError } from '@bot-directory/contract';
import { parseAuthor, type Author } from './author.ts';
import { botOrders, compareRanks, isRankOf, type Rank } from './bot-orders.ts';
import { parseCategory } from './categories.ts';
import { parseIntegration, type IntegrationSlug } from './integrations.ts';
import type { Parsed } from '../base/parsed.ts';
import { accepted, refused } from '../base/parsed.ts';
import { searchWords } from './search.ts';

/** The last entry of the previous page. */
export type Position = { readonly seq: number; readonly rank: Rank };

/** A page of any list. */
export type Paging = { readonly limit: number | undefined; readonly after: Position | undefined };

/** A caller's query of the bot list. Names are canonical, sorted and unique. */
export type Listing = Paging & {
  readonly sort: BotSort;
  readonly categories: readonly string[];
  readonly integrations: readonly IntegrationSlug[];
  readonly author: Author | undefined;
  readonly words: readonly string[];
};

/** The parsed query, or every parameter that was refused. */
export type ListingResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Parses the parameters of the bot list. `allowed`: the known category names. */
export const parseBotQuery = (query: URLSearchParams, allowed: readonly string[]): ListingResult<Listing> => {
  const read = reader(query);
  const sort = read.one('sort', parseSort) ?? 'newest';
  const listing: Listing = {
    ...pagingOf(read, sort),
    sort,
    categories: read.all('category', (raw) => parseCategory(raw, allowed)),
    integrations: read.all('integration', parseIntegration),
    author: read.one('author', parseAuthor),
    words: read.one('q', parseWords) ?? [],
  };
  return read.errors.length > 0 ? { ok: false, errors: read.errors } : { ok: true, value: listing };
};

/** Parses the parameters of a list that only has paging. */
export const parsePageQuery = (query: URLSearchParams): ListingResult<Paging> => {
  const read = reader(query);
  const paging = pagingOf(read, 'newest');
  return read.errors.length > 0 ? { ok: false, errors: read.errors } : { ok: true, value: paging };
};

/** Whether a listing asks for every bot, newest first. */
export const isWhole = (listing: Listing): boolean =>
  listing.sort === 'newest' && !isFiltered(listing) && isUnpaged(listing);

/** Whether a query asks for all entries. */
export const isUnpaged = ({ limit, after }: Paging): boolean => limit === undefined && after === undefined;

/** Compares two positions of a list, last one first. */
export const compare = (a: Position, b: Position, sort: BotSort): number => {
  const order = botOrders[sort];
  const byRank = order === undefined ? 0 : compareRanks(a.rank, b.rank);
  return (order?.first === 'lowest' ? -byRank : byRank) || a.seq - b.seq;
};

/** The opaque cursor of a position. It contains values, so it stays valid when its entry is removed. */
export const cursorOf = ({ seq, rank }: Position, sort: BotSort): string =>
  Buffer.from(`${sort}.${seq}.${JSON.stringify(rank)}`).toString('base64url');

const parseCursor =
  (sort: BotSort) =>
  (raw: string): Parsed<Position> => {
    const text = Buffer.from(raw, 'base64url').toString();
    const [, cursorSort, seq, json = ''] = /^(\w+)\.(\d{1,16})\.(.+)$/s.exec(text) ?? [];
    const wrong = refused('is not a cursor of this list; take it from the Link header, with the same sort');
    const rank = fromJson(json);
    if (cursorSort !== sort || !isRankOf(botOrders[sort], rank)) return wrong;
    const position = { seq: Number(seq), rank };
    return cursorOf(position, sort) === raw ? accepted(position) : wrong;
  };

const fromJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const parseLimit = (raw: string): Parsed<number> => {
  const limit = /^\d{1,4}$/.test(raw) ? Number(raw) : 0;
  return limit >= 1 && limit <= limits.pageSize
    ? accepted(limit)
    : refused(`must be a whole number from 1 to ${limits.pageSize}`);
};

const parseSort = (raw: string): Parsed<BotSort> => {
  const sort = botSorts.find((name) => name === raw);
  return sort === undefined ? refused(`must be one of ${botSorts.join(', ')}`) : accepted(sort);
};

const parseWords = (raw: string): Parsed<readonly string[]> => {
  if (raw.length > limits.queryLength) return refused(`must have at most ${limits.queryLength} characters`);
  const words = searchWords(raw);
  if (words.length > limits.queryWords) return refused(`must have at most ${limits.queryWords} different words`);
  return words.length > 0 || raw.trim() === '' ? accepted(words) : refused('must have a letter or a digit');
};

const pagingOf = (read: Reader, sort: BotSort): Paging => {
  read.refuse(isForeignPaging, 'is not a parameter of this list; use limit and cursor');
  return { limit: read.one('limit', parseLimit), after: read.one('cursor', parseCursor(sort)) };
};

const isForeignPaging = (name: string): boolean =>
  name !== 'limit' && name !== 'cursor' && foreignPagingNames.has(name.toLowerCase().replace(/[^a-z]/g, ''));

type Reader = ReturnType<typeof reader>;

/** Parses known parameters and collects their errors; others are ignored. */
const reader = (query: URLSearchParams) => {
  const errors: FieldError[] = [];
  const take = <T>(name: string, result: Parsed<T>): T | undefined => {
    if (result.ok) return result.value;
    errors.push({ pointer: `?${name}`, detail: result.why });
    return undefined;
  };
  return {
    errors,
    one: <T>(name: string, parse: (raw: string) => Parsed<T>): T | undefined => {
      const [raw, ...others] = query.getAll(name);
      if (raw === undefined) return undefined;
      return take(name, others.length > 0 ? refused('must be given once') : parse(raw));
    },
    all: <T extends string>(name: string, parse: (raw: string) => Parsed<T>): T[] => {
      const values = query.getAll(name).map((raw) => take(name, parse(raw)));
      return [...new Set(values.filter((value) => value !== undefined))].sort();
    },
    refuse: (isRefused: (name: string) => boolean, why: string): void => {
      for (const name of new Set(query.keys())) if (isRefused(name)) take(name, refused(why));
    },
  };
};

const isFiltered = (listing: Listing): boolean =>
  listing.categories.length > 0 ||
  listing.integrations.length > 0 ||
  listing.author !== undefined ||
  listing.words.length > 0;
