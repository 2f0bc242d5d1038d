/**
 * The state of the delivery queue: one webhook's for its owner, each webhook's for the operator, and the sizes of
 * everything, for the metrics.
 */
import { Cluster } from 'ioredis';
import type { DeliveryFailure } from '@bot-directory/contract';
import type { SharedGauges } from '../../base/metrics.ts';
import { isAtHost } from '../../domain/block-list.ts';
import type { WebhookTarget, WebhookUrl } from '../../domain/webhook-url.ts';
import { parseAttempts, type Attempt } from '../../domain/attempt.ts';
import { parseSubscription, type Subscription } from '../../domain/subscription.ts';
import { failuresFrom } from './deliveries.ts';
import { keys, ownQueue, partitionOf, partitions, webhookKeys, type Partition } from '../keys.ts';
import { readTogether, scanHash, type RedisClient, type Store } from '../../redis/redis.ts';
import { storedSecrets, type OwnerSecrets, type StoredWebhook } from './webhook-store.ts';

/** The state of deliveries to one webhook. */
export type DeliveryState = OwnerSecrets & {
  readonly isStopped: boolean;
  readonly failures: number;
  /** The number of the last event that it has. */
  readonly cursor: number;
  /** Later events that it accepted while it refuses the one at `from`: all up to the one at `to`. */
  readonly accepted: { readonly from: number; readonly to: number } | undefined;
  readonly subscription: Subscription | undefined;
  readonly lastFailure: DeliveryFailure | undefined;
  readonly nextAttemptAtMs: number | undefined;
  /** The newest first. */
  readonly attempts: readonly Attempt[];
  readonly skipped: readonly SkippedEvent[];
};

/** An event that was given up: how it failed last, and when, by the store's clock. */
type SkippedEvent = { readonly id: string; readonly failure: DeliveryFailure; readonly atMs: number };

/**
 * How many webhooks are in each state. `lowestCursor`: the smallest cursor of the active webhooks that are not failing
 * and are missing an event, or may be; infinite if there are none.
 */
export type QueueCounts = Omit<SharedGauges, 'oldestUndeliveredSec'> & {
  readonly lowestCursor: number;
};

export type QueueState = ReturnType<typeof createQueueState>;

/** The number of events after a number; 0 if a webhook with this subscription has all that it may want. */
const pendingAfter = async (store: Store, number: string, subscription: Subscription | undefined): Promise<number> => {
  const [announced, events] = await store.call((redis) =>
    Promise.all([redis.hget(keys.state, 'announced'), redis.zcount(keys.eventIds, `(${number}`, '+inf')]),
  );
  return subscription === undefined && Number(number) >= Number(announced ?? 0) ? 0 : events;
};

export const createQueueState = (store: Store) => ({
  /** The state of a webhook. `undefined`: nothing is registered at this URL. */
  statusOf: async ({ url, host }: WebhookTarget): Promise<DeliveryState | undefined> => {
    const reply = await store.script('read-webhook', webhookKeys(partitionOf(host)), [url]);
    if (reply === 'missing') return undefined;
    const [, isStopped, number, dueAtMs, stored, skips, subscription, secrets, attempts] = reply as StoredWebhook;
    const { lastFailure, progress } = failuresFrom(stored);
    return {
      ...storedSecrets(secrets),
      isStopped: isStopped === 1,
      failures: progress.failures,
      cursor: Number(number),
      accepted: progress.probe && { from: progress.probe.candidate, to: progress.probe.settled },
      subscription: parseSubscription(subscription),
      lastFailure,
      nextAttemptAtMs: dueAtMs === null ? undefined : Number(dueAtMs),
      attempts: parseAttempts(attempts),
      skipped: skips === null ? [] : skips.split(' ').map(skippedFrom),
    };
  },

  /** The state of the whole queue and the directory, for the metrics. All parts are read concurrently. */
  counts: async (): Promise<QueueCounts> => {
    const [{ announced, last, events, ...sizes }, total, ...both] = await Promise.all([
      readSizes(store),
      store.call(countKeys),
      ...partitions.map((partition) => queueStates(store, partition)),
    ]);
    const states = both.flat();
    // A queue that was read after a publish may be ahead of the sizes.
    const [head, ownHead] = [false, true].map((isOwn) =>
      Math.max(isOwn ? last : announced, ...states.map((state) => (state.isOwn === isOwn ? state.highest : -Infinity))),
    ) as [number, number];
    const headOf = (state: (typeof states)[number]): number => (state.isOwn ? ownHead : head);
    const sum = (count: (state: (typeof states)[number]) => number): number =>
      states.reduce((total, state) => total + count(state), 0);
    return {
      ...sizes,
      keys: total,
      registered: sum(
        (state) => state.idle + state.asleep + state.yielded + state.leased + state.waiting + state.stopped,
      ),
      behind: sum((state) => state.yielded + state.idle - (state.highest === headOf(state) ? state.atHighest : 0)),
      leased: sum(({ leased }) => leased),
      waiting: sum(({ waiting }) => waiting),
      stopped: sum(({ stopped }) => stopped),
      events,
      lowestCursor: Math.min(...states.map((state) => (state.lowest < headOf(state) ? state.lowest : Infinity))),
    };
  },
});

const skippedFrom = (stored: string): SkippedEvent => {
  const [id = '', failure, atMs] = stored.split(':');
  return { id, failure: failure as DeliveryFailure, atMs: Number(atMs) };
};

