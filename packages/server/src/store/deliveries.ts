/** The delivery queue in the store: leases of webhooks that have something to be sent, and what came of them. */
import type { PingFailure } from '@bot-directory/contract';
import type { WebhookId } from '../base/ids.ts';
import type { QueueState } from '../base/metrics.ts';
import type { Progress } from '../domain/delivery.ts';
import type { WebhookTarget, WebhookUrl } from '../domain/webhook-url.ts';
import { keys, partitionOf, partitions, type Partition } from './keys.ts';
import type { Store } from './redis.ts';

/** A webhook that this process alone delivers to, until `untilMs`. That time is also the lease's token. */
export type Lease = {
  readonly partition: Partition;
  readonly id: WebhookId;
  readonly url: WebhookUrl;
  readonly untilMs: number;
  readonly progress: Progress;
};

/** What a claim found. `dueAtMs`: when the next lease or wait of the partition runs out. */
export type Claim = { readonly leases: readonly Lease[]; readonly more: boolean; readonly dueAtMs: number };

/** What is written down of a lease; see `settle-webhooks.lua`. `atMs`: end of the renewed lease, or of the wait. */
export type Settlement = {
  readonly lease: Lease;
  readonly step: 'advance' | 'keep' | 'wait' | 'stop';
  readonly progress: Progress;
  readonly atMs: number;
  /** The failure to remember; `none` forgets those before, '' leaves it at that. */
  readonly failure: PingFailure | 'none' | '';
};

export type Deliveries = ReturnType<typeof createDeliveries>;

/** How deliveries to one webhook are going. `pending`: events that it has not been sent. */
export type DeliveryState = {
  readonly isStopped: boolean;
  readonly failures: number;
  readonly pending: number;
  readonly lastFailure: PingFailure | undefined;
  readonly nextAttemptAtMs: number | undefined;
};

/** How many webhooks are where. `lowestCursor`: the event that the furthest behind of those that don't wait has. */
export type QueueCounts = Omit<QueueState, 'oldestUndeliveredSec'> & { readonly lowestCursor: number };

/** How many leases one script settles: a bound on how long it keeps the store from others. */
const maxSettled = 500;

/** The queue. */
export const createDeliveries = (store: Store) => {
  const settleSome = async (partition: Partition, settlements: readonly Settlement[]): Promise<boolean[]> => {
    const args = settlements.flatMap(({ lease, step, progress, atMs, failure }) => [lease.id, lease.untilMs, step, progress.cursor, progress.failures, atMs, failure]);
    const reply = await store.script('settle-webhooks', [partition.cursor, partition.leased, partition.waiting], [partition.webhook(''), ...args]);
    return (reply as number[]).map((kept) => kept === 1);
  };
  return {
    /** Leases up to `most` webhooks of a partition that are due, or behind `head`. */
    claim: async (partition: Partition, { nowMs, head, most, untilMs }: { nowMs: number; head: number; most: number; untilMs: number }): Promise<Claim> => {
      const reply = await store.script('claim-webhooks', [partition.cursor, partition.leased, partition.waiting], [nowMs, head, most, untilMs, partition.webhook('')]);
      const [more, due, claimed] = reply as [number, string, [WebhookId, WebhookUrl, string, string][]];
      const leases = claimed.map(([id, url, cursor, failures]) => ({
        partition,
        id,
        url,
        untilMs,
        progress: { cursor: Number(cursor), failures: Number(failures), failuresAtWait: Number(failures), probing: false },
      }));
      return { leases, more: more === 1, dueAtMs: due === '' ? Infinity : Number(due) };
    },

    /** Writes down what came of leases of one partition. Says for each whether it still held. */
    settle: async (partition: Partition, settlements: readonly Settlement[]): Promise<boolean[]> => {
      const kept: boolean[] = [];
      for (let i = 0; i < settlements.length; i += maxSettled) kept.push(...(await settleSome(partition, settlements.slice(i, i + maxSettled))));
      return kept;
    },

    /** How a webhook is doing. `undefined`: nothing is registered at this URL. */
    statusOf: async ({ url, host }: WebhookTarget): Promise<DeliveryState | undefined> => {
      const place = partitionOf(host);
      const id = await store.call((redis) => redis.hget(place.urls, url));
      if (id === null) return undefined;
      const [head, [state, cursor, failures, lastFailure], idleAt, waitsUntil] = await store.call((redis) =>
        Promise.all([
          redis.hget(keys.state, 'events'),
          redis.hmget(place.webhook(id as WebhookId), 'state', 'cursor', 'failures', 'last_failure'),
          redis.zscore(place.cursor, id),
          redis.zscore(place.waiting, id),
        ]),
      );
      return {
        isStopped: state === 'stopped',
        failures: Number(failures ?? 0),
        pending: Math.max(0, Number(head ?? 0) - Number(idleAt ?? cursor ?? 0)),
        lastFailure: lastFailure ? (lastFailure as PingFailure) : undefined,
        nextAttemptAtMs: waitsUntil === null ? undefined : Number(waitsUntil),
      };
    },

    /** How the whole queue is doing, for the metrics. */
    queueState: async (): Promise<QueueCounts> => {
      const head = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
      const places = await store.call((redis) =>
        Promise.all(
          partitions.map(({ urls, cursor, leased, waiting }) =>
            Promise.all([redis.hlen(urls), redis.zcount(cursor, '-inf', `(${String(head)}`), redis.zcard(cursor), redis.zcard(leased), redis.zcard(waiting), redis.zrange(cursor, '0', '0', 'WITHSCORES')]),
          ),
        ),
      );
      const sum = (index: 0 | 1 | 2 | 3 | 4): number => places.reduce((total, place) => total + place[index], 0);
      const [registered, behind, active, leased, waiting] = [sum(0), sum(1), sum(2), sum(3), sum(4)];
      const cursors = places.map((place) => Number(place[5][1] ?? head));
      return { registered, behind, leased, waiting, stopped: registered - active - leased - waiting, events: head, lowestCursor: Math.min(head, ...cursors) };
    },

    /** Whether the operator has paused all deliveries. */
    isPaused: async (): Promise<boolean> => (await store.call((redis) => redis.exists(keys.paused))) === 1,

    /** Pauses or resumes all deliveries, of every process. */
    setPaused: async (paused: boolean): Promise<void> => {
      await store.call<unknown>((redis) => (paused ? redis.set(keys.paused, '1') : redis.del(keys.paused)));
    },
  };
};
