/** Lists as async iterators: they follow the `Link` header (RFC 8288) from page to page. */
import { type Answer, withHidden } from './call.ts';
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
  /** Whether another page follows. */
  hasMore: boolean;
  /** Reads the page that follows; undefined after the last. A clone of this page lacks it. */
  next(): Promise<Page<Item> | undefined>;
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

/** What a list takes, as far as its pages are concerned. */
interface PageInput {
  limit?: number | undefined;
  cursor?: string | undefined;
}

type List<Item, Input> = (input: Input, options?: CallOptions) => { withResponse(): Promise<Answer<Item[]>> };

/** A page to read, and what was read before it. */
interface Reading<Item, Input> {
  list: List<Item, Input>;
  input: Input;
  options: CallOptions | undefined;
  /** The request for it, if it was sent already. */
  sent?: ReturnType<List<Item, Input>> | undefined;
  /** The cursors of the pages so far. */
  seen?: (string | undefined)[];
  /** Read so far, and to be read: bots that are added meanwhile are not, and those that leave no longer. */
  read?: number;
  expected?: number;
}

/** Rejects as the list does when its signal aborted before anything was sent. */
const aborted = async <Item, Input>({ list, input, options }: Reading<Item, Input>): Promise<never> => {
  await list(input, options).withResponse();
  throw options?.signal?.reason;
};

/** Reads a page. Its input must have a limit, unless the request was sent already. */
const read = async <Item, Input extends PageInput>(reading: Reading<Item, Input>): Promise<Page<Item>> => {
  const { list, input, options, sent, seen = [], read: before = 0 } = reading;
  const { limit = Infinity } = input;
  const { data: items, response, text } = await (sent ?? list(input, options)).withResponse();
  if (options?.signal?.aborted === true) await aborted(reading);
  const count = response.headers.get('x-total-count');
  const total = count === null ? undefined : Number(count);
  const cursor = nextCursor(response.headers.get('link'));
  const cursors = [...seen, input.cursor];
  const refuse = (why: string): never => {
    const cause = new TypeError(why);
    throw new DecodeError({ operation: 'paginate', attempts: 1 }, { response, text, cause });
  };
  const isCut = before === 0 || items.length >= limit;
  const expected = Math.min(reading.expected ?? (input.cursor === undefined ? Infinity : 0), total ?? Infinity);
  // Gateways drop headers: the end of what they leave is not the end of the list.
  const isMore = total === undefined ? items.length >= limit : isCut && before + items.length < expected;
  if (cursor === undefined && isMore) refuse('the link to the next page is missing');
  if (cursor !== undefined && cursors.includes(cursor)) refuse('the next page is one that was read before');
  const following = {
    list,
    input: { ...input, cursor },
    options,
    seen: cursors,
    read: before + items.length,
    expected,
  };
  return withHidden(
    { items, total, cursor, hasMore: cursor !== undefined },
    { next: async () => (cursor === undefined ? undefined : read(following)) },
  );
};

const withLimit = <Input extends PageInput>(input: Input): Input => ({ ...input, limit: input.limit ?? pageSize });

/** Reads one page, of 100 items unless the input has a `limit`. */
export const readPage = <Item, Input extends PageInput>(
  list: List<Item, Input>,
  input: Input,
  options?: CallOptions,
): Promise<Page<Item>> => read({ list, input: withLimit(input), options });

/** Iterates over what `list` returns, 100 items per request unless the input has a `limit`. */
export const paginate = <Item, Input extends PageInput>(
  list: List<Item, Input>,
  input: Input,
  options?: CallOptions,
): Pages<Item> => iterate({ list, input: withLimit(input), options });

/** Makes a list's call iterable: the response is its first page, and those that follow are requested when reached. */
export const iterable =
  <Item, Input extends PageInput, Listed extends ReturnType<List<Item, Input>>>(
    list: (input: Input, options?: CallOptions) => Listed & ReturnType<List<Item, Input>>,
  ) =>
  (input: Input = {} as Input, options?: CallOptions): Listed & AsyncIterable<Item> => {
    const sent = list(input, options);
    const pages = iterate<Item, Input>({ list, input, options, sent });
    return Object.assign(sent, { [Symbol.asyncIterator]: () => pages[Symbol.asyncIterator]() });
  };

const iterate = <Item, Input extends PageInput>(reading: Reading<Item, Input>): Pages<Item> => {
  const { options } = reading;
  async function* pages(signal: AbortSignal): AsyncGenerator<Page<Item>> {
    const abortable = { ...reading, options: { ...options, signal } };
    let page: Page<Item> | undefined = await read(abortable);
    for (; page !== undefined; page = await page.next()) yield page;
    if (signal.aborted) await aborted(abortable);
  }
  async function* entries(signal: AbortSignal): AsyncGenerator<Item> {
    for await (const { items } of pages(signal)) {
      for (const item of items) {
        if (signal.aborted) await aborted({ ...reading, options: { ...options, signal } });
        yield item;
      }
    }
  }
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
