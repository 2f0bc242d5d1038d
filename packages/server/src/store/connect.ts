/**
 * Connects to the servers that a URL stands for: a Redis, the seeds of a Redis Cluster, or a primary named by
 * Sentinels.
 */
import { Cluster, Redis } from 'ioredis';
import type { Log } from '../base/log.ts';
import { isSentinelUrl, parseSentinelUrl, type SentinelUrl } from '../base/sentinel-url.ts';

export type RedisClient = Redis | Cluster;

/** The longest a command may take before the store counts as away, in milliseconds. */
export const deadlineMs = 800;

/** How often the client asks which node of a cluster serves which slots. */
const slotsRefreshMs = 2_000;

/** How soon a Sentinel that refused to tell of promotions is asked again. */
const listenAgainMs = 1_000;

const backoff = (attempt: number): number => Math.min(25 * 2 ** Math.min(attempt, 6), deadlineMs);

/** Opens a connection that reconnects for ever. Without `enableOfflineQueue`, no command waits while it is down. */
export const connect = (
  urls: readonly string[],
  { enableOfflineQueue } = { enableOfflineQueue: false },
): RedisClient => {
  const options = commonOptions(enableOfflineQueue);
  const [first = '', ...others] = urls;
  if (others.length > 0) return new Cluster([...urls], clusterOptions(first, options));
  if (!isSentinelUrl(first)) return new Redis(first, options);
  return new Redis({ ...options, ...sentinelOptions(readSentinelUrl(first)) });
};

const commonOptions = (enableOfflineQueue: boolean) => ({
  enableOfflineQueue,
  // A command cut off by a lost connection may have run: the caller must decide whether to repeat it.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: null,
  connectTimeout: deadlineMs,
  // A connection that hangs does not acknowledge its own end either.
  disconnectTimeout: 100,
  enableAutoPipelining: false,
  retryStrategy: backoff,
});

/** Parses a URL that was validated as a setting. */
const readSentinelUrl = (url: string): SentinelUrl => {
  const parsed = parseSentinelUrl(url);
  if (!parsed.ok) throw new TypeError(`a Sentinel URL ${parsed.why}`);
  return parsed.value;
};

const sentinelOptions = (url: SentinelUrl) => ({
  sentinels: [...url.sentinels],
  name: url.master,
  role: 'master' as const,
  db: url.database,
  sentinelCommandTimeout: deadlineMs,
  sentinelRetryStrategy: backoff,
  ...(url.username === '' ? {} : { username: url.username }),
  ...(url.password === '' ? {} : { password: url.password }),
  ...(url.sentinelUsername === '' ? {} : { sentinelUsername: url.sentinelUsername }),
  ...(url.sentinelPassword === '' ? {} : { sentinelPassword: url.sentinelPassword }),
  ...(url.isSecure ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
});

const clusterOptions = (first: string, redisOptions: ReturnType<typeof commonOptions>) => {
  const { username, password, protocol } = new URL(first);
  return {
    enableOfflineQueue: redisOptions.enableOfflineQueue,
    // Each connection looks up its own name. ioredis would look all up first, and connect to none if one is unknown.
    dnsLookup: (name: string, done: (error: null, name: string) => void) => done(null, name),
    slotsRefreshTimeout: deadlineMs,
    // If a connection is closed during a refresh, ioredis goes on refreshing for ever. One that waits for events is
    // opened anew now and then instead.
    ...(redisOptions.enableOfflineQueue ? {} : { slotsRefreshInterval: slotsRefreshMs }),
    clusterRetryStrategy: backoff,
    redisOptions: {
      ...redisOptions,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  };
};

/**
 * Asks the Sentinels of a URL for its primary: `unknown` if those that answer do not know its name. `undefined`: the
 * URL names no Sentinels, or none answers.
 */
export const askSentinels = async (urls: readonly string[]): Promise<'known' | 'unknown' | undefined> => {
  const [first = ''] = urls;
  if (!isSentinelUrl(first)) return undefined;
  const url = readSentinelUrl(first);
  const answers = await Promise.all(url.sentinels.map((sentinel) => isKnownTo(sentinel, url)));
  const heard = answers.filter((answer) => answer !== undefined);
  return heard.length === 0 ? undefined : heard.includes(true) ? 'known' : 'unknown';
};

const isKnownTo = async (address: Address, url: SentinelUrl): Promise<boolean | undefined> => {
  const sentinel = openSentinel(address, url, () => null);
  try {
    return Array.isArray(await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', url.master));
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
};

/** Where a server listens, as its Sentinels and a socket's peer name it. */
export type Address = { readonly host: string; readonly port: number };

/**
 * Calls back when the Sentinels of a URL promote another primary: the old one may still answer if only the Sentinels
 * cannot reach it. Logs Sentinels that do not answer. Returns a function that stops watching. Without Sentinels it does
 * nothing.
 */
export const watchPromotions = (urls: readonly string[], log: Log, promoted: Promoted): (() => void) => {
  const [first = ''] = urls;
  if (!isSentinelUrl(first)) return () => undefined;
  const url = readSentinelUrl(first);
  const watchers = url.sentinels.map((address) => watchSentinel(address, url, { log, promoted }));
  return () => {
    for (const watcher of watchers) watcher.disconnect();
  };
};

/** Gets the address of the new primary, from each Sentinel once. */
type Promoted = (primary: Address) => void;

const watchSentinel = (
  address: Address,
  url: SentinelUrl,
  { log, promoted }: { readonly log: Log; readonly promoted: Promoted },
): Redis => {
  const sentinel = `${address.host}:${address.port}`;
  let isReported = false;
  const report = ({ message }: Error): void => {
    if (!isReported) log.warn({ sentinel, reason: message }, 'a Sentinel does not answer');
    isReported = true;
  };
  const watcher = openSentinel(address, url, backoff);
  watcher.on('error', report);
  const listen = (): void => {
    watcher.subscribe('+switch-master').then(
      () => (isReported = false),
      (error: unknown) => {
        report(error as Error);
        setTimeout(() => watcher.status === 'ready' && listen(), listenAgainMs).unref();
      },
    );
  };
  watcher.on('ready', listen);
  watcher.on('message', (_channel: string, message: string) => {
    const [master, , , host = '', port] = message.split(' ');
    if (master === url.master) promoted({ host, port: Number(port) });
  });
  return watcher;
};

const openSentinel = (address: Address, url: SentinelUrl, retryStrategy: (attempt: number) => number | null): Redis =>
  new Redis({
    ...address,
    ...(url.sentinelUsername === '' ? {} : { username: url.sentinelUsername }),
    ...(url.sentinelPassword === '' ? {} : { password: url.sentinelPassword }),
    ...(url.isSecure ? { tls: {} } : {}),
    enableReadyCheck: false,
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    retryStrategy,
    connectTimeout: deadlineMs,
    commandTimeout: deadlineMs,
  }).on('error', () => undefined);
