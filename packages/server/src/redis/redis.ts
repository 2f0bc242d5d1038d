/**
 * How the service uses Redis: every command and script goes through `send`. Large keys are read a page at a time, since
 * each page blocks the store for only a few milliseconds. `open-store.ts` has the connection.
 */
import { randomInt } from 'node:crypto';
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing.ts';
import type { askSentinels, RedisClient } from './connect.ts';
import type { Known } from './known.ts';
import { scripts, type Script, type ScriptInput, type ScriptName } from './scripts.ts';

export type { RedisClient } from './connect.ts';

/** What the store is asked for at once: commands, or a script, whose keys are in one slot. `name`: for metrics. */
export type StoreRequest<T> =
  | { readonly name: 'command'; readonly use: (redis: RedisClient) => Promise<T> }
  | ({ readonly name: ScriptName; readonly script: Script } & ScriptInput);

/** Sends a request. A script is run by its SHA-1, and by its source if the server does not know it. */
export type Send = <T>(request: StoreRequest<T>) => Promise<T>;

/** A connection to the store. Every command goes through `send`. */
export type StoreConnection = {
  /** Each request has the deadline; every connection error becomes StoreUnreachable. */
  readonly send: Send;
  /** What this process knows of the store. */
  readonly known: Known;
  /** What this process has seen of the store's clock. */
  readonly clock: StoreClock;
  /**
   * Identifies the connection in use: it changes after each loss, because another server may answer then, and when the
   * store may hold other data.
   */
  readonly connection: () => number;
  /** Connects again, since the server in use is no primary: its address may lead to another by now. */
  readonly reconnect: () => void;
  /** Why the store cannot be used now, as far as known. */
  readonly trouble: () => string | undefined;
  /** Connects to the whole Cluster that the server belongs to. False if this is the case already. */
  readonly openCluster: () => boolean;
  /** Whether Sentinels know the primary: see `askSentinels`. */
  readonly askSentinels: () => ReturnType<typeof askSentinels>;
  /** A separate connection for commands that block; they wait until it is open. Close it with `disconnect()`. */
  readonly dedicated: () => RedisClient;
  readonly close: () => Promise<void>;
};

/** How the rest of `store/` uses Redis. */
export type Store = StoreConnection & {
  call<T>(use: (redis: RedisClient) => Promise<T>): Promise<T>;
  /** Runs a script, with the arguments that it documents: what `caller.lua` takes is added here. */
  script(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Whether the store answers now. */
  ping(): Promise<boolean>;
};

/** A store whose requests all pass through `wrap`. */
export const wrapStore = (store: Store, wrap: (send: Send) => Send): Store =>
  storeOf({ ...store, send: wrap(store.send) });

/** A store by its connection. */
export const storeOf = (connection: StoreConnection): Store => {
  const { send, known } = connection;
  const caller = (): string =>
    JSON.stringify({ highest: known.highest, newEpoch: newEpoch(), step: randomInt(maxStep) });
  return {
    ...connection,
    call: (use) => send({ name: 'command', use }),
    script: (name, keys, args) => {
      const script = scripts[name];
      return send({ name, script, keys, args: script.includes.has('caller') ? [caller(), ...args] : args });
    },
    ping: () =>
      send({ name: 'command', use: (redis) => redis.ping() }).then(
        () => true,
        // While Redis cannot write to its disk, it refuses PING as it does writes, and is still read.
        (error: unknown) => error instanceof StoreUnreachable && error.message.startsWith('MISCONF'),
      ),
  };
};

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

  /** This process's monotonic clock. */
  steadyMs(): number {
    return performance.now();
  }

  /** Records the store's time, in milliseconds, from a reply that has just arrived. */
  see(timeMs: number): void {
    const aheadMs = timeMs - this.steadyMs();
    const movedMs = this.#aheadMs === undefined ? 0 : aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    if (Math.abs(movedMs) <= jumpMs) return;
    this.jumps += 1;
    this.#log.warn({ movedSec: Math.round(movedMs / 1_000) }, "the store's clock has jumped");
  }

  /** The store's time now; `undefined` before the first reply. */
  get nowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : Math.floor(this.steadyMs() + this.#aheadMs);
  }
}

/** More than a reply can be late, and less than anything here waits for by the hour. */
const jumpMs = 60_000;

/**
 * The largest step between versions. Two servers with equal data and clocks that are behind are unlikely to assign the
 * same number; at fewer than 488 changes a second, numbers stay at the microseconds of the clock.
 */
const maxStep = 4_096;

/** Identifies an epoch when nothing in the store can. */
const newEpoch = (): string => randomInt(2 ** 48 - 1).toString(36);

