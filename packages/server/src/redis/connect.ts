/**
 * Connects to the servers that a URL stands for: a Redis, the seeds of a Redis Cluster, or a primary named by
 * Sentinels. These are asked for the primary, and watched for a promotion, since the old primary may still answer if
 * only they cannot reach it.
 */
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import { isSentinelUrl, parseSentinelUrl, type SentinelUrl } from './redis-url.ts';

export type RedisClient = Redis | Cluster;

/** TLS to Redis alone, in PEM. What is not given is Node's: the authorities it trusts, and the URL's host. */
export type RedisTls = {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
};

/**
 * Where the store is. `keyPrefix`: what its keys begin with. The client adds it to the keys of each command and script,
 * and to nothing else: see decision 0172.
 */
export type Servers = {
  readonly urls: readonly string[];
  readonly tls?: RedisTls | undefined;
  readonly keyPrefix?: string | undefined;
};

/** Node's options of TLS. NODE_TLS_REJECT_UNAUTHORIZED=0 counts only where no setting says how to verify. */
const tlsOptions = (tls: RedisTls | undefined): ConnectionOptions =>
  tls === undefined ? {} : { ...tls, rejectUnauthorized: true };

/** The longest a command may take before the store counts as away, in milliseconds. */
export const deadlineMs = 800;

/** How often the client asks which node of a cluster serves which slots. */
const slotsRefreshMs = 2_000;

/** How long to wait before a server is tried again, in milliseconds. */
const backoff = (attempt: number): number => Math.min(25 * 2 ** Math.min(attempt, 6), deadlineMs);

/**
 * Opens a connection that reconnects forever. Without `enableOfflineQueue`, no command waits while it is down.
 * `isCluster`: the URLs are seeds of a Cluster.
 */
export const connect = (
  { urls, tls, keyPrefix = '' }: Servers,
  { enableOfflineQueue = false, isCluster = urls.length > 1 } = {},
): RedisClient => {
  const options = commonOptions(enableOfflineQueue, keyPrefix);
  const [first = ''] = urls;
  const secured = { ...options, ...(first.startsWith('rediss:') ? { tls: tlsOptions(tls) } : {}) };
  if (isCluster) return new Cluster([...urls], clusterOptions(first, secured));
  if (!isSentinelUrl(first)) return new Redis(first, secured);
  return new Redis({ ...options, ...sentinelOptions(readSentinelUrl(first), tlsOptions(tls)) });
};

const collecting = new WeakSet<object>();

/** The connection of a client; none before it was first open, and not those of a Cluster, which has several. */
const streamOf = (client: RedisClient): Redis['stream'] | undefined =>
  client instanceof Cluster ? undefined : client.stream;

/**
 * Sends the commands that follow in this turn of the event loop as one write: each write is a system call, which takes
 * longer than the command. Returns the client.
 */
export const collectWrites = (client: RedisClient): RedisClient => {
  const stream = streamOf(client);
  if (stream === undefined || collecting.has(stream)) return client;
  collecting.add(stream);
  stream.cork();
  setImmediate(() => {
    collecting.delete(stream);
    stream.uncork();
  });
  return client;
};

/** Sends what follows at once, with what was collected. Returns the client. */
export const sendAtOnce = (client: RedisClient): RedisClient => {
  streamOf(client)?.uncork();
  return client;
};

