/** The delivery queue in the store: leases of webhooks that have something to be sent, and what came of them. */
import type { KeyObject } from 'node:crypto';
import type { DeliveryFailure } from '@bot-directory/contract';
import type { WebhookId } from '../base/ids.ts';
import type { QueueState } from '../base/metrics.ts';
import type { Progress } from '../domain/delivery.ts';
import type { WebhookTarget, WebhookUrl } from '../domain/webhook-url.ts';
import { keys, partitionOf, partitions, type Partition } from './keys.ts';
import type { RedisClient, Store } from './redis.ts';
import { storedSecret } from './webhook-store.ts';

/** A webhook that this process alone delivers to, until `untilMs`. That time is also the lease's token. */
export type Lease = {
  readonly partition: Partition;
  readonly id: WebhookId;
  readonly url: WebhookUrl;
  /** Its owner's secret, if it gave one. */
  readonly secret?: KeyObject | undefined;
  readonly untilMs: number;
  readonly progress: Progress;
};

/** What a claim found. `dueAtMs`: when the next lease or wait of the partition runs out. */
export type Claim = { readonly leases: readonly Lease[]; readonly more: boolean; readonly dueAtMs: number };

/** What becomes of a lease; see `settle-webhooks.lua`. A wait without a failure leaves those that are remembered. */
export type Ending =
  | { readonly step: 'advance' }
  | { readonly step: 'keep'; readonly untilMs: number }
  | { readonly step: 'wait'; readonly atMs: number; readonly failure?: DeliveryFailure }
  | { readonly step: 'stop'; readonly failure: DeliveryFailure };

/** What is written down of a lease. */
export type Settlement = Ending & { readonly lease: Lease; readonly progress: Progress };

export type Deliveries = ReturnType<typeof createDeliveries>;

/** How deliveries to one webhook are going. `pending`: events that it has not been sent. */
export type DeliveryState = {
  readonly isStopped: boolean;
  readonly failures: number;
  readonly pending: number;
  readonly lastFailure: DeliveryFailure | undefined;
  readonly nextAttemptAtMs: number | undefined;
};

/** How many webhooks are where. `lowestCursor`: the last event that the furthest behind has, of those that are active and not failing. */
export type QueueCounts = Omit<QueueState, 'oldestUndeliveredSec'> & { readonly lowestCursor: number };

/** How many leases one script settles: a bound on how long it keeps the store from others. */
const maxSettled = 500;

