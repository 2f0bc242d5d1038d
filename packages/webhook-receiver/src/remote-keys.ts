/**
 * The service's public keys, fetched from its key route (`GET /api/webhooks/keys`) and kept for an hour. They are
 * fetched anew when a signature matches none, though seldom; when that fails, those at hand stay in force. The
 * address comes from the configuration, never from a request.
 */
import { ConfigurationError, KeysUnavailableError } from './errors.ts';
import { type KeySource, readKey } from './keys.ts';

/** How keys are fetched. */
export interface RemoteKeysOptions {
  /**
   * Fetches them.
   * @default globalThis.fetch
   */
  fetch?: typeof fetch | undefined;
  /**
   * For one fetch, body included, in milliseconds.
   * @default 5_000
   */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
}

/** After how long keys are fetched anew. */
const maxAgeMs = 3_600_000;
/** Least time between two fetches, failed ones included: whoever posts here must not make this a hammer. */
const floorMs = 10_000;

interface Listed {
  keys: ({ algorithm: unknown; public_key: string } | null)[];
}

/** The keys of the service at `baseUrl`: HTTPS, or HTTP to this machine; else `ConfigurationError`. Share one among receivers. */
export const remoteKeys = (baseUrl: string | URL, options: RemoteKeysOptions = {}): KeySource => {
  const { fetch = globalThis.fetch, timeoutMs = 5_000, now = Date.now } = options;
  const base = String(baseUrl);
  const url = `${base.replace(/\/+$/, '')}/api/webhooks/keys`;
  if (!/^(https:\/\/.|http:\/\/(localhost|127\.0\.0\.1)[:/])/i.test(url)) {
    const fault = /^\w+:\/\//.test(base) ? 'must be https, or http to this machine' : 'must begin with https://';
    throw new ConfigurationError(base ? `baseUrl ${fault}` : 'give keys or baseUrl');
  }
  let keys: readonly string[] = [];
  let triedAt = -Infinity;
  let fetchedAt = -Infinity;
  let latest: Promise<void> | undefined;
  let failure: unknown;

  const refresh = async (): Promise<void> => {
    triedAt = now();
    // Not `redirect: 'error'`, which workers lack: a redirect is then an answer like any other that is not 200.
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    // An answer of any other shape throws here or in readKey.
    const answer = (await response.json()) as Listed;
    const found = answer.keys.flatMap((key) => (key?.algorithm === 'ed25519' ? key.public_key : []));
    // A secret that anyone can fetch protects nothing.
    if (response.status !== 200 || !found.length || found.some((key) => readKey(key).scheme === 'v1'))
      throw new Error(`status ${response.status}`);
    // The same array means the same keys to whoever asked.
    if (found.join() !== keys.join()) keys = found;
    fetchedAt = now();
  };

  return {
    async current(newer) {
      if (!keys.length || newer || now() - fetchedAt >= maxAgeMs) {
        if (now() - triedAt >= floorMs) latest = refresh().catch((error: unknown) => void (failure = error));
        await latest;
      }
      if (!keys.length) throw new KeysUnavailableError(url, failure);
      return keys;
    },
  };
};
