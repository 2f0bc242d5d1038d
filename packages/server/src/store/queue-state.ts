/** How the delivery queue is doing: one webhook's state for its owner, and all of it for the operator; and the pause. */
import type { DeliveryFailure } from '@bot-directory/contract';
import type { QueueState as QueueMetrics } from '../base/metrics.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import { failuresFrom } from './deliveries.ts';
import { keys, partitionOf, partitions, type Partition } from './keys.ts';
import type { RedisClient, Store } from './redis.ts';

/** How deliveries to one webhook are going. `pending`: events that it has not been sent. */
export type DeliveryState = {
  readonly isStopped: boolean;
  readonly failures: number;
  readonly pending: number;
  readonly lastFailure: DeliveryFailure | undefined;
  readonly nextAttemptAtMs: number | undefined;
};

/** How many webhooks are in which state. `lowestCursor`: the last event that the furthest behind has, of those that are active and not failing. */
export type QueueCounts = Omit<QueueMetrics, 'oldestUndeliveredSec'> & { readonly lowestCursor: number };

export type QueueState = ReturnType<typeof createQueueState>;

/** Looks at the queue. */
export const createQueueState = (store: Store) => ({
  /** How a webhook is doing. `undefined`: nothing is registered at this URL. */
  statusOf: async ({ url, host }: WebhookTarget): Promise<DeliveryState | undefined> => {
    const { urls, stopped, cursor, taken, waiting, failures } = partitionOf(host);
    const reply = await store.script('read-webhook', [urls, stopped, cursor, taken, waiting, failures], [url]);
    if (reply === 'missing') return undefined;
    const [isStopped, number, dueAtMs, stored] = reply as [number, string, string | null, string | null];
    const { lastFailure, progress } = failuresFrom(stored);
    return {
      isStopped: isStopped === 1,
      failures: progress.failures,
      pending: await store.call((redis) => redis.zcount(keys.eventIds, `(${number}`, '+inf')),
      lastFailure,
      nextAttemptAtMs: dueAtMs === null ? undefined : Number(dueAtMs),
    };
  },

  /** How the whole queue is doing, for the metrics. */
  counts: async (): Promise<QueueCounts> => {
    const head = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
    const states = await Promise.all(
      partitions.map((partition) => store.call((redis) => partitionState(redis, partition, head))),
    );
    const sum = (name: 'idle' | 'leased' | 'waiting' | 'stopped' | 'behind'): number =>
      states.reduce((total, state) => total + state[name], 0);
    const [leased, waiting, stopped] = [sum('leased'), sum('waiting'), sum('stopped')];
    return {
      registered: sum('idle') + leased + waiting + stopped,
      behind: sum('behind'),
      leased,
      waiting,
      stopped,
      events: head,
      lowestCursor: Math.min(head, ...states.map(({ lowestCursor }) => lowestCursor)),
    };
  },

  /** Pauses or resumes all deliveries, of every process. */
  setPaused: async (paused: boolean): Promise<void> => {
    await store.call<unknown>((redis) => (paused ? redis.set(keys.paused, '1') : redis.del(keys.paused)));
  },
});

/** How many of those whose runs yielded are looked at for the furthest behind: those served longest ago. */
const yieldedLookedAt = 1_000;

/** The same of one partition. `idle`: behind or not, as long as it neither is leased, nor waits, nor is stopped. */
const partitionState = async (
  redis: RedisClient,
  { cursor, yielded, leased, waiting, stopped, taken, failures }: Partition,
  head: number,
) => {
  const [idle, yields, leases, waits, stops, behind, [, lowest], served] = await Promise.all([
    redis.zcard(cursor),
    redis.zcard(yielded),
    redis.zrange(leased, '0', '-1'),
    redis.zcard(waiting),
    redis.scard(stopped),
    redis.zcount(cursor, '-inf', `(${String(head)}`),
    redis.zrange(cursor, '0', '0', 'WITHSCORES'),
    redis.zrange(yielded, '0', String(yieldedLookedAt - 1)),
  ]);
  const delivering = [...leases, ...served];
  const [numbers, failed] =
    delivering.length === 0
      ? [[], []]
      : await Promise.all([redis.hmget(taken, ...delivering), redis.hmget(failures, ...delivering)]);
  const cursors = numbers.flatMap((number, i) =>
    number === null || failed[i] !== null ? [] : [Number(number.split(':', 1)[0])],
  );
  return {
    idle: idle + yields,
    leased: leases.length,
    waiting: waits,
    stopped: stops,
    behind: behind + yields,
    lowestCursor: Math.min(Number(lowest ?? head), ...cursors),
  };
};