/** The queue. */
export const createDeliveries = (store: Store) => {
  const settleSome = async (place: Partition, settlements: readonly Settlement[]): Promise<boolean[]> => {
    const groups = new Map<string, number[]>();
    settlements.forEach((settlement, i) => {
      const shared = sharedBy(settlement);
      const group = groups.get(shared);
      if (group === undefined) groups.set(shared, [i]);
      else group.push(i);
    });
    const args: string[] = [];
    for (const [shared, group] of groups)
      args.push(...shared.split(','), group.map((i) => settlements[i]?.lease.id).join(','));
    const reply = (await store.script(
      'settle-webhooks',
      [place.cursor, place.leased, place.waiting, place.taken, place.failures, place.stopped],
      args,
    )) as string;
    const kept: boolean[] = [];
    [...groups.values()].flat().forEach((i, at) => (kept[i] = reply[at] === '1'));
    return kept;
  };
  return {
    /** Leases up to `most` webhooks of a partition that are due, or behind `head`. */
    claim: async (
      partition: Partition,
      { nowMs, head, most, untilMs }: { nowMs: number; head: number; most: number; untilMs: number },
    ): Promise<Claim> => {
      const { cursor, leased, waiting, targets, taken, failures, secrets } = partition;
      const reply = await store.script(
        'claim-webhooks',
        [cursor, leased, waiting, targets, taken, failures, secrets],
        [nowMs, head, most, untilMs],
      );
      const [more, due, ids, urls, numbers, stored, secretTexts] = reply as [
        number,
        string,
        WebhookId[],
        WebhookUrl[],
        string[],
        (string | null)[],
        (string | null)[],
      ];
      const leases = ids.map((id, i) => ({
        partition,
        id,
        url: urls[i] as WebhookUrl,
        secret: storedSecret(secretTexts[i]),
        untilMs,
        progress: progressFrom(numbers[i], stored[i]),
      }));
      return { leases, more: more === 1, dueAtMs: due === '' ? Infinity : Number(due) };
    },

    /** Writes down what came of leases of one partition. Says for each whether it still held. */
    settle: async (partition: Partition, settlements: readonly Settlement[]): Promise<boolean[]> => {
      const kept: boolean[] = [];
      for (let i = 0; i < settlements.length; i += maxSettled)
        kept.push(...(await settleSome(partition, settlements.slice(i, i + maxSettled))));
      return kept;
    },

    /** How a webhook is doing. `undefined`: nothing is registered at this URL. */
    statusOf: async ({ url, host }: WebhookTarget): Promise<DeliveryState | undefined> => {
      const { urls, stopped, cursor, taken, waiting, failures } = partitionOf(host);
      const head = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
      const reply = await store.script('read-webhook', [urls, stopped, cursor, taken, waiting, failures], [url]);
      if (reply === 'missing') return undefined;
      const [isStopped, number, dueAtMs, stored] = reply as [number, string, string | null, string | null];
      return {
        isStopped: isStopped === 1,
        pending: Math.max(0, head - Number(number)),
        nextAttemptAtMs: dueAtMs === null ? undefined : Number(dueAtMs),
        ...failuresFrom(stored),
      };
    },

    /** How the whole queue is doing, for the metrics. */
    queueState: async (): Promise<QueueCounts> => {
      const head = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
      const places = await Promise.all(
        partitions.map((place) => store.call((redis) => placeState(redis, place, head))),
      );
      const sum = (name: 'idle' | 'leased' | 'waiting' | 'stopped' | 'behind'): number =>
        places.reduce((total, place) => total + place[name], 0);
      const [idle, leased, waiting, stopped, behind] = [
        sum('idle'),
        sum('leased'),
        sum('waiting'),
        sum('stopped'),
        sum('behind'),
      ];
      const cursors = places.map((place) => place.lowestCursor);
      return {
        registered: idle + leased + waiting + stopped,
        behind,
        leased,
        waiting,
        stopped,
        events: head,
        lowestCursor: Math.min(head, ...cursors),
      };
    },

    /** Whether the operator has paused all deliveries. */
    isPaused: async (): Promise<boolean> => (await store.call((redis) => redis.exists(keys.paused))) === 1,

    /** Pauses or resumes all deliveries, of every process. */
    setPaused: async (paused: boolean): Promise<void> => {
      await store.call<unknown>((redis) => (paused ? redis.set(keys.paused, '1') : redis.del(keys.paused)));
    },
  };
};

/** The same of one partition. `idle`: behind or not, as long as it neither is leased, nor waits, nor is stopped. */
const placeState = async (
  redis: RedisClient,
  { cursor, leased, waiting, stopped, taken, failures }: Partition,
  head: number,
) => {
  const [idle, leases, waits, stops, behind, [, lowest]] = await Promise.all([
    redis.zcard(cursor),
    redis.zrange(leased, '0', '-1'),
    redis.zcard(waiting),
    redis.scard(stopped),
    redis.zcount(cursor, '-inf', `(${String(head)}`),
    redis.zrange(cursor, '0', '0', 'WITHSCORES'),
  ]);
  const [numbers, failed] =
    leases.length === 0
      ? [[], []]
      : await Promise.all([redis.hmget(taken, ...leases), redis.hmget(failures, ...leases)]);
  const delivering = numbers.filter((number, i) => number !== null && failed[i] === null).map(Number);
  return {
    idle,
    leased: leases.length,
    waiting: waits,
    stopped: stops,
    behind,
    lowestCursor: Math.min(Number(lowest ?? head), ...delivering),
  };
};

/** What the leases of a group have in common, as `settle-webhooks.lua` takes it: step, token, cursor, time, failures. */
const sharedBy = (settlement: Settlement): string => {
  const { step, lease, progress } = settlement;
  const time = step === 'keep' ? settlement.untilMs : step === 'wait' ? settlement.atMs : '';
  const failure = step === 'wait' || step === 'stop' ? settlement.failure : undefined;
  return `${step},${lease.untilMs},${progress.cursor},${time},${failure === undefined ? '' : `${progress.failures}:${failure}`}`;
};

/** Reads what is stored of failures: their number and the category of the last. */
const failuresFrom = (
  stored: string | null | undefined,
): { failures: number; lastFailure: DeliveryFailure | undefined } => {
  const [failures = '0', lastFailure] = stored?.split(':') ?? [];
  return { failures: Number(failures), lastFailure: lastFailure as DeliveryFailure | undefined };
};

const progressFrom = (cursor: string | undefined, stored: string | null | undefined): Progress => {
  const { failures } = failuresFrom(stored);
  return { cursor: Number(cursor), failures, failuresAtWait: failures, probing: false };
};
