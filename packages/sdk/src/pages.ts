/** Lists as async iterators: they follow the `Link` header (RFC 8288) from page to page. */
import type { Answer } from './call.ts';
import { closable } from './closable.ts';
import { DecodeError } from './errors.ts';
import type { CallOptions } from './options.ts';

/** One page of a list. */
export interface Page<Item> {
  /** The items, in the list's order. */
  items: Item[];
  /** How many items match, over all pages; undefined if the server does not say. */
  total: number | undefined;
  /** Pass it as `cursor` to continue later; undefined on the last page. */
  cursor: string | undefined;
}

/**
 * A list to iterate over, by item or by page. Nothing is requested before the first step; each page is requested when
 * it is reached.
 */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** Iterates over pages instead of items, with the total and the next cursor. */
  byPage(): AsyncIterable<Page<Item>>;
  /** Collects the first `max` items into an array, and requests no more pages than needed. */
  collect(max: number): Promise<Item[]>;
}

const pageSize = 100;

/** Iterates over what `list` returns, 100 items per request unless the input has a `limit`. */
export const paginate = <Item, Input extends { limit?: number | undefined; cursor?: string | undefined }>(
  list: (input: Input, options?: CallOptions) => { withResponse(): Promise<Answer<Item[]>> },
  input: Input,
  options?: CallOptions,
): Pages<Item> => {
  async function* pages(signal: AbortSignal): AsyncGenerator<Page<Item>> {
    let { cursor } = input;
    const { limit = pageSize } = input;
    const seen = new Set<string>();
    // Read so far, and to be read: bots that are added meanwhile are not, and those that leave no longer.
    let read = 0;
    let expected = cursor === undefined ? Infinity : 0;
    do {
      if (cursor !== undefined) seen.add(cursor);
      const {
        data: items,
        response,
        text,
      } = await list({ ...input, limit, cursor }, { ...options, signal }).withResponse();
      const sent = response.headers.get('x-total-count');
      const total = sent === null ? undefined : Number(sent);
      cursor = nextCursor(response.headers.get('link'));
      const refuse = (why: string): never => {
        const cause = new TypeError(why);
        throw new DecodeError({ operation: 'paginate', attempts: 1 }, { response, text, cause });
      };
      if (cursor !== undefined && seen.has(cursor)) refuse('the next page is one that was read before');
      const isCut = read === 0 || items.length >= limit;
      read += items.length;
      expected = Math.min(expected, total ?? expected);
      // Gateways drop headers: the end of what they leave is not the end of the list.
      const isMore = total === undefined ? items.length >= limit : isCut && read < expected;
      if (signal.aborted) await aborted(signal);
      if (cursor === undefined && isMore) refuse('the link to the next page is missing');
      yield { items, total, cursor };
    } while (cursor !== undefined);
    if (signal.aborted) await aborted(signal);
  }
  async function* entries(signal: AbortSignal): AsyncGenerator<Item> {
    for await (const { items } of pages(signal)) {
      for (const item of items) {
        if (signal.aborted) await aborted(signal);
        yield item;
      }
    }
  }
  /** Rejects as the list does when its signal aborted before anything was sent. */
  const aborted = async (signal: AbortSignal): Promise<never> => {
    await list(input, { ...options, signal }).withResponse();
    throw signal.reason;
  };
  return {
    byPage: () => closable(options?.signal, pages),
    [Symbol.asyncIterator]: () => closable(options?.signal, entries),
    collect: async (max) => {
      const items: Item[] = [];
      if (max > 0) for await (const item of closable(options?.signal, entries)) if (items.push(item) >= max) break;
      return items;
    },
  };
};

/** Returns the query's cursor. Not with `URLSearchParams`, which React Native has only in part. */
const cursorIn = (query = ''): string | undefined => {
  const value = /(?:^|&)cursor=([^&]*)/.exec(query)?.[1];
  return value && decodeURIComponent(value.replace(/\+/g, ' '));
};

/** The parts of a `Link` header: a link's target, or the name and the value of one of its parameters. */
const linkParts = /<([^>]*)>|;\s*([^=;,\s"]+)\s*=?\s*("(?:\\.|[^"\\])*"|[^;,\s"]*)/g;

/**
 * Returns the next page's cursor. Nothing else is taken from the link, so no page can send requests to another host.
 */
const nextCursor = (link: string | null): string | undefined => {
  let query: string | undefined;
  for (const [, target, name = '', value = ''] of (link ?? '').matchAll(linkParts)) {
    if (target !== undefined) query = /^[^?#]*\?([^#]*)/.exec(target)?.[1];
    else if (/^rel$/i.test(name) && /(?:^|["\s])next(?:$|["\s])/i.test(value)) return cursorIn(query);
  }
  return undefined;
};
