/** What a URL asks of the directory: read once for each URL, and the same for every spelling of one question. */
import type { Failure } from '../base/failure.ts';
import { parseBotQuery, parsePageQuery, type Listing, type ListingResult, type Paging } from '../domain/listing.ts';
import { invalidInput } from './inputs.ts';

/** A question to the directory. Equal questions have equal keys. */
export type Question = { readonly key: string } & (
  | { readonly of: 'bots'; readonly listing: Listing; readonly params: URLSearchParams }
  | { readonly of: 'posts'; readonly paging: Paging; readonly params: URLSearchParams }
  | { readonly of: 'bot'; readonly slug: string }
  | { readonly of: 'categories' | 'integrations' }
);

/** The question of a request's path and query; a Failure when a parameter is not valid; `undefined` for another route. */
export type ReadQuestion = (url: string) => Question | Failure | undefined;

const maxRemembered = 2_000;

/** Reads URLs. `categories`: the names that may be asked for. */
export const createReadQuestion = (categories: readonly string[]): ReadQuestion => {
  const remembered = new Map<string, ReturnType<ReadQuestion>>();
  return (url) => {
    const known = remembered.get(url);
    if (known !== undefined || remembered.has(url)) return known;
    const question = readQuestion(url, categories);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(url, question);
    return question;
  };
};

// `submit` is a route of its own, and no bot's slug.
const botPath = /^\/api\/bots\/(?!submit$)([^/]+)$/;

const readQuestion = (url: string, categories: readonly string[]): ReturnType<ReadQuestion> => {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const params = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
  if (path === '/api/bots') {
    return valid(parseBotQuery(params, categories), (listing) => ({
      of: 'bots',
      key: keyOf('bots', listing),
      listing,
      params,
    }));
  }
  if (path === '/api/feed') {
    return valid(parsePageQuery(params), (paging) => ({ of: 'posts', key: keyOf('posts', paging), paging, params }));
  }
  if (path === '/api/categories') return { of: 'categories', key: 'categories' };
  if (path === '/api/integrations') return { of: 'integrations', key: 'integrations' };
  const slug = botPath.exec(path)?.[1];
  return slug === undefined ? undefined : { of: 'bot', key: `bot ${slug}`, slug };
};

const keyOf = (kind: string, asked: Listing | Paging): string => `${kind} ${JSON.stringify(asked)}`;

const valid = <T>(result: ListingResult<T>, question: (value: T) => Question): Question | Failure =>
  result.ok ? question(result.value) : invalidInput(result.errors);
