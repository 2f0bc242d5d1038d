/**
 * The connection to Redis, a Redis Cluster or a primary named by Sentinels. Every command goes through `send`: it gets
 * a reply within the deadline, or fails with StoreUnreachable. Nothing hangs, and nothing is queued while the store is
 * away.
 */
import { randomInt } from 'node:crypto';
import { Cluster, ReplyError } from 'ioredis';
import { StoreRefused, StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import {
  collectWrites,
  connect,
  deadlineMs as usualDeadlineMs,
  dropSilentNodes,
  neverGivingUp,
  onDeadline,
  onLoss,
  onSilentOpening,
  reportState,
  sendAtOnce,
  type RedisClient,
  type RedisTls,
} from './connect.ts';
import { askSentinels, leadsTo, watchPromotions } from './sentinels.ts';
import { runScript, scripts, type Attempt, type Script, type ScriptInput, type ScriptName } from './scripts.ts';

export type { RedisClient } from './connect.ts';

/** What the store is asked for at once: commands, or a script, whose keys are in one slot. `name`: for metrics. */
export type Request<T> =
  | { readonly name: 'command'; readonly use: (redis: RedisClient) => Promise<T> }
  | ({ readonly name: ScriptName | 'command'; readonly script: Script } & ScriptInput);

/** Sends a request. A script is run by its SHA-1, and by its source if the server does not know it. */
export type Send = <T>(request: Request<T>) => Promise<T>;

/** A connection to the store. Every command goes through `send`. */
type Connection = {
  /** Each request has the deadline; every connection error becomes StoreUnreachable. */
  readonly send: Send;
  /** What this process has seen of the store's lineages. */
  readonly lineage: Lineage;
  /** What this process has seen of the store's clock, without `offsetMs`. */
  readonly clock: StoreClock;
  /** Identifies the connection in use: it changes after each loss, because another server may answer then. */
  readonly connection: () => number;
  /** Why the store cannot be used now, as far as known. */
  readonly trouble: () => string | undefined;
  /** Connects to the whole Cluster that the server belongs to. False if this is the case already. */
  readonly openCluster: () => boolean;
  /** Whether Sentinels know the primary: see `askSentinels`. */
  readonly askSentinels: () => ReturnType<typeof askSentinels>;
  /** A separate connection for commands that block; they wait until it is open. Close it with `disconnect()`. */
  readonly dedicated: () => RedisClient;
  /** How far a test has moved the store's clock. */
  readonly offsetMs: () => number;
  readonly close: () => Promise<void>;
};

/** How the rest of `store/` uses Redis. */
export type Store = Connection & {
  /** Runs commands. */
  call<T>(use: (redis: RedisClient) => Promise<T>): Promise<T>;
  /** Runs a script that is not of `lua/`. */
  run(script: Script, input: ScriptInput): Promise<unknown>;
  /** Runs a script of `lua/`, with the arguments that it documents: those that its includes take are added here. */
  script(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Whether the store answers now. */
  ping(): Promise<boolean>;
};

/** A store whose requests all pass through `wrap`. */
export const wrapStore = (store: Connection, wrap: (send: Send) => Send): Store => {
  const send = wrap(store.send);
  const { lineage, offsetMs } = store;
  const addedTo = ({ includes }: Script): (string | number)[] => [
    ...(includes.has('next-change') ? [lineage.highest, newEpoch(), randomInt(maxStep)] : []),
    ...(includes.has('clock') ? [offsetMs()] : []),
  ];
  return {
    ...store,
    send,
    call: (use) => send({ name: 'command', use }),
    run: (script, input) => send({ name: 'command', script, ...input }),
    script: (name, keys, args) => {
      const script = scripts[name];
      return send({ name, script, keys, args: [...args, ...addedTo(script)] });
    },
    ping: () => send({ name: 'command', use: (redis) => redis.ping().then(() => true) }).catch(() => false),
  };
};

/**
 * What this process has seen of the store's version numbers. A lineage is one life of the store: it ends when the store
 * may have lost something (a restart, a promotion, an emptied or restored store), and none of its numbers is ever used
 * again. Scripts decide it; see `lua/include/`. A process that has seen a higher number than the store has passes it to
 * the scripts from here.
 */
class Lineage {
  /** The highest number seen. */
  highest = 0;

  see(number: number): void {
    this.highest = Math.max(this.highest, number);
  }
}

/**
 * The store's clock as this process knows it: the time in a reply, plus the time since then by a monotonic clock. All
 * processes of one store thus agree on the time of day, whatever their own clocks say.
 */
export class StoreClock {
  readonly #log: Log;
  #aheadMs: number | undefined;
  /** How often it has moved by more than a minute between two replies, against this process's monotonic clock. */
  jumps = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Records the store's time, in milliseconds, from a reply that has just arrived. */
  see(timeMs: number): void {
    const aheadMs = timeMs - performance.now();
    const movedMs = this.#aheadMs === undefined ? 0 : aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    if (Math.abs(movedMs) <= jumpMs) return;
    this.jumps += 1;
    this.#log.warn({ movedSec: Math.round(movedMs / 1_000) }, "the store's clock has jumped");
  }

  /** The store's time now; `undefined` before the first reply. */
  get nowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : Math.floor(performance.now() + this.#aheadMs);
  }
}

/** More than a reply can be late, and less than anything here waits for by the hour. */
const jumpMs = 60_000;

/** The client greets a server in so many round trips before it sends it commands: HELLO, and INFO. */
const greetingTrips = 2;

/** Replies that mean «not now» rather than «wrong». Those in words are NOPERM of a script's command. */
const away =
  /^(LOADING|BUSY|CLUSTERDOWN|MASTERDOWN|READONLY|TRYAGAIN|MISCONF|OOM|NOREPLICAS|MOVED|ASK|NOAUTH|NOPERM|WRONGPASS|ERR (ACL failure|The user executing the script))\b/;

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
  /** For URLs of `rediss:`. */
  readonly tls?: RedisTls | undefined;
};

/** Opens a connection to the servers of `REDIS_URL`. It reconnects forever. */
export const openStore = (
  urls: readonly string[],
  log: Log,
  { offsetMs = () => 0, deadlineMs = usualDeadlineMs, tls }: StoreOptions = {},
): Store => {
  const servers = { urls, tls };
  let connection = 0;
  const open = (isCluster: boolean) => {
    const client = neverGivingUp(connect(servers, { isCluster }));
    onLoss(client, () => (connection += 1));
    onSilentOpening(client, greetingTrips * deadlineMs, { current: () => connection, drop });
    return { client, trouble: reportState(client, log) };
  };
  /**
   * Only once, however many commands hang on it, and never the next connection because of a command that was lost with
   * this one.
   */
  const drop = (hung: number): void => {
    const redis = opened.client;
    if (hung !== connection) return;
    if (redis instanceof Cluster) return dropSilentNodes(redis);
    connection += 1;
    redis.disconnect(true);
  };

  let opened = open(urls.length > 1);
  const endWatch = watchPromotions(servers, log, (primary) => {
    if (!leadsTo(opened.client, primary)) drop(connection);
  });

  const attempt: Attempt = (use) => {
    const usedConnection = connection;
    return inTime(deadlineMs, () => use(opened.client), {
      hung: () => drop(usedConnection),
      failed: (error) => {
        // A demoted primary stays connected but accepts no more writes; there may be another primary by now.
        if (isReply(error) && error.message.startsWith('READONLY')) drop(usedConnection);
        return asUnreachable(error);
      },
    });
  };

  const connectionInUse: Connection = {
    send: sending(attempt),
    lineage: new Lineage(),
    clock: new StoreClock(log),
    connection: () => connection,
    trouble: () => opened.trouble(),
    openCluster: () => {
      if (opened.client instanceof Cluster) return false;
      silence(opened.client);
      opened.client.disconnect();
      opened = open(true);
      connection += 1;
      return true;
    },
    askSentinels: () => askSentinels(servers),
    dedicated: () => connect(servers, { enableOfflineQueue: true, isCluster: opened.client instanceof Cluster }),
    offsetMs,
    close: async () => {
      endWatch();
      silence(opened.client);
      await attempt((client) => client.quit()).catch(() => undefined);
      opened.client.disconnect();
    },
  };
  return wrapStore(connectionInUse, (plain) => plain);
};

const silence = (redis: RedisClient): void => {
  redis.removeAllListeners();
  redis.on('error', () => undefined);
};

/** `hung` is called after the deadline; `failed` makes of an error what callers see. */
type OnFault = { readonly hung: () => void; readonly failed: (error: unknown) => Error };

/**
 * The reply to a command. After the deadline it rejects with StoreUnreachable, and `hung` drops the connection, so that
 * the next command fails at once instead of waiting too. One promise for each command, not a chain of them.
 */
const inTime = <T>(ms: number, send: () => Promise<T>, { hung, failed }: OnFault): Promise<T> =>
  new Promise((resolve, reject) => {
    const replied = send();
    const cancel = onDeadline(ms, () => {
      hung();
      reject(new StoreUnreachable(`no answer within ${ms} ms`));
    });
    replied.then(
      (reply) => {
        cancel();
        resolve(reply);
      },
      (error: unknown) => {
        cancel();
        reject(failed(error));
      },
    );
  });

/** Waits until the store answers, at most `forMs`. Returns whether it did. */
export const waitForStore = async (store: Store, forMs: number): Promise<boolean> => {
  const until = Date.now() + forMs;
  for (;;) {
    if (await store.ping()) return true;
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

/**
 * The largest step between versions. Two servers with equal data and clocks that are behind hardly assign the same
 * number; at fewer than 488 changes a second, numbers stay at the microseconds of the clock.
 */
const maxStep = 4_096;

/** Identifies a life of the store when nothing in it can. */
const newEpoch = (): string => randomInt(2 ** 48 - 1).toString(36);

/** Requests on which the store works while the process is busy with the reply before. */
const sentAtOnce: ReadonlySet<string> = new Set<ScriptName>(['read-changes', 'read-entries']);

const sending =
  (attempt: Attempt): Send =>
  <T>(request: Request<T>): Promise<T> => {
    const through = sentAtOnce.has(request.name) ? sendAtOnce : collectWrites;
    const use: Attempt = (run) => attempt((redis) => run(through(redis)));
    return 'use' in request ? use(request.use) : (runScript(use, request.script, request) as Promise<T>);
  };

const isReply = (error: unknown): error is Error => error instanceof Error && error instanceof ReplyError;

const asUnreachable = (error: unknown): Error => {
  if (error instanceof StoreUnreachable) return error;
  // The client's own error contains the command, and with it a webhook's URL, which must not reach a log.
  if (isReply(error) && !away.test(error.message)) return new StoreRefused(`Redis: ${error.message}`);
  const text = error instanceof Error ? error.message : String(error);
  return new StoreUnreachable(text.includes('enableOfflineQueue') ? 'it is not connected' : text);
};
