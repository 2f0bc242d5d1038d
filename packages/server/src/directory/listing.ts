/** The query of a list, from the parameters of a URL: which entries, in which order, and which page of them. */
import {
  botQuery,
  botSorts,
  eventQuery,
  facetQuery,
  foreignBotNames,
  foreignEventNames,
  lettersOf,
  limits,
  loggedEventTypes,
  pageQuery,
  type BotSort,
  type FieldError,
  type LoggedEventType,
  type QueryValues,
} from '@bot-directory/contract';
import { parseHttpDate } from '../base/http-date.ts';
import type { EventId } from '../base/ids.ts';
import { accepted, onlyOnce, refused, type Parsed } from '../base/parsed.ts';
import { isCalendarDay, timestamp } from '../base/time.ts';
import { isUnfiltered, type BotFilter, type Subscription } from '../domain/subscription.ts';
import { parseCategory, parseOneIntegration } from '../domain/names.ts';
import { parseAuthor, parseTemplateLink, type TemplateLink } from '../domain/links.ts';
import { parseSearch } from '../domain/search.ts';
import { parseCursor, type Cursor } from './order.ts';

/** A page of any list. */
export type Paging = { readonly limit: number | undefined; readonly after: Cursor | undefined };

/** A page of the event log. `subscription`: undefined selects every event. */
export type LogQuery = {
  readonly limit: number;
  readonly after: EventId | undefined;
  readonly subscription: Subscription | undefined;
};

/** A caller's query of the bot list. */
export type Listing = Paging &
  BotFilter & {
    readonly sort: BotSort;
    readonly updatedSinceMs: number | undefined;
    /** The template of the only bot. */
    readonly template?: TemplateLink | undefined;
  };

/** What the values of a query are checked against: the known category names, and the host of template links. */
export type ListingRules = { readonly categories: readonly string[]; readonly templateHost: string };

/** The parsed query, or every parameter that was refused. */
export type ListingResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Parses the parameters of the bot list. */
export const parseBotQuery = (query: URLSearchParams, rules: ListingRules): ListingResult<Listing> => {
  const read = reader(query, botNames, foreignToBots);
  const sort = read.one('sort', parseSort) ?? 'newest';
  const listing: Listing = { ...pagingOf(read, sort), sort, ...selectionOf(read, rules) };
  return read.errors.length > 0 ? { ok: false, errors: read.errors } : { ok: true, value: listing };
};

/** Parses the parameters of counts: a filter alone. */
export const parseFacetQuery = (query: URLSearchParams, rules: ListingRules): ListingResult<Listing> => {
  const read = reader(query, facetNames, foreignToBots);
  const listing: Listing = { limit: undefined, after: undefined, sort: 'newest', ...selectionOf(read, rules) };
  return read.errors.length > 0 ? { ok: false, errors: read.errors } : { ok: true, value: listing };
};

/** Parses the parameters of a list that only has paging. */
export const parsePageQuery = (query: URLSearchParams): ListingResult<Paging> => {
  const read = reader(query, pagingNames, foreignToBots);
  const paging = pagingOf(read, 'newest');
  return read.errors.length > 0 ? { ok: false, errors: read.errors } : { ok: true, value: paging };
};

/** Parses the parameters of a list that has none: what can be taken for one is refused. */
export const parseNoQuery = (query: URLSearchParams): ListingResult<'whole'> => {
  const { errors } = reader(query, [], foreignToBots);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: 'whole' };
};

/** Parses the parameters of the event log. `allowed`: the known category names. */
export const parseEventQuery = (query: URLSearchParams, allowed: readonly string[]): ListingResult<LogQuery> => {
  const read = reader(query, eventNames, foreignToEvents);
  const chosen = read.all('type', parseType);
  const types = loggedEventTypes.filter((type) => chosen.length === 0 || chosen.includes(type));
  const subscription = { ...filterOf(read, allowed), types };
  const isAny = isUnfiltered(subscription) && types.length === loggedEventTypes.length;
  const asked = {
    limit: read.one('limit', parseLimit) ?? limits.pageSize,
    after: read.one('after', parseEventId),
    subscription: isAny ? undefined : subscription,
  };
  return read.errors.length > 0 ? { ok: false, errors: read.errors } : { ok: true, value: asked };
};

/**
 * The values of a query, for the address of its next page. They are made of the parsed query, not of what was sent: all
 * clients of a page get the same response.
 */
export const listingValues = ({ limit, sort, updatedSinceMs, template, ...filter }: Listing): QueryValues => ({
  ...filterValues(filter),
  link: template?.link,
  updated_since: updatedSinceMs === undefined ? undefined : timestamp(updatedSinceMs),
  sort: sort === 'newest' ? undefined : sort,
  limit,
});

/** The values of a query of the event log. */
export const logValues = ({ limit, subscription }: LogQuery): QueryValues => ({
  ...(subscription && filterValues(subscription)),
  type: subscription && subscription.types.length < loggedEventTypes.length ? subscription.types : undefined,
  limit,
});

const filterValues = ({ categories, integrations, author, words }: BotFilter): QueryValues => ({
  q: words.join(' '),
  category: categories,
  integration: integrations,
  author,
});

/** Whether a listing selects every bot, newest first. */
export const isWhole = (listing: Listing): boolean =>
  listing.sort === 'newest' &&
  listing.updatedSinceMs === undefined &&
  listing.template === undefined &&
  isUnfiltered(listing) &&
  isUnpaged(listing);

/** Whether a query selects all entries. */
export const isUnpaged = ({ limit, after }: Paging): boolean => limit === undefined && after === undefined;

