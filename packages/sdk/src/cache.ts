/** A `fetch` that asks only for what has changed: it keeps responses by their ETag, and takes a 304 for the one it has. */
import type { Fetch } from './options.ts';

/** A response that is kept. */
export interface CachedResponse {
  /** Its ETag. */
  etag: string;
  /** Its other headers. */
  headers: Array<[name: string, value: string]>;
  /** Its body. */
  text: string;
}

/** Where responses are kept, by their address. A `Map` is one. */
export interface ResponseStore {
  /** The response kept for this address. */
  get(url: string): CachedResponse | undefined | Promise<CachedResponse | undefined>;
  /** Keeps it in place of an earlier one. */
  set(url: string, response: CachedResponse): unknown;
}

/** Options of a caching fetch. */
export interface CacheOptions {
  /**
   * Where responses are kept.
   * @default the last 100 addresses asked for, in memory
   */
  store?: ResponseStore | undefined;
  /**
   * Sends the requests.
   * @default the global `fetch`
   */
  fetch?: Fetch | undefined;
}

/**
 * Makes a `fetch` for `createClient`. A response that is still what the server has is not sent again: polling a list costs
 * a 304. A browser's own cache does the same unasked.
 * @example
 * const directory = createClient({ baseUrl, fetch: cachingFetch() });
 * await directory.bots.list();
 * console.log((await directory.bots.list()).length, 'bots, sent once');
 */
export const cachingFetch = (options: CacheOptions = {}): Fetch => {
  const { store = memoryStore(100), fetch: send = sendWithGlobal } = options;
  return async (url, init) => {
    const isAskedByCaller = init.headers.has('if-none-match');
    if (init.method !== 'GET' || isAskedByCaller || isStream(init.headers.get('accept'))) return send(url, init);
    const kept = await store.get(url);
    if (kept === undefined) return remember(store, url, await send(url, init));
    const headers = new Headers(init.headers);
    headers.set('if-none-match', kept.etag);
    const response = await send(url, { ...init, headers });
    return response.status === 304 ? revived(kept, response) : remember(store, url, response);
  };
};

// Looked up at the time of the call, and called bare: a browser refuses it as the method of another object.
const sendWithGlobal: Fetch = (url, init) => fetch(url, init);

const isStream = (mediaType: string | null): boolean => mediaType?.startsWith('text/event-stream') === true;

const remember = async (store: ResponseStore, url: string, response: Response): Promise<Response> => {
  const etag = response.headers.get('etag');
  if (response.status !== 200 || etag === null || isStream(response.headers.get('content-type'))) return response;
  const { status, statusText, headers } = response;
  const text = await response.text();
  await store.set(url, { etag, headers: [...headers], text });
  return new Response(text, { status, statusText, headers });
};

/** The kept response, with what the 304 says anew. */
const revived = (kept: CachedResponse, unchanged: Response): Response => {
  const headers = new Headers(kept.headers);
  unchanged.headers.forEach((value, name) => headers.set(name, value));
  return new Response(kept.text, { status: 200, statusText: 'OK', headers });
};

const memoryStore = (most: number): ResponseStore => {
  const responses = new Map<string, CachedResponse>();
  return {
    get: (url) => responses.get(url),
    set: (url, response) => {
      // Last asked for, last to go.
      responses.delete(url);
      responses.set(url, response);
      for (const oldest of responses.keys()) if (responses.size > most) responses.delete(oldest);
    },
  };
};
