/**
 * The service's public keys, fetched from its key route (`GET /api/webhooks/keys`) and kept for an hour. They are
 * refetched when a signature matches none of them, at most every 10 seconds; if that fails, the current ones stay in
 * force. The URL comes from the configuration, never from a request.
 */
import { ConfigurationError, KeysUnavailableError } from './errors.ts';
import { type KeySource, readKey } from './keys.ts';
import { timerMs } from './timer-ms.ts';

/** Options of fetching keys. */
export interface RemoteKeysOptions {
  /**
   * The `fetch` to use.
   * @default globalThis.fetch
   */
  fetch?: typeof fetch | undefined;
  /**
   * Time limit of one fetch, including the body, in milliseconds.
   * @default 5_000
   */
  timeoutMs?: number | undefined;
  /**
   * The current time, in milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
}

/** After how long keys are refetched. */
const maxAgeMs = 3_600_000;
/** Minimum time between two fetches, including failed ones: senders must not be able to make this flood the service. */
const floorMs = 10_000;

/** Makes the URL of the keys. Throws for a base URL that no fetch could read, or would read as something else. */
const keysAt = (base: string | URL): string => {
  try {
    const { href } = new URL(base);
    if (/^(https:|http:\/\/(localhost|127[\d.]+|\[::1])[:/])[^?#@]*$/.test(href))
      return href.replace(/\/*$/, '/api/webhooks/keys');
  } catch {
    // Not a URL.
  }
  throw new ConfigurationError('baseUrl must be a plain https:// URL, or http to this machine');
};

interface Listed {
  keys: ({ algorithm: unknown; public_key: string } | null)[];
}

/**
 * Makes a source of the keys of the service at `baseUrl`. Receivers can share it. Throws `ConfigurationError` unless
 * `baseUrl` is HTTPS, or HTTP to this machine.
 */
export const remoteKeys = (baseUrl: string | URL, options: RemoteKeysOptions = {}): KeySource => {
  const { fetch = globalThis.fetch, timeoutMs = 5_000, now = Date.now } = options;
  const url = keysAt(baseUrl);
  let keys: readonly string[] = [];
  let triedAt = -Infinity;
  let fetchedAt = -Infinity;
  // Setting the clock back counts as time passed; otherwise nothing would be fetched until it had caught up.
  const passed = (at: number): number => Math.abs(now() - at);
  /** The latest fetch, which resolves to why it failed. */
  let latest: Promise<unknown> | undefined;

  const refresh = async (): Promise<void> => {
    triedAt = now();
    // Not `redirect: 'error'`, which workers do not support.
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timerMs(timeoutMs)) });
    const { status, headers } = response;
    // A response of any other shape throws here or in readKey.
    const answer = status === 200 ? ((await response.json()) as Listed) : { keys: [] };
    const found = answer.keys.flatMap((key) => (key?.algorithm === 'ed25519' ? key.public_key : []));
    // A secret that anyone can fetch protects nothing.
    if (!found.length || found.some((key) => readKey(key).scheme === 'v1'))
      throw new Error(`status ${status}, ${headers.get('location') ?? 'no keys'}`);
    keys = found;
    fetchedAt = now();
  };

  return {
    async current(newer) {
      const isDue = newer || passed(fetchedAt) >= maxAgeMs;
      if (isDue && passed(triedAt) >= floorMs) latest = refresh().catch((error: unknown) => error);
      const failure = isDue && (await latest);
      if (!keys.length) throw new KeysUnavailableError(`${url}: ${String(failure)}`, failure);
      return keys;
    },
  };
};