const parseLimit = (raw: string): Parsed<number> => {
  const limit = /^\d{1,4}$/.test(raw) ? Number(raw) : 0;
  return limit >= 1 && limit <= limits.pageSize
    ? accepted(limit)
    : refused(`must be a whole number from 1 to ${limits.pageSize}`);
};

const parseEventId = (raw: string): Parsed<EventId> =>
  /^evt_[0-9A-Z]{26}$/.test(raw) ? accepted(raw as EventId) : refused('must be an event id, shaped evt_<id>');

const parseSort = (raw: string): Parsed<BotSort> => {
  const sort = botSorts.find((name) => name === raw);
  return sort === undefined ? refused(`must be one of ${botSorts.join(', ')}`) : accepted(sort);
};

/** Takes what `Last-Modified` says, too. */
const parseInstant = (raw: string): Parsed<number> => {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(raw);
  const ms = (isWhole && isCalendarDay(raw) ? Date.parse(raw) : parseHttpDate(raw)) ?? NaN;
  return ms >= 0
    ? accepted(ms)
    : refused('must be an instant such as 2026-11-21T05:56:35.166Z, with `+` sent as %2B, or a date of HTTP');
};

const parseType = (raw: string): Parsed<LoggedEventType> => {
  const type = loggedEventTypes.find((name) => name === raw);
  return type === undefined ? refused(`must be one of ${loggedEventTypes.join(', ')}`) : accepted(type);
};

const byRepeating = 'by repeating the parameter: integration=slack&integration=gmail';

const filterOf = (read: Reader, allowed: readonly string[]): BotFilter => ({
  categories: read.all('category', (raw) => parseCategory(raw, allowed)),
  integrations: read.all('integration', (raw) => parseOneIntegration(raw, byRepeating)),
  author: read.one('author', parseAuthor),
  words: read.one('q', parseSearch) ?? [],
});

const selectionOf = (read: Reader, { categories, templateHost }: ListingRules) => ({
  ...filterOf(read, categories),
  updatedSinceMs: read.one('updated_since', parseInstant),
  template: read.one('link', (raw) => parseTemplateLink(raw, templateHost)),
});

const pagingOf = (read: Reader, sort: BotSort): Paging => ({
  limit: read.one('limit', parseLimit),
  after: read.one('cursor', parseCursor(sort)),
});

const pagingNames: readonly string[] = Object.keys(pageQuery.shape);
const eventNames: readonly string[] = [...Object.keys(eventQuery.shape), 'include'];
const botNames: readonly string[] = [...Object.keys(botQuery.shape), 'include'];
const facetNames: readonly string[] = Object.keys(facetQuery.shape);

/** What a list refuses. Tools for agents ignore `include`: they return every field. */
const withInclude = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...names, ['include', '`include`'], ['includes', '`include`']]);

const foreignToBots = withInclude(foreignBotNames);
const foreignToEvents = withInclude(foreignEventNames);

/** The name of a parameter. Arrays are written `name[]` by axios and `name[0]` by PHP. */
export const nameOf = (sent: string): string => sent.replace(/^([^[]*)\[\d{0,3}\]$/, '$1');

/** What a name that a list lacks can be taken for: `limit[eq]` for `limit`. */
const takenFor = (name: string, foreign: ReadonlyMap<string, string>): string | undefined =>
  foreign.get(lettersOf(name)) ?? foreign.get(lettersOf(name.split('[', 1)[0] ?? ''));

/** Says what to send instead, as far as a list has it. */
const instead = (ours: string, known: readonly string[]): string => {
  if (known.length === 0) return 'it has none, and is always whole';
  const isHere = (ours.match(/[a-z_]+/g) ?? []).some((name) => known.includes(name)) || ours.startsWith('`/api/');
  return isHere ? `use ${ours}` : `it has ${known.map((name) => `\`${name}\``).join(', ')}`;
};

type Reader = ReturnType<typeof reader>;

/** Parses known parameters, refuses foreign ones, and collects the errors; others are ignored. */
const reader = (query: URLSearchParams, known: readonly string[], foreign: ReadonlyMap<string, string>) => {
  const errors: FieldError[] = [];
  const values = new Map<string, string[]>();
  const isTooLong = query.size > limits.queryParameters;
  if (isTooLong) errors.push({ pointer: '?', detail: `must have at most ${limits.queryParameters} parameters` });
  for (const [sent, value] of isTooLong ? [] : query) {
    const name = nameOf(sent);
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  for (const name of values.keys()) {
    const ours = known.includes(name) ? undefined : takenFor(name, foreign);
    if (ours !== undefined)
      errors.push({ pointer: `?${name}`, detail: `is not a parameter of this list; ${instead(ours, known)}` });
  }
  const take = <T>(name: string, result: Parsed<T>): T | undefined => {
    if (result.ok) return result.value;
    errors.push({ pointer: `?${name}`, detail: result.why });
    return undefined;
  };
  return {
    errors,
    one: <T>(name: string, parse: (raw: string) => Parsed<T>): T | undefined => {
      const [raw, ...others] = values.get(name) ?? [];
      if (raw === undefined) return undefined;
      return take(name, others.length > 0 ? refused(onlyOnce) : parse(raw));
    },
    all: <T extends string>(name: string, parse: (raw: string) => Parsed<T>): T[] => {
      const parsed = (values.get(name) ?? []).map((raw) => take(name, parse(raw)));
      return [...new Set(parsed.filter((value) => value !== undefined))].sort();
    },
  };
};
