/**
 * The service's public keys, fetched from its key route (`GET /api/webhooks/keys`) and kept for an hour. They are
 * fetched anew when a signature matches none, though seldom; when that fails, those at hand stay in force. The
 * address comes from the configuration, never from a request.
 */
import { KeysUnavailableError } from './errors.ts';
import { type KeySource, readKey } from './keys.ts';
import { readStream } from './read-stream.ts';

/** How keys are fetched. */
export interface RemoteKeysOptions {
  /** The global `fetch` unless given. */
  fetch?: typeof fetch | undefined;
  /** After how long keys are fetched anew, in milliseconds. One hour unless given. */
  maxAgeMs?: number | undefined;
  /** Least time between two fetches while keys are at hand, in milliseconds. 30 seconds unless given. */
  floorMs?: number | undefined;
  /** For one fetch, body included, in milliseconds. 5 seconds unless given. */
  timeoutMs?: number | undefined;
  /** Milliseconds since 1970. `Date.now` unless given. */
  now?: (() => number) | undefined;
}

const keysPath = '/api/webhooks/keys';
/** Least time between two fetches while there are no keys: whoever posts here must not make this a hammer. */
const emptyFloorMs = 1_000;
const maxKeys = 8;
const maxBytes = 65_536;

/** The keys of the service at `baseUrl`: HTTPS, or HTTP to this machine. Share one among receivers. */
export const remoteKeys = (baseUrl: string, options: RemoteKeysOptions = {}): KeySource => {
  const { maxAgeMs = 3_600_000, floorMs = 30_000, now = Date.now } = options;
  const url = keysUrl(baseUrl);
  let keys: readonly string[] | undefined;
  let [triedAt, fetchedAt] = [-Infinity, -Infinity];
  let running: Promise<void> | undefined;
  let failure: unknown;

  const refresh = async (): Promise<void> => {
    triedAt = now();
    try {
      const found = await fetchKeys(url, options);
      // The same array means the same keys to whoever asked.
      if (found.join() !== keys?.join()) keys = found;
      fetchedAt = now();
    } catch (error) {
      failure = error;
    }
  };
  const mayRefresh = () => now() - triedAt >= (keys === undefined ? emptyFloorMs : floorMs);

  return {
    async current(asked) {
      const due = keys === undefined || asked.refresh || now() - fetchedAt >= maxAgeMs;
      if (due && running === undefined && mayRefresh()) running = refresh().finally(() => (running = undefined));
      if (due) await running;
      if (keys === undefined) throw new KeysUnavailableError(`no keys from ${url}`, { cause: failure });
      return keys;
    },
  };
};

const keysUrl = (baseUrl: string): string => {
  const url = new URL(baseUrl);
  const local = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) throw new TypeError('keys are fetched over https only');
  return baseUrl.replace(/\/+$/, '') + keysPath;
};

const fetchKeys = async (url: string, { fetch = globalThis.fetch, timeoutMs = 5_000 }: RemoteKeysOptions): Promise<string[]> => {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`no keys within ${timeoutMs} ms`)), timeoutMs);
  try {
    // Not `redirect: 'error'`, which workers lack: a redirect is then an answer like any other that is not 200.
    const response = await fetch(url, { redirect: 'manual', headers: { accept: 'application/json' }, signal: deadline.signal });
    if (response.status !== 200) throw new Error(`the key route answered ${response.status}`);
    const bytes = await readStream(response.body, maxBytes);
    if (bytes === null) throw new Error('the key route answered too much');
    return publicKeys(JSON.parse(new TextDecoder().decode(bytes)));
  } finally {
    clearTimeout(timer);
  }
};

/** The ed25519 keys of an answer; what this version does not know is left out. */
const publicKeys = (answer: unknown): string[] => {
  const listed: unknown = property(answer, 'keys');
  if (!Array.isArray(listed)) throw new Error('the key route answered no list of keys');
  const keys = listed.flatMap((entry) => {
    const text = property(entry, 'public_key');
    return property(entry, 'algorithm') === 'ed25519' && typeof text === 'string' ? [text] : [];
  });
  // A shared secret that anyone may fetch is none: only public keys count.
  if (keys.length === 0 || keys.some((key) => readKey(key).scheme !== 'v1a')) throw new Error('the key route answered no ed25519 keys');
  return keys.slice(0, maxKeys);
};

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
