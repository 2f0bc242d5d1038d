/** Lists as async iterators: they follow the `Link` header (RFC 8288) from page to page. */
import { type Answer, withHidden } from './call.ts';
import { closable } from './closable.ts';
import { DecodeError } from './errors.ts';
import { type CallOptions, given } from './options.ts';

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

/** Reads a page. Its input must have a limit, unless the request was sent already. */
const read = async <Item, Input extends PageInput>(reading: Reading<Item, Input>): Promise<Page<Item>> => {
  const { list, input, options, seen = [], read: before = 0, sent = list(input, options) } = reading;
  const { limit = Infinity } = input;
  const { data: items, response, text } = await sent.withResponse();
  if (options?.signal?.aborted === true) await aborted(reading);
  const count = response.headers.get('x-total-count');
  const total = count === null ? undefined : Number(count);
  const cursor = nextCursor(response.headers.get('link'));
  const cursors = [...seen, input.cursor];
  const isCut = before === 0 || items.length >= limit;
  const expected = Math.min(reading.expected ?? (input.cursor === undefined ? Infinity : 0), total ?? Infinity);
  // Gateways drop headers: the end of what they leave is not the end of the list.
  const isMore = total === undefined ? items.length >= limit : isCut && before + items.length < expected;
  const why =
    cursor === undefined
      ? isMore && 'the link to the next page is missing'
      : cursors.includes(cursor) && 'the next page is one that was read before';
  if (why) throw new DecodeError({ operation: 'paginate', attempts: 1 }, { response, text, cause: new TypeError(why) });
  const following = {
    ...reading,
    input: { ...input, cursor },
    sent: undefined,
    seen: cursors,
    read: before + items.length,
    expected,
  };
  return withHidden(
    { items, total, cursor, hasMore: cursor !== undefined },
    { next: async () => (cursor === undefined ? undefined : read(following)) },
  );
};

const withLimit = <Input extends PageInput>(input = {} as Input) => ({ limit: 100, ...given(input) }) as Input;

/** Reads one page, of 100 items unless the input has a `limit`. */
export const readPage = <Item, Input extends PageInput>(
  list: List<Item, Input>,
  input?: Input,
  options?: CallOptions,
): Promise<Page<Item>> => read({ list, input: withLimit(input), options });

/** Iterates over what `list` returns, 100 items per request unless the input has a `limit`. */
export const paginate = <Item, Input extends PageInput>(
  list: List<Item, Input>,
  input?: Input,
  options?: CallOptions,
): Pages<Item> => iterate({ list, input: withLimit(input), options });

/** Makes a list's call iterable: the response is its first page, and those that follow are requested when reached. */
export const iterable = <Item, Input extends PageInput, Listed extends ReturnType<List<Item, Input>>>(
  list: (input: Input, options?: CallOptions) => Listed & ReturnType<List<Item, Input>>,
  input = {} as Input,
  options?: CallOptions,
): Listed & AsyncIterable<Item> => {
  const sent = list(input, options);
  const { [Symbol.asyncIterator]: entries } = iterate<Item, Input>({ list, input, options, sent });
  return Object.assign(sent, { [Symbol.asyncIterator]: entries });
};

const iterate = <Item, Input extends PageInput>(reading: Reading<Item, Input>): Pages<Item> => {
  const over = <T>(yielded: (page: Page<Item>) => T[]): AsyncGenerator<T, void, undefined> =>
    closable(reading.options?.signal, async function* (signal) {
      const abortable = { ...reading, options: { ...reading.options, signal } };
      for (let page: Page<Item> | undefined = await read(abortable); page; page = await page.next()) {
        for (const one of yielded(page)) {
          if (signal.aborted) await aborted(abortable);
          yield one;
        }
      }
      if (signal.aborted) await aborted(abortable);
    });
  const entries = () => over((page) => page.items);
  return {
    byPage: () => over((page) => [page]),
    [Symbol.asyncIterator]: entries,
    collect: async (max) => {
      const items: Item[] = [];
      if (max > 0) for await (const item of entries()) if (items.push(item) >= max) break;
      return items;
    },
  };
};

/** Rejects as the list does when its signal aborted before anything was sent. */
const aborted = async <Item, Input>({ list, input, options }: Reading<Item, Input>): Promise<never> => {
  await list(input, options).withResponse();
  throw options?.signal?.reason;
};

/** A link to the page with a cursor, parameters of it, and the one that says that it is the next. */
const target = /<[^>?#]*\?(?:[^>#]*&)?cursor=([^>&#]*)[^>]*>/;
const parameter = /\s*;\s*[^=;,\s"]+\s*=?\s*(?:"(?:\\.|[^"\\])*"|[^;,\s"]*)/;
const relation = /\s*;\s*rel\s*=\s*"?(?:[^",;]*\s)?next(?:["\s,;]|$)/;

/**
 * Returns the next page's cursor. Nothing else is taken from the link, so no page can send requests to another host.
 * Not with `URLSearchParams`, which React Native has only in part.
 */
const nextCursor = (link: string | null): string | undefined => {
  const next = new RegExp(`${target.source}(?:${parameter.source})*?${relation.source}`, 'i');
  const [, cursor] = next.exec(String(link)) ?? [];
  return cursor && decodeURIComponent(cursor.replace(/\+/g, ' '));
};