/** Waits until the store answers, at most `forMs`. Returns whether it did. */
export const waitForStore = async (store: Store, forMs: number): Promise<boolean> => {
  const until = Date.now() + forMs;
  for (;;) {
    if (await store.ping()) return true;
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

/** A `send` that measures how long requests take and how often they fail: scripts by name, others as `command`. */
export const measured =
  (send: Send, { storeDuration, storeErrors }: Metrics, tracer: Tracer | undefined): Send =>
  async (request) => {
    const { name } = request;
    const startedMs = performance.now();
    try {
      return await (tracer === undefined ? send(request) : tracer.span(`store ${name}`, () => send(request)));
    } catch (error) {
      const isAway = error instanceof StoreUnreachable && !error.isReply;
      storeErrors.inc({ reason: isAway ? 'unreachable' : 'refused' });
      throw error;
    } finally {
      storeDuration.observe({ operation: name }, (performance.now() - startedMs) / 1_000);
    }
  };

/** A command that reads one key. */
export type ReadCommand = readonly [command: string, key: string, ...args: (string | number)[]];

/** Returns the replies of commands whose keys are in one slot, all at one instant. */
export const readTogether = async (store: Store, commands: readonly ReadCommand[]): Promise<readonly unknown[]> =>
  (await store.script(
    'read-together',
    commands.map(([, key]) => key),
    commands.flatMap(([command, , ...args]) => [args.length, command, ...args]),
  )) as unknown[];

/** A member of a sorted set, and its score. */
export type Scored = { readonly member: string; readonly score: number };

/** How many members of a large key are read at once. */
const pageSize = 500;

/** The names and values of a flat reply. */
const toPairs = (flat: readonly string[]): (readonly [string, string])[] =>
  flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []));

/** A hash, or the fields of an entry of a stream. */
export const toMap = (flat: readonly string[]): Map<string, string> => {
  const map = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) map.set(flat[i] ?? '', flat[i + 1] ?? '');
  return map;
};

/** A reply WITHSCORES. */
export const toScored = (flat: readonly string[]): Scored[] =>
  toPairs(flat).map(([member, score]) => ({ member, score: Number(score) }));

/** The members of a sorted set with distinct scores, by score, including those appended meanwhile. */
export async function* scanByScore(
  store: Store,
  key: string,
  atOnce: number = pageSize,
): AsyncGenerator<readonly Scored[]> {
  let after = '-inf';
  for (;;) {
    const flat = await store.call((redis) => redis.zrangebyscore(key, after, '+inf', 'WITHSCORES', 'LIMIT', 0, atOnce));
    const page = toScored(flat);
    const last = page.at(-1);
    if (last !== undefined) yield page;
    if (last === undefined || page.length < atOnce) return;
    after = `(${last.score}`;
  }
}

/** The same from the highest score down, without those appended meanwhile. */
export async function* scanFromNewest(store: Store, key: string): AsyncGenerator<readonly Scored[]> {
  let before = '+inf';
  for (;;) {
    const flat = await store.call((redis) =>
      redis.zrevrangebyscore(key, before, '-inf', 'WITHSCORES', 'LIMIT', 0, pageSize),
    );
    const page = toScored(flat);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    before = `(${last.score}`;
  }
}

/** The replies of a command of the family of SCAN, without those that are empty. */
async function* scanAll(
  store: Store,
  scan: (redis: RedisClient, cursor: string) => Promise<[next: string, found: string[]]>,
): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  for (;;) {
    const [next, found] = await store.call((redis) => scan(redis, cursor));
    if (found.length > 0) yield found;
    if (next === '0') return;
    cursor = next;
  }
}

/** The fields of a hash of any size, in no order. If the hash changes meanwhile, a field may come twice. */
export async function* scanHash(store: Store, key: string): AsyncGenerator<readonly (readonly [string, string])[]> {
  for await (const flat of scanAll(store, (redis, cursor) => redis.hscan(key, cursor, 'COUNT', pageSize)))
    yield toPairs(flat);
}

/** The members of a set, sorted or not, or the names of a hash's fields, in no order. */
export async function* scanMembers(
  store: Store,
  key: string,
  type: 'set' | 'zset' | 'hash',
): AsyncGenerator<readonly string[]> {
  const command = ({ set: 'sscan', zset: 'zscan', hash: 'hscan' } as const)[type];
  for await (const found of scanAll(store, (redis, cursor) => redis[command](key, cursor, 'COUNT', pageSize)))
    yield type === 'set' ? found : found.filter((_, i) => i % 2 === 0);
}

/** The entries of a stream, in order. */
export async function* scanStream(
  store: Store,
  key: string,
): AsyncGenerator<readonly [id: string, fields: string[]][]> {
  let after = '-';
  for (;;) {
    const page = await store.call((redis) => redis.xrange(key, after, '+', 'COUNT', pageSize));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = `(${last[0]}`;
  }
}
