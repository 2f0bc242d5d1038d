/**
 * The state of the delivery queue: one webhook's for its owner, each webhook's for the operator, and the sizes of
 * everything for the metrics.
 */
import { Cluster } from 'ioredis';
import type { DeliveryFailure } from '@bot-directory/contract';
import type { QueueState as QueueMetrics } from '../base/metrics.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import { failuresFrom } from './deliveries.ts';
import { keys, partitionOf, partitions, type Partition } from './keys.ts';
import type { RedisClient, Store } from './redis.ts';
import { scanHash } from './scan.ts';

/** The state of deliveries to one webhook. `pending`: events that it has not been sent. */
export type DeliveryState = {
  readonly isStopped: boolean;
  readonly failures: number;
  readonly pending: number;
  readonly lastFailure: DeliveryFailure | undefined;
  readonly nextAttemptAtMs: number | undefined;
  readonly skipped: readonly SkippedEvent[];
};

/** An event that was given up: how it failed last, and when, by the store's clock. */
type SkippedEvent = { readonly id: string; readonly failure: DeliveryFailure; readonly atMs: number };

/**
 * How many webhooks are in each state. `lowestCursor`: the smallest cursor of the active webhooks that are not failing.
 */
export type QueueCounts = Omit<QueueMetrics, 'oldestUndeliveredSec'> & {
  readonly head: number;
  readonly lowestCursor: number;
};

export type QueueState = ReturnType<typeof createQueueState>;

/** The number of delivered events after a number. */
const pendingAfter = async (store: Store, number: string): Promise<number> => {
  const [events, withheld] = await store.call((redis) =>
    Promise.all([redis.zcount(keys.eventIds, `(${number}`, '+inf'), redis.zcount(keys.withheld, `(${number}`, '+inf')]),
  );
  return events - withheld;
};

/** Reads the queue's state. */
export const createQueueState = (store: Store) => ({
  /** The state of a webhook. `undefined`: nothing is registered at this URL. */
  statusOf: async ({ url, host }: WebhookTarget): Promise<DeliveryState | undefined> => {
    const { urls, stopped, cursor, taken, waiting, failures, skipped } = partitionOf(host);
    const reply = await store.script('read-webhook', [urls, stopped, cursor, taken, waiting, failures, skipped], [url]);
    if (reply === 'missing') return undefined;
    const [isStopped, number, dueAtMs, stored, skips] = reply as WebhookReply;
    const { lastFailure, progress } = failuresFrom(stored);
    return {
      isStopped: isStopped === 1,
      failures: progress.failures,
      pending: await pendingAfter(store, number),
      lastFailure,
      nextAttemptAtMs: dueAtMs === null ? undefined : Number(dueAtMs),
      skipped: skips === null ? [] : skips.split(' ').map(skippedFrom),
    };
  },

  /** The state of the whole queue and the directory, for the metrics. All parts are read concurrently. */
  counts: async (): Promise<QueueCounts> => {
    const [{ announced, events, ...sizes }, total, ...states] = await Promise.all([
      readSizes(store),
      store.call(countKeys),
      ...partitions.map((partition) => partitionState(store, partition)),
    ]);
    // A partition that was read after a publish may be ahead of it.
    const head = Math.max(announced, ...states.map(({ highest }) => highest));
    const sum = (count: (state: (typeof states)[number]) => number): number =>
      states.reduce((total, state) => total + count(state), 0);
    return {
      ...sizes,
      keys: total,
      registered: sum((state) => state.idle + state.yielded + state.leased + state.waiting + state.stopped),
      behind: sum((state) => state.yielded + state.idle - (state.highest === head ? state.atHighest : 0)),
      leased: sum(({ leased }) => leased),
      waiting: sum(({ waiting }) => waiting),
      stopped: sum(({ stopped }) => stopped),
      events,
      head,
      lowestCursor: Math.min(head, ...states.map(({ lowest }) => lowest)),
    };
  },
});