const readSizes = async (store: Store) => {
  const counted = {
    events: ['XLEN', keys.events],
    bots: ['ZCARD', keys.bots],
    posts: ['ZCARD', keys.posts],
    withdrawn: ['ZCARD', keys.withdrawn],
    missing: ['ZCARD', keys.missing],
    reports: ['HLEN', keys.reports],
    blocks: ['HLEN', keys.blocks],
    visitors: ['ZCARD', keys.installs],
    audit: ['XLEN', keys.audit],
    backups: ['XLEN', keys.backups],
  } as const;
  const commands = Object.values(counted);
  const [state, ...counts] = await readTogether(store, [
    ['HMGET', keys.state, 'announced', 'events', 'dropped_reports', 'backed_up_at', 'submissions'],
    ...commands,
  ]);
  const [announced, last, droppedReports, backedUpAtMs, submissions] = state as (string | null)[];
  const sizes = Object.fromEntries(Object.keys(counted).map((name, i) => [name, counts[i]])) as Record<
    keyof typeof counted,
    number
  >;
  return {
    ...sizes,
    auditLines: sizes.audit + sizes.backups,
    announced: Number(announced),
    last: Number(last),
    droppedReports: Number(droppedReports),
    backedUpAtSec: Number(backedUpAtMs) / 1_000,
    submissionsClosed: submissions === 'off' ? 1 : 0,
  };
};

/** Counts keys of all kinds, in all nodes. */
const countKeys = async (redis: RedisClient): Promise<number> => {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const counts = await Promise.all(nodes.map((node) => node.dbsize()));
  return counts.reduce((sum, count) => sum + count, 0);
};

type QueueReply = [
  idle: number,
  yielded: number,
  leased: number,
  waiting: number,
  stopped: number,
  lowest: string,
  highest: string,
  atHighest: number,
  asleep: number,
];

/** Reads the state of both queues. `idle`: not asleep, leased, waiting or stopped, whether or not it is behind. */
const queueStates = async (store: Store, partition: Partition) => {
  const { taken, failures, asleep, watermark } = partition;
  const both = [partition, ownQueue(partition)];
  const sets = both.flatMap(({ cursor, yielded, leased, waiting, stopped }) => [
    cursor,
    yielded,
    leased,
    waiting,
    stopped,
  ]);
  const replies = await store.script('read-partition', [taken, failures, asleep, watermark, ...sets], []);
  return (replies as QueueReply[]).map(
    ([idle, yielded, leased, waiting, stopped, lowest, highest, atHighest, sleeping], i) => ({
      isOwn: i === 1,
      idle,
      yielded,
      leased,
      waiting,
      stopped,
      atHighest,
      asleep: sleeping,
      lowest: lowest === '' ? Infinity : Number(lowest),
      highest: highest === '' ? -Infinity : Number(highest),
    }),
  );
};

/** `waiting`: its last attempt failed and will be retried. */
export type WebhookState = 'active' | 'waiting' | 'stopped';

/** A webhook as the operator sees it. `pending`: events after its cursor, of which it may not want all. */
export type ScannedWebhook = {
  readonly id: string;
  readonly host: string;
  /** The mark of the client that registered it, or ''. */
  readonly client: string;
  readonly state: WebhookState;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly subscription: Subscription | undefined;
  readonly pending: number;
  readonly nextAttemptAtMs: number | null;
  readonly stoppedAtMs: number | null;
};

/** All webhooks, or those of a host, in no order: without URLs, because anyone who knows one may remove it. */
export async function* scanWebhooks(store: Store, atHost?: string): AsyncGenerator<ScannedWebhook> {
  for await (const { id, target, client, partition } of scanTargets(store))
    if (atHost === undefined || isAtHost(target.host, atHost))
      yield* await readState(store, partition, { id, client, ...target });
}

/** All webhooks with their URLs, which no output may have. */
export async function* scanTargets(store: Store) {
  for (const partition of partitions)
    for await (const page of scanHash(store, partition.targets)) {
      const marks = await store.call((redis) => redis.hmget(partition.registrants, ...page.map(([id]) => id)));
      for (const [i, [id, url]] of page.entries())
        yield {
          id,
          partition,
          client: marks[i] ?? '',
          target: { url: url as WebhookUrl, host: new URL(url).hostname } satisfies WebhookTarget,
        };
    }
}

const readState = async (
  store: Store,
  partition: Partition,
  { id, client, url, host }: WebhookTarget & { readonly id: string; readonly client: string },
): Promise<ScannedWebhook[]> => {
  const reply = await store.script('read-webhook', webhookKeys(partition), [url]);
  // It was removed meanwhile.
  if (reply === 'missing') return [];
  const [, isStopped, position, due, failed, , subscription] = reply as StoredWebhook;
  const { lastFailure = null, progress, stoppedAtMs = null } = failuresFrom(failed);
  const own = parseSubscription(subscription);
  return [
    {
      id,
      host,
      client,
      state: isStopped === 1 ? 'stopped' : due === null ? 'active' : 'waiting',
      failures: progress.failures,
      last_failure: lastFailure,
      subscription: own,
      pending: await pendingAfter(store, position, own),
      nextAttemptAtMs: due === null ? null : Number(due),
      stoppedAtMs,
    },
  ];
};
