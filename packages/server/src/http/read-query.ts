/** Reads an API URL into a query of the directory: the same for every spelling of one query. */
import { limits } from '@bot-directory/contract';
import { parseBotQuery, parsePageQuery, type Listing, type ListingResult, type Paging } from '../domain/listing.ts';
import { invalidInput } from './inputs.ts';

/** A query of the directory. Equal queries have equal keys. */
export type Query = { readonly key: string } & (
  | { readonly of: 'bots'; readonly listing: Listing }
  | { readonly of: 'posts'; readonly paging: Paging }
  | { readonly of: 'bot'; readonly slug: string }
  | { readonly of: 'categories' | 'integrations' }
);

// `submit` is a route of its own, never a bot's slug.
const botPath = /^\/api\/bots\/(?!submit$)([^/]+)$/;

/** The query of a path and its search part; `undefined` for another route. Failure: invalid_request. */
export const readQuery = (path: string, search: string, categories: readonly string[]): Query | undefined => {
  if (!path.startsWith('/api/')) return undefined;
  if (path === '/api/bots') {
    const listing = valid(parseBotQuery(readParams(search), categories));
    return { of: 'bots', key: keyOf('bots', listing), listing };
  }
  if (path === '/api/feed') {
    const paging = valid(parsePageQuery(readParams(search)));
    return { of: 'posts', key: keyOf('posts', paging), paging };
  }
  if (path === '/api/categories') return { of: 'categories', key: 'categories' };
  if (path === '/api/integrations') return { of: 'integrations', key: 'integrations' };
  const slug = botPath.exec(path)?.[1];
  return slug === undefined ? undefined : { of: 'bot', key: `bot ${slug}`, slug };
};

/** The parameters, unless there are too many. */
const readParams = (search: string): URLSearchParams => {
  let count = search === '' ? 0 : 1;
  for (let i = search.indexOf('&'); i !== -1; i = search.indexOf('&', i + 1)) count += 1;
  if (count > limits.queryParameters)
    throw invalidInput([{ pointer: '?', detail: `must have at most ${limits.queryParameters} parameters` }]);
  return new URLSearchParams(search);
};

const keyOf = (kind: string, asked: Listing | Paging): string => `${kind} ${JSON.stringify(asked)}`;

const valid = <T>(result: ListingResult<T>): T => {
  if (!result.ok) throw invalidInput(result.errors);
  return result.value;
};