type WebhookReply = [
  isStopped: number,
  cursor: string,
  dueAtMs: string | null,
  failures: string | null,
  skipped: string | null,
];

const skippedFrom = (stored: string): SkippedEvent => {
  const [id = '', failure, atMs] = stored.split(':');
  return { id, failure: failure as DeliveryFailure, atMs: Number(atMs) };
};

const readSizes = async (store: Store) => {
  const { state, events: log, bots: listed, posts: showcased, audit, blocks: inForce, installs, backups } = keys;
  const reply = await store.script(
    'read-sizes',
    [state, log, listed, showcased, keys.withdrawn, keys.reports, audit, inForce, installs, backups, keys.missing],
    [],
  );
  const [announced = 0, events = 0, bots = 0, posts = 0, withdrawn = 0, ...others] = (reply as unknown[]).map(Number);
  const [reports = 0, auditLines = 0, blocks = 0, visitors = 0, missing = 0] = others;
  return { announced, events, bots, posts, withdrawn, missing, reports, auditLines, blocks, visitors };
};

/** Of all kinds, in all nodes. */
const countKeys = async (redis: RedisClient): Promise<number> => {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const counts = await Promise.all(nodes.map((node) => node.dbsize()));
  return counts.reduce((sum, count) => sum + count, 0);
};

type PartitionReply = [
  idle: number,
  yielded: number,
  leased: number,
  waiting: number,
  stopped: number,
  lowest: string,
  highest: string,
  atHighest: number,
];

/** The same of one partition. `idle`: neither leased, waiting nor stopped, whether or not it is behind. */
const partitionState = async (store: Store, partition: Partition) => {
  const { cursor, yielded, leased, waiting, stopped, taken, failures } = partition;
  const reply = await store.script('read-partition', [cursor, yielded, leased, waiting, stopped, taken, failures], []);
  const [idle, yields, leases, waits, stops, lowest, highest, atHighest] = reply as PartitionReply;
  return {
    idle,
    yielded: yields,
    leased: leases,
    waiting: waits,
    stopped: stops,
    lowest: lowest === '' ? Infinity : Number(lowest),
    highest: highest === '' ? -Infinity : Number(highest),
    atHighest,
  };
};

/** `waiting`: its last attempt failed and will be retried. */
export type WebhookState = 'active' | 'waiting' | 'stopped';

/** A webhook as the operator sees it. `pending`: events that it has not been sent. */
export type ScannedWebhook = {
  readonly id: string;
  readonly state: WebhookState;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly pending: number;
  readonly nextAttemptAtMs: number | null;
  readonly stoppedAtMs: number | null;
};

/** All webhooks, in no order: ids only, because anyone who knows a URL may remove it. */
export async function* scanWebhooks(store: Store): AsyncGenerator<ScannedWebhook> {
  for (const partition of partitions) {
    for await (const page of scanHash(store, partition.targets)) {
      for (const [id] of page) yield await readState(store, partition, id);
    }
  }
}

const readState = async (
  store: Store,
  { cursor, waiting, stopped, taken, failures }: Partition,
  id: string,
): Promise<ScannedWebhook> => {
  const [idle, position, due, isStopped, failed] = await store.call((redis) =>
    Promise.all([
      redis.zscore(cursor, id),
      redis.hget(taken, id),
      redis.zscore(waiting, id),
      redis.sismember(stopped, id),
      redis.hget(failures, id),
    ]),
  );
  const { lastFailure = null, progress, stoppedAtMs = null } = failuresFrom(failed);
  return {
    id,
    state: isStopped === 1 ? 'stopped' : due === null ? 'active' : 'waiting',
    failures: progress.failures,
    last_failure: lastFailure,
    pending: await pendingAfter(store, idle ?? position?.split(':', 1)[0] ?? '0'),
    nextAttemptAtMs: due === null ? null : Number(due),
    stoppedAtMs,
  };
};