const commonOptions = (enableOfflineQueue: boolean, keyPrefix: string) => ({
  enableOfflineQueue,
  keyPrefix,
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

const sentinelOptions = (url: SentinelUrl, tls: ConnectionOptions) => ({
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
  ...(url.isSecure ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
});

const clusterOptions = (first: string, redisOptions: ReturnType<typeof commonOptions>) => {
  const { username, password } = new URL(first);
  return {
    enableOfflineQueue: redisOptions.enableOfflineQueue,
    // Each connection looks up its own name. ioredis would look all up first, and connect to none if one is unknown.
    dnsLookup: (name: string, done: (error: null, name: string) => void) => done(null, name),
    slotsRefreshTimeout: deadlineMs,
    // If a connection is closed during a refresh, ioredis keeps refreshing forever. One that waits for events is
    // reopened from time to time instead.
    ...(redisOptions.enableOfflineQueue ? {} : { slotsRefreshInterval: slotsRefreshMs }),
    clusterRetryStrategy: backoff,
    redisOptions: {
      ...redisOptions,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    },
  };
};

/** The server that takes the writes of a key. Throws StoreUnreachable if no node of a cluster does now. */
export const primaryOf = async (redis: RedisClient, key: string): Promise<Redis> => {
  if (!(redis instanceof Cluster)) return redis;
  const [address] = redis.slots[await redis.cluster('KEYSLOT', key)] ?? [];
  const primary = redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
  if (primary === undefined) throw new StoreUnreachable('no node of the cluster serves this key now');
  return primary;
};

/** What a handshake fails with, and the setting that would let it succeed. */
const handshakeFaults: readonly (readonly [RegExp, string])[] = [
  [/altnames/, 'REDIS_TLS_SERVERNAME'],
  [/alert (?:certificate required|unknown ca|bad certificate)/, 'REDIS_TLS_CERT_FILE'],
  [/self-signed certificate|certificate signature|unable to (?:verify|get)[\w ]* certificate/, 'REDIS_TLS_CA_FILE'],
];

/** The reason in words of an operator, and the setting that it is about. */
export const withSetting = (reason: string): string => {
  if (reason.startsWith('getaddrinfo ')) return `the name of Redis could not be resolved: ${reason}`;
  if (reason.startsWith('Unknown RESP type')) return 'what answers is not a Redis';
  const [, setting] = handshakeFaults.find(([fault]) => fault.test(reason)) ?? [];
  return setting === undefined ? reason : `${reason}: see ${setting}`;
};

/** How soon the subscription to a Sentinel's promotions is retried. */
const listenAgainMs = 1_000;

/**
 * Asks the Sentinels of a URL for its primary: `unknown` if those that answer do not know its name. `undefined`: the
 * URL names no Sentinels, or none answers.
 */
export const askSentinels = async ({ urls, tls }: Servers): Promise<'known' | 'unknown' | undefined> => {
  const [first = ''] = urls;
  if (!isSentinelUrl(first)) return undefined;
  const url = readSentinelUrl(first);
  const answers = await Promise.all(url.sentinels.map((sentinel) => isKnownTo({ ...sentinel, url, tls })));
  const heard = answers.filter((answer) => answer !== undefined);
  return heard.length === 0 ? undefined : heard.includes(true) ? 'known' : 'unknown';
};

const isKnownTo = async (one: OneSentinel): Promise<boolean | undefined> => {
  const sentinel = openSentinel(one, () => null);
  try {
    return Array.isArray(await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', one.url.master));
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
};

/**
 * Calls back when the Sentinels of a URL promote another primary. Logs Sentinels that do not answer. Returns a function
 * that stops watching. Without Sentinels it does nothing.
 */
export const watchPromotions = ({ urls, tls }: Servers, log: Log, promoted: Promoted): (() => void) => {
  const [first = ''] = urls;
  if (!isSentinelUrl(first)) return () => undefined;
  const url = readSentinelUrl(first);
  const watchers = url.sentinels.map((address) => watchSentinel({ ...address, url, tls }, { log, promoted }));
  return () => {
    for (const watcher of watchers) watcher.disconnect();
  };
};

/** Where a server listens, as its Sentinels and a socket's peer name it. */
type Address = { readonly host: string; readonly port: number };

/** Gets the address of the new primary, from each Sentinel once. */
type Promoted = (primary: Address) => void;

/** Whether the connection goes there. Also false if names or translated addresses stand for it. */
export const leadsTo = (redis: RedisClient, { host, port }: Address): boolean => {
  const stream = streamOf(redis);
  return stream?.remoteAddress === host && stream.remotePort === port;
};

const watchSentinel = (
  one: OneSentinel,
  { log, promoted }: { readonly log: Log; readonly promoted: Promoted },
): Redis => {
  const sentinel = `${one.host}:${one.port}`;
  let isReported = false;
  const report = ({ message }: Error): void => {
    if (!isReported) log.warn({ sentinel, reason: withSetting(message) }, 'a Sentinel does not respond');
    isReported = true;
  };
  const watcher = openSentinel(one, backoff);
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
    if (master === one.url.master) promoted({ host, port: Number(port) });
  });
  return watcher;
};

type OneSentinel = Address & { readonly url: SentinelUrl; readonly tls: RedisTls | undefined };

const openSentinel = (
  { host, port, url, tls }: OneSentinel,
  retryStrategy: (attempt: number) => number | null,
): Redis =>
  new Redis({
    host,
    port,
    ...(url.sentinelUsername === '' ? {} : { username: url.sentinelUsername }),
    ...(url.sentinelPassword === '' ? {} : { password: url.sentinelPassword }),
    ...(url.isSecure ? { tls: tlsOptions(tls) } : {}),
    enableReadyCheck: false,
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    retryStrategy,
    connectTimeout: deadlineMs,
    commandTimeout: deadlineMs,
  }).on('error', () => undefined);
