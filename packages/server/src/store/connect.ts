/**
 * Connects to the servers that a URL stands for: a Redis, the seeds of a Redis Cluster, or a primary named by
 * Sentinels. Notices connections that are lost or silent; `sentinels.ts` watches for promotions.
 */
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import { isSentinelUrl, parseSentinelUrl, type SentinelUrl } from './redis-url.ts';

export type RedisClient = Redis | Cluster;

/** TLS to Redis alone, in PEM. What is not given is Node's: whom it trusts, and the name in the URL. */
export type RedisTls = {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
};

/** Where the store is. */
export type Servers = { readonly urls: readonly string[]; readonly tls?: RedisTls | undefined };

/** Node's options of TLS. NODE_TLS_REJECT_UNAUTHORIZED=0 counts only where no setting says how to verify. */
export const tlsOptions = (tls: RedisTls | undefined): ConnectionOptions =>
  tls === undefined ? {} : { ...tls, rejectUnauthorized: true };

/** The longest a command may take before the store counts as away, in milliseconds. */
export const deadlineMs = 800;

/** How often the client asks which node of a cluster serves which slots. */
const slotsRefreshMs = 2_000;

/** How long to wait before a server is tried again, in milliseconds. */
export const backoff = (attempt: number): number => Math.min(25 * 2 ** Math.min(attempt, 6), deadlineMs);

/**
 * Opens a connection that reconnects forever. Without `enableOfflineQueue`, no command waits while it is down.
 * `isCluster`: the URLs are seeds of a Cluster.
 */
export const connect = (
  { urls, tls }: Servers,
  { enableOfflineQueue = false, isCluster = urls.length > 1 } = {},
): RedisClient => {
  const options = commonOptions(enableOfflineQueue);
  const [first = ''] = urls;
  const secured = { ...options, ...(first.startsWith('rediss:') ? { tls: tlsOptions(tls) } : {}) };
  if (isCluster) return new Cluster([...urls], clusterOptions(first, secured));
  if (!isSentinelUrl(first)) return new Redis(first, secured);
  return new Redis({ ...options, ...sentinelOptions(readSentinelUrl(first), tlsOptions(tls)) });
};

const collecting = new WeakSet<object>();

/** The connection of a client; none before it was first open, and not those of a Cluster, which has several. */
export const streamOf = (client: RedisClient): Redis['stream'] | undefined =>
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
export const readSentinelUrl = (url: string): SentinelUrl => {
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

/** The deadline of a node of a cluster, once a command to some node was late. */
const nodeDeadlineMs = 400;
/** A timer this late means that our own event loop stalled; a reply is then awaited for this much longer. */
const stallMs = 50;
const afterStallMs = 200;

/**
 * Calls back after the deadline, when everything that had arrived by then has been read. After a stall of our own event
 * loop, the timer fires before delayed commands are even sent, so they get a moment longer. Returns a function that
 * cancels it.
 */
export const onDeadline = (ms: number, late: () => void): (() => void) => {
  const dueAtMs = performance.now() + ms;
  let look: NodeJS.Immediate | undefined;
  const judge = (): void => {
    look = setImmediate(late);
  };
  let timer = setTimeout(() => {
    if (performance.now() - dueAtMs < stallMs) judge();
    else timer = setTimeout(judge, afterStallMs);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(look);
  };
};

/** A connection that is accepted but never answers would not be noticed: no command is sent on it. */
export const onSilentOpening = (
  redis: RedisClient,
  ms: number,
  { current, drop }: { readonly current: () => number; readonly drop: (hung: number) => void },
): void => {
  redis.on('connect', () => {
    const opened = current();
    const ends = ['ready', 'close'] as const;
    const cancel = onDeadline(ms, drop.bind(undefined, opened));
    // One of them may never come: a Redis that asks for a password is not ready, however often we connect.
    const end = (): void => {
      cancel();
      for (const event of ends) redis.off(event, end);
    };
    for (const event of ends) redis.on(event, end);
  });
};

/** If ioredis has to reconnect while it requests the primary from the Sentinels, it gives up for good. */
export const neverGivingUp = (redis: RedisClient): RedisClient =>
  redis.on('end', () => void redis.connect().catch(() => undefined));

/** Calls back when a connection is lost: the only one, or one of a cluster's. */
export const onLoss = (redis: RedisClient, lost: () => void): void => {
  redis.on('close', lost);
  if (redis instanceof Cluster) redis.on('+node', (node: Redis) => node.on('close', lost));
};

/**
 * Drops the connections of a cluster that do not answer now, and refreshes the slot map: a replica may have taken over.
 * A ping to a node that is still being greeted waits for that.
 */
export const dropSilentNodes = (cluster: Cluster): void => {
  for (const node of cluster.nodes()) {
    if (node.status === 'wait') continue;
    const cancel = onDeadline(nodeDeadlineMs, () => {
      node.disconnect(true);
      cluster.refreshSlotsCache();
    });
    node.ping().then(cancel, cancel);
  }
};

/** What a handshake fails with, and the setting that would let it succeed. */
const handshakeFaults: readonly (readonly [RegExp, string])[] = [
  [/altnames/, 'REDIS_TLS_SERVERNAME'],
  [/alert (?:certificate required|unknown ca|bad certificate)/, 'REDIS_TLS_CERT_FILE'],
  [/self-signed certificate|certificate signature|unable to (?:verify|get)[\w ]* certificate/, 'REDIS_TLS_CA_FILE'],
];

/** The reason, and the setting that it is about. */
export const withSetting = (reason: string): string => {
  const [, setting] = handshakeFaults.find(([fault]) => fault.test(reason)) ?? [];
  return setting === undefined ? reason : `${reason}: see ${setting}`;
};

/** Logs when the connection is lost and returns. Returns why it is lost now. */
export const reportState = (redis: RedisClient, log: Log): (() => string | undefined) => {
  let reachable: boolean | undefined;
  let reason: string | undefined;
  redis.on('ready', () => {
    if (reachable === false) log.info('the store responds again');
    reachable = true;
    reason = undefined;
  });
  redis.on('error', (error: Error & { readonly lastNodeError?: Error }) => {
    reason = /cluster support disabled/.test(error.lastNodeError?.message ?? '')
      ? 'REDIS_URL names several servers that are no Cluster: name one'
      : withSetting(error.lastNodeError?.message ?? error.message);
    if (reachable !== false) log.error({ reason }, 'the store is unreachable; retrying until it responds');
    reachable = false;
  });
  return () => reason;
};

/** The server that takes the writes of a key. Throws StoreUnreachable if no node of a cluster does now. */
export const primaryOf = async (redis: RedisClient, key: string): Promise<Redis> => {
  if (!(redis instanceof Cluster)) return redis;
  const [address] = redis.slots[await redis.cluster('KEYSLOT', key)] ?? [];
  const primary = redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
  if (primary === undefined) throw new StoreUnreachable('no node of the cluster serves this key now');
  return primary;
};
