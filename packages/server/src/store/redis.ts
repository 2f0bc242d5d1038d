/**
 * The connection to Redis, a Redis Cluster or a primary named by Sentinels. Every command goes through `call` or
 * `script`: it gets a reply within the deadline, or fails with StoreUnreachable. Nothing hangs, and nothing is queued
 * while the store is away.
 */
import { randomBytes } from 'node:crypto';
import { Cluster, ReplyError, type Redis } from 'ioredis';
import { StoreRefused, StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import { connect, deadlineMs as usualDeadlineMs, watchPromotions, type Address, type RedisClient } from './connect.ts';
import { Lineage } from './lineage.ts';
import { StoreClock } from './store-clock.ts';
import { scripts, type Script, type ScriptName } from './scripts.ts';

export type { RedisClient } from './connect.ts';

/** The arguments of a script. */
export type ScriptInput = { readonly keys: readonly string[]; readonly args: readonly (string | number)[] };

/** How the rest of `store/` uses Redis. */
export type Store = {
  /** Runs commands; every connection error becomes StoreUnreachable. */
  call<T>(use: (redis: RedisClient) => Promise<T>): Promise<T>;
  /** Runs a script by its SHA-1, and by its source if the server does not know it; each has the full deadline. */
  run(script: Script, input: ScriptInput): Promise<unknown>;
  /** Runs a script of `lua/`. All keys must be in one slot. */
  script(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Runs a script of `lua/` that changes the directory; it takes three more arguments first: see `next-change.lua`. */
  change(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** What this process has seen of the store's lineages. */
  readonly lineage: Lineage;
  /** What this process has seen of the store's clock, without `offsetMs`. */
  readonly clock: StoreClock;
  /** Identifies the connection in use: it changes after each loss, because another server may answer then. */
  readonly connection: () => number;
  /** Whether the store answers now. */
  ping(): Promise<boolean>;
  /** Why the connection failed last. */
  readonly trouble: () => string | undefined;
  /** A separate connection for commands that block; they wait until it is open. Close it with `disconnect()`. */
  dedicated(): RedisClient;
  /** How far a test has moved the store's clock; scripts add it to their `TIME`. */
  readonly offsetMs: () => number;
  close(): Promise<void>;
};

/** The client greets a server in so many round trips before it sends it commands: HELLO, and INFO. */
const greetingTrips = 2;
/** The deadline of a node of a cluster, once a command to some node was late. */
const nodeDeadlineMs = 400;
/** A timer this late means that our own event loop stalled; a reply is then awaited for this much longer. */
const stallMs = 50;
const afterStallMs = 200;

/** Replies that mean «not now» rather than «wrong». */
const away =
  /^(LOADING|BUSY|CLUSTERDOWN|MASTERDOWN|READONLY|TRYAGAIN|MISCONF|OOM|NOREPLICAS|MOVED|ASK|NOAUTH|NOPERM|WRONGPASS)\b/;

export type StoreOptions = {
  /**
   * See `Store`.
   *
   * @default () => 0
   */
  readonly offsetMs?: () => number;
  /**
   * The longest a command may take before the store counts as away, in milliseconds.
   *
   * @default 800
   */
  readonly deadlineMs?: number | undefined;
};

/** Opens a connection to the servers of `REDIS_URL`. It reconnects for ever. */
export const openStore = (
  urls: readonly string[],
  log: Log,
  { offsetMs = () => 0, deadlineMs = usualDeadlineMs }: StoreOptions = {},
): Store => {
  const redis = neverGivingUp(connect(urls));
  const trouble = reportState(redis, log);
  let connection = 0;
  onLoss(redis, () => (connection += 1));
  /**
   * Only once, however many commands hang on it, and never the next connection because of a command that was lost with
   * this one.
   */
  const drop = (hung: number): void => {
    if (hung !== connection) return;
    if (redis instanceof Cluster) return dropSilentNodes(redis);
    connection += 1;
    redis.disconnect(true);
  };

  const current = (): number => connection;
  onSilentOpening(redis, greetingTrips * deadlineMs, { current, drop });
  const endWatch = watchPromotions(urls, log, (primary) => {
    if (!leadsTo(redis, primary)) drop(connection);
  });

  const call = async <T>(use: (redis: RedisClient) => Promise<T>): Promise<T> => {
    const usedConnection = connection;
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = onDeadline(deadlineMs, () => {
        // A connection that hangs is dropped, so that the next command fails at once instead of waiting too.
        drop(usedConnection);
        reject(new StoreUnreachable(`no answer within ${deadlineMs} ms`));
      });
    });
    try {
      return await Promise.race([use(redis), late]);
    } catch (error) {
      // A demoted primary stays connected but accepts no more writes; there may be another primary by now.
      if (isReply(error) && error.message.startsWith('READONLY')) drop(usedConnection);
      throw asUnreachable(error);
    } finally {
      cancel();
    }
  };

  const lineage = new Lineage();
  const run = runner(call);
  const script: Store['script'] = (name, keys, args) => run(scripts[name], { keys, args });
  return {
    call,
    run,
    script,
    change: (name, keys, args) => script(name, keys, [lineage.highest, newEpoch(), offsetMs(), ...args]),
    ...{ lineage, clock: new StoreClock(), trouble },
    connection: current,
    ping: () => call((client) => client.ping().then(() => true)).catch(() => false),
    dedicated: () => connect(urls, { enableOfflineQueue: true }),
    offsetMs,
    close: async () => {
      endWatch();
      await quit(redis, call);
    },
  };
};

const quit = async (redis: RedisClient, call: Store['call']): Promise<void> => {
  redis.removeAllListeners();
  redis.on('error', () => undefined);
  await call((client) => client.quit()).catch(() => undefined);
  redis.disconnect();
};

/**
 * Calls back after the deadline, when everything that had arrived by then has been read. After a stall of our own event
 * loop, the timer fires before delayed commands are even sent, so they get a moment longer. Returns a function that
 * cancels it.
 */
const onDeadline = (ms: number, late: () => void): (() => void) => {
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
const onSilentOpening = (
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

/** Whether the connection leads there: not so if names or translated addresses stand for it. */
const leadsTo = (redis: RedisClient, { host, port }: Address): boolean => {
  const stream = redis instanceof Cluster ? undefined : redis.stream;
  return stream?.remoteAddress === host && stream.remotePort === port;
};

/** Told to reconnect while it asks the Sentinels for the primary, ioredis would give up for good. */
const neverGivingUp = (redis: RedisClient): RedisClient =>
  redis.on('end', () => void redis.connect().catch(() => undefined));

/** Calls back when a connection is lost: the only one, or one of a cluster's. */
const onLoss = (redis: RedisClient, lost: () => void): void => {
  redis.on('close', lost);
  if (redis instanceof Cluster) redis.on('+node', (node: Redis) => node.on('close', lost));
};

/**
 * Drops the connections of a cluster that do not answer now, and refreshes the slot map: a replica may have taken over.
 * A ping to a node that is still being greeted waits for that.
 */
const dropSilentNodes = (cluster: Cluster): void => {
  for (const node of cluster.nodes()) {
    if (node.status === 'wait') continue;
    const cancel = onDeadline(nodeDeadlineMs, () => {
      node.disconnect(true);
      cluster.refreshSlotsCache();
    });
    node.ping().then(cancel, cancel);
  }
};

/** Waits until the store answers, at most `forMs`. Returns whether it did. */
export const waitForStore = async (store: Store, forMs: number): Promise<boolean> => {
  const until = Date.now() + forMs;
  for (;;) {
    if (await store.ping()) return true;
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

/** Identifies a life of the store when nothing in it can. */
export const newEpoch = (): string => randomBytes(6).toString('base64url');

/** Logs losses and returns of the connection. Returns what tells the last loss. */
const reportState = (redis: RedisClient, log: Log): (() => string | undefined) => {
  let reachable: boolean | undefined;
  let reason: string | undefined;
  redis.on('ready', () => {
    if (reachable === false) log.info('the store answers again');
    reachable = true;
  });
  redis.on('error', (error: Error) => {
    reason = error.message;
    if (reachable !== false) log.error({ reason: error.message }, 'the store is unreachable; trying until it answers');
    reachable = false;
  });
  return () => reason;
};

/** Runs a script by its SHA-1, and sends its source if the server does not know it. */
export const runScript = async (redis: RedisClient, script: Script, input: ScriptInput): Promise<unknown> => {
  try {
    return await runKnown(redis, script, input);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return runSource(redis, script, input);
  }
};

const runner =
  (call: Store['call']): Store['run'] =>
  (script, input) =>
    call((client) => runKnown(client, script, input)).catch((error: unknown) => {
      if (!isUnknownScript(error)) throw error;
      return call((client) => runSource(client, script, input));
    });

const runKnown = (redis: RedisClient, { sha }: Script, { keys, args }: ScriptInput): Promise<unknown> =>
  redis.evalsha(sha, keys.length, ...keys, ...args);

const runSource = (redis: RedisClient, { source }: Script, { keys, args }: ScriptInput): Promise<unknown> =>
  redis.eval(source, keys.length, ...keys, ...args);

/** As worded by Redis, or as wrapped by `call`. */
const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && /^(Redis: )?NOSCRIPT\b/.test(error.message);

const isReply = (error: unknown): error is Error => error instanceof Error && error instanceof ReplyError;

const asUnreachable = (error: unknown): unknown => {
  if (error instanceof StoreUnreachable) return error;
  // The client's own error contains the command, and with it a webhook's URL, which must not reach a log.
  if (isReply(error) && !away.test(error.message)) return new StoreRefused(`Redis: ${error.message}`);
  const text = error instanceof Error ? error.message : String(error);
  return new StoreUnreachable(text.includes('enableOfflineQueue') ? 'it is not connected' : text);
};
