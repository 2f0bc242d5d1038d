/**
 * A caching `fetch`: it keeps responses with their ETag and revalidates them, so only changed data is sent again. It is
 * separate from the client (decision 0090).
 */
import type { Fetch } from './options.ts';

/** A cached response. */
export interface CachedResponse {
  /** Its ETag. */
  etag: string;
  /** Its other headers. */
  headers: Array<[name: string, value: string]>;
  /** Its body. */
  text: string;
}

/** Where responses are cached, by URL. A `Map` works. */
export interface ResponseStore {
  /** Returns the response cached for this URL. */
  get(url: string): CachedResponse | undefined | Promise<CachedResponse | undefined>;
  /** Stores a response, replacing an earlier one for the same URL. */
  set(url: string, response: CachedResponse): unknown;
}

/** Options of a caching fetch. */
export interface CacheOptions {
  /**
   * Where responses are cached.
   * @default the last 100 URLs requested, in memory
   */
  store?: ResponseStore | undefined;
  /**
   * Sends the requests.
   * @default the global `fetch`
   */
  fetch?: Fetch | undefined;
}

/**
 * Makes a `fetch` for `createClient`. An unchanged response is not sent again: polling a list costs one 304. Browsers
 * do this by themselves.
 * @example
 * const directory = createClient({ baseUrl, fetch: cachingFetch() });
 * await directory.bots.list();
 * console.log((await directory.bots.list()).length, 'bots, sent once');
 */
export const cachingFetch = (options: CacheOptions = {}): Fetch => {
  const { store = memoryStore(100), fetch: sendWith = sendWithGlobal } = options;
  const send = async (...args: Parameters<Fetch>) => (await sendWith(...args)) as Response;
  return async (url, init) => {
    const isAskedByCaller = 'if-none-match' in init.headers;
    if (init.method !== 'GET' || isAskedByCaller || isStream(init.headers.accept)) return send(url, init);
    const kept = await store.get(url);
    if (kept === undefined) return remember(store, url, await send(url, init));
    const response = await send(url, { ...init, headers: { ...init.headers, 'if-none-match': kept.etag } });
    return response.status === 304 ? revived(kept, response) : remember(store, url, response);
  };
};

// Looked up on each call, and called without a receiver: browsers throw when `fetch` is called as a method of another
// object.
const sendWithGlobal: Fetch = (url, init) => fetch(url, init);

const isStream = (mediaType: string | null | undefined): boolean =>
  mediaType?.toLowerCase().startsWith('text/event-stream') === true;

const remember = async (store: ResponseStore, url: string, response: Response): Promise<Response> => {
  const etag = response.headers.get('etag');
  if (response.status !== 200 || etag === null || isStream(response.headers.get('content-type'))) return response;
  const { status, statusText, headers } = response;
  const text = await response.text();
  await store.set(url, { etag, headers: [...headers], text });
  return new Response(text, { status, statusText, headers });
};

/** Returns the cached response, with the headers that the 304 updates. */
const revived = (kept: CachedResponse, unchanged: Response): Response => {
  const headers = new Headers(kept.headers);
  unchanged.headers.forEach((value, name) => headers.set(name, value));
  return new Response(kept.text, { status: 200, statusText: 'OK', headers });
};

const memoryStore = (most: number): ResponseStore => {
  const responses = new Map<string, CachedResponse>();
  /** Re-inserts a response, so that the least recently requested one is dropped first. */
  const touch = (url: string, response: CachedResponse): void => {
    responses.delete(url);
    responses.set(url, response);
  };
  return {
    get: (url) => {
      const kept = responses.get(url);
      if (kept !== undefined) touch(url, kept);
      return kept;
    },
    set: (url, response) => {
      touch(url, response);
      for (const oldest of responses.keys()) if (responses.size > most) responses.delete(oldest);
    },
  };
};
