/** Lists as async iterators: they follow the `Link` header (RFC 8288) from page to page. */
import { type Answer, withHidden } from './call.ts';
import { closable } from './closable.ts';
import { DecodeError } from './errors.ts';
import { type CallOptions, given } from './options.ts';

/** One page of a list. A copy of it (`{ ...page }`, `structuredClone`) lacks `next`, as its type says. */
export declare class Page<Item> {
  /** The items, in the list's order. */
  items: Item[];
  /** How many items match, over all pages; undefined if a gateway dropped the header that says it. */
  total: number | undefined;
  /** Pass it as `cursor` to continue later; undefined on the last page. */
  cursor: string | undefined;
  /** Whether another page follows. */
  hasMore: boolean;
  /** Reads the page that follows; undefined after the last. */
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
  options: CallOptions;
  /** The cursors of the pages so far. */
  seen?: (string | undefined)[];
  /** How many items were read, and how many there are; NaN if the server does not say. */
  read?: number;
  expected?: number;
}

/** Reads a page. Its input must have a limit, unless the request was sent already. */
const read = async <Item, Input extends PageInput>(
  reading: Reading<Item, Input>,
  sent = reading.list(reading.input, reading.options),
): Promise<Page<Item>> => {
  const { input, seen = [], read: before = 0 } = reading;
  const { limit = Infinity, cursor: own } = input;
  const { data: items, response, text } = await sent.withResponse();
  await refuseAborted(reading);
  const count = response.headers.get('x-total-count');
  const total = count === null ? undefined : Number(count);
  const cursor = nextCursor(response.headers.get('link'));
  // Bots that are added meanwhile are not expected, and those that leave no longer are.
  const { expected = own === undefined ? Infinity : 0 } = reading;
  const following = {
    ...reading,
    input: { ...input, cursor },
    seen: [...seen, own],
    read: before + items.length,
    expected: Math.min(expected, Number(total)),
  };
  // Gateways drop headers: the end of what they leave is not the end of the list.
  const isWhole = items.length < limit || following.read >= following.expected;
  const why =
    cursor === undefined
      ? !isWhole && 'the link to the next page is missing'
      : following.seen.includes(cursor) && 'the next page is one that was read before';
  if (why) throw new DecodeError({ operation: 'paginate', attempts: 1 }, { response, text, cause: new TypeError(why) });
  const next = async () => (cursor === undefined ? undefined : read(following));
  return withHidden({ items, total, cursor, hasMore: cursor !== undefined }, 'next', next);
};

const withLimit = <Input extends PageInput>(input = {} as Input) => ({ limit: 100, ...given(input) }) as Input;

/** Reads one page, of 100 items unless the input has a `limit`. */
export const readPage = <Item, Input extends PageInput>(
  list: List<Item, Input>,
  input?: Input,
  options: CallOptions = {},
): Promise<Page<Item>> => read({ list, input: withLimit(input), options });

/** Iterates over what `list` returns, 100 items per request unless the input has a `limit`. */
export const paginate = <Item, Input extends PageInput>(
  list: List<Item, Input>,
  input?: Input,
  options: CallOptions = {},
): Pages<Item> => iterate({ list, input: withLimit(input), options });

/** Makes a list's call iterable: the response is its first page, and those that follow are requested when reached. */
export const iterable = <Item, Input extends PageInput, Listed extends ReturnType<List<Item, Input>>>(
  list: (input: Input, options?: CallOptions) => Listed & ReturnType<List<Item, Input>>,
  input = {} as Input,
  options: CallOptions = {},
): Listed & AsyncIterable<Item> => {
  const sent = list(input, options);
  const { [Symbol.asyncIterator]: entries } = iterate<Item, Input>({ list, input, options }, sent);
  return Object.assign(sent, { [Symbol.asyncIterator]: entries });
};

const iterate = <Item, Input extends PageInput>(
  reading: Reading<Item, Input>,
  sent?: ReturnType<List<Item, Input>>,
): Pages<Item> => {
  const over = <T>(yielded: (page: Page<Item>) => T[]): AsyncGenerator<T, void, undefined> =>
    closable(reading.options, async function* (signal) {
      const abortable = { ...reading, options: { ...reading.options, signal } };
      for (let page: Page<Item> | undefined = await read(abortable, sent); page; page = await page.next()) {
        for (const one of yielded(page)) {
          yield one;
          await refuseAborted(abortable);
        }
      }
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

/** Rejects if the signal has aborted, as the list does when that was so before anything was sent. */
const refuseAborted = async <Item, Input>({ list, input, options }: Reading<Item, Input>): Promise<void> => {
  if (options.signal?.aborted !== true) return;
  await list(input, options).withResponse();
  throw options.signal.reason;
};

/**
 * A link whose query has a cursor, and whose parameters, which may be quoted, say that it is the next. Nothing else is
 * taken from the link, so no page can send requests to another host.
 */
const nextLink =
  /<[^>?#]*\?(?:[^>#]*&)?cursor=([^>&#]*)[^>]*>(?:[^<"]|"(?:\\.|[^"\\])*")*?;\s*rel\s*=\s*"?(?:[^",;]*\s)?next(?:["\s,;]|$)/i;

/** Returns the next page's cursor. Not with `URLSearchParams`, which React Native has only in part. */
const nextCursor = (link: string | null): string | undefined => {
  const [, cursor] = nextLink.exec(String(link)) ?? [];
  return cursor && decodeURIComponent(cursor.replace(/\+/g, ' '));
};
