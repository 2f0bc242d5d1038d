/**
 * The delivery queue in the store: leases of webhooks that have events to be sent, and their results. All its times are
 * by the store's clock: scripts are given durations, never an instant of a process's clock.
 */
import { randomInt } from 'node:crypto';
import type { DeliveryFailure } from '@bot-directory/contract';
import type { EventId, WebhookId } from '../../base/ids.ts';
import { attemptText, type Attempt } from '../../domain/attempt.ts';
import { fresh, type Progress, type Probe } from '../../domain/delivery.ts';
import { parseSubscription, type Subscription } from '../../domain/subscription.ts';
import type { WebhookUrl } from '../../domain/webhook-url.ts';
import { keys, queues, type Queue } from '../keys.ts';
import type { Store } from '../../redis/redis.ts';
import { storedSecrets, type OwnerSecrets } from './webhook-store.ts';

/**
 * A webhook that only this process may deliver to, until the lease expires. `token` identifies the claim that granted
 * it. It expires by the store's clock; `expiresAtMs` is no later, on this process's monotonic clock, and moves when the
 * lease is renewed.
 */
export type Lease = OwnerSecrets & {
  readonly queue: Queue;
  readonly id: WebhookId;
  readonly url: WebhookUrl;
  /** What it wants; undefined if that is what every webhook gets. */
  readonly subscription?: Subscription | undefined;
  readonly token: string;
  expiresAtMs: number;
  readonly progress: Progress;
};

/** What a claim asks for; see `claim-webhooks.lua`. `isRepeated`: the last claim with this token got no reply. */
export type ClaimRequest = {
  readonly head: number;
  readonly most: number;
  readonly mostBacklog: number;
  readonly token: string;
  readonly isRepeated: boolean;
};

/** The result of a claim; see `claim-webhooks.lua`. `dueInMs`: when the queue's next lease or wait expires. */
export type Claim = {
  readonly leases: readonly Lease[];
  readonly moreBehind: boolean;
  readonly moreBacklog: boolean;
  readonly isEmpty: boolean;
  readonly dueInMs: number;
};

/** How a lease is settled; see `settle-webhooks.lua`. */
export type LeaseResult =
  | { readonly kind: 'advance' | 'yield' | 'keep' | 'stop' }
  | { readonly kind: 'wait'; readonly delayMs: number };

/**
 * What a run did. Without a `failure`, the stored failures are kept, unless `progress` has none. `skipped`: the event
 * that was given up, and how it failed last. `attempt`: what was sent.
 */
export type Note = {
  readonly progress: Progress;
  readonly failure?: DeliveryFailure | undefined;
  readonly skipped?: { readonly eventId: EventId; readonly failure: DeliveryFailure } | undefined;
  readonly attempt?: Omit<Attempt, 'atMs'> | undefined;
};

/** The result of a lease, as it is saved. */
export type Settlement = { readonly lease: Lease; readonly result: LeaseResult; readonly note: Note };

/** Options of the queue. `steadyMs`: a monotonic clock. */
export type DeliveriesOptions = { readonly leaseMs: number; readonly steadyMs: () => number };

export type Deliveries = ReturnType<typeof createDeliveries>;

/** How many leases one script settles: it bounds how long the script blocks the store. */
const maxSettled = 500;

/** How many webhooks one script puts to sleep. */
const maxTucked = 1_000;

/** Events to pass: their topics, all together. */
export type Passing = { readonly from: number; readonly through: number; readonly topics: readonly string[] };

/** The result; see `pass-events.lua`. */
export type Passed = {
  readonly watermark: number;
  readonly asleep: number;
  readonly idle: number;
  readonly behind: number;
  readonly isPassed: boolean;
};

type ClaimReply = [
  dueInMs: string,
  moreBehind: number,
  moreBacklog: number,
  empty: number,
  ids: WebhookId[],
  urls: (WebhookUrl | null)[],
  cursors: string[],
  failures: (string | null)[],
  secrets: (string | null)[],
  subscriptions?: (string | null)[],
];

/** The queue. */
export const createDeliveries = (store: Store, { leaseMs, steadyMs }: DeliveriesOptions) => ({
  /** Leases webhooks of a queue that have events to be sent. */
  claim: async (queue: Queue, request: ClaimRequest): Promise<Claim> => {
    const { head, most, mostBacklog, token, isRepeated } = request;
    const { cursor, yielded, leased, waiting, targets, taken, failures, secrets, subscriptions } = queue;
    const expiresAtMs = steadyMs() + leaseMs;
    const reply = await store.script(
      'claim-webhooks',
      [cursor, yielded, leased, waiting, targets, taken, failures, secrets, ...(queue.isOwn ? [subscriptions] : [])],
      [head, most, mostBacklog, leaseMs, token, isRepeated ? 1 : 0],
    );
    const [dueInMs, moreBehind, moreBacklog, empty, ids, urls, cursors, stored, secretTexts, subscriptionTexts] =
      reply as ClaimReply;
    const leases = ids.flatMap((id, i) => {
      const url = urls[i];
      const progress = progressFrom(Number(cursors[i]), stored[i]);
      const subscription = parseSubscription(subscriptionTexts?.[i]);
      // A release that knows no subscriptions removed the webhook, but left it in its queue.
      if (url === undefined || url === null || (queue.isOwn && subscription === undefined)) return [];
      return [{ queue, id, url, ...storedSecrets(secretTexts[i]), subscription, token, expiresAtMs, progress }];
    });
    return {
      leases,
      moreBehind: moreBehind === 1,
      moreBacklog: moreBacklog === 1,
      isEmpty: empty === 1,
      dueInMs: dueInMs === '' ? Infinity : Number(dueInMs),
    };
  },

  /** Saves the results of leases of one queue. Returns for each whether it was still held. */
  settle: async (queue: Queue, settlements: readonly Settlement[]): Promise<boolean[]> => {
    const kept: boolean[] = [];
    for (let i = 0; i < settlements.length; i += maxSettled)
      kept.push(...(await settleSome(store, queue, { settlements: settlements.slice(i, i + maxSettled), leaseMs })));
    return kept;
  },

  /**
   * Passes the events after `from`, up to `through`, for the webhooks of a queue that are asleep, and wakes those under
   * one of the events' topics. `isPassed`: false if that has to be done again, from `watermark`.
   */
  pass: async ({ cursor, asleep, topics, watermark }: Queue, events: Passing): Promise<Passed> => {
    const args = [events.from, events.through, maxTucked, ...events.topics];
    const reply = await store.script('pass-events', [cursor, asleep, topics, watermark], args);
    const [number, sleeping, idle, behind, done] = reply as [string, number, number, number, number];
    return { watermark: Number(number), asleep: sleeping, idle, behind, isPassed: done === 1 };
  },

  /**
   * Makes leases and waits due now that are due later than they can be, given the longest wait after 0, 1, 2, …
   * failures: the store's clock was ahead when they were written. Returns how many.
   */
  bringForward: async (longestWaitsMs: readonly number[]): Promise<number> => {
    const args = [Math.max(leaseMs, ...longestWaitsMs), randomInt(2 ** 31), ...longestWaitsMs];
    const counts = await Promise.all(
      queues.map(({ leased, waiting, failures }) => store.script('bring-forward', [leased, waiting, failures], args)),
    );
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  },

  /** Whether the operator has paused all deliveries. */
  isPaused: async (): Promise<boolean> => (await store.call((redis) => redis.exists(keys.paused))) === 1,
});

/** Settles leases in one script, in groups that differ only in their ids. */
const settleSome = async (
  store: Store,
  { cursor, yielded, leased, waiting, taken, failures, stopped, skipped, attempts }: Queue,
  { settlements, leaseMs }: { settlements: readonly Settlement[]; leaseMs: number },
): Promise<boolean[]> => {
  const groups = new Map<string, number[]>();
  settlements.forEach((settlement, i) => {
    const shared = sharedBy(settlement, leaseMs);
    const group = groups.get(shared);
    if (group === undefined) groups.set(shared, [i]);
    else group.push(i);
  });
  const args: (string | number)[] = [];
  for (const [shared, group] of groups)
    args.push(...shared.split(','), group.map((i) => named(settlements[i])).join(','));
  const reply = (await store.script(
    'settle-webhooks',
    [cursor, yielded, leased, waiting, taken, failures, stopped, skipped, attempts],
    args,
  )) as string;
  const kept: boolean[] = [];
  [...groups.values()].flat().forEach((i, at) => (kept[i] = reply[at] === '1'));
  return kept;
};

/** What the leases of a group do not share: its webhook, and its attempt. */
const named = (settlement: Settlement | undefined): string => {
  if (settlement === undefined) return '';
  const { lease, note } = settlement;
  return note.attempt === undefined ? lease.id : `${lease.id}:${attemptText(note.attempt)}`;
};

/** What the leases of a group share, as arguments of the script: kind, token, cursor, duration, failures, skipped. */
const sharedBy = ({ lease, result, note }: Settlement, leaseMs: number): string => {
  const { progress, failure, skipped } = note;
  const { kind } = result;
  const durationMs = kind === 'keep' ? leaseMs : kind === 'wait' ? result.delayMs : '';
  const hasNone = progress.failures === 0 && progress.ownFaults === 0 && progress.probe === undefined;
  const kept = kind === 'stop' ? { ...progress, probe: undefined } : progress;
  const failures = failure === undefined ? (hasNone ? '-' : '') : failuresText(kept, failure);
  const given = skipped === undefined ? '' : `${skipped.eventId}:${skipped.failure}`;
  return `${kind},${lease.token},${progress.cursor},${durationMs},${failures},${given}`;
};

/** The progress of a webhook at the start of a run. */
const progressFrom = (cursor: number, storedFailures: string | null | undefined): Progress =>
  typeof storedFailures === 'string' ? { cursor, ...failuresFrom(storedFailures).progress } : fresh(cursor);

type Counted = Pick<Progress, 'failures' | 'ownFaults'> & { readonly probe?: Probe | undefined };

const failuresText = ({ failures, ownFaults, probe }: Counted, failure: DeliveryFailure): string =>
  [failures, failure, ownFaults, ...(probe === undefined ? [] : [probeText(probe)])].join(':');

/** Parses the stored failures. `stoppedAtMs`: by the store's clock, if the webhook stopped and this was recorded. */
export const failuresFrom = (stored: string | null | undefined) => {
  const [count = '0', lastFailure, ownFaults = '0', probe] = stored?.split(':') ?? [];
  const failures = Number(count);
  return {
    lastFailure: lastFailure as DeliveryFailure | undefined,
    stoppedAtMs: probe?.startsWith(stoppedMark) === true ? Number(probe.slice(stoppedMark.length)) : undefined,
    progress: { failures, ownFaults: Number(ownFaults), ...parseProbe(probe) },
  };
};

/** What `settle-webhooks.lua` stores in place of a probe. */
const stoppedMark = 'stopped ';

const probeText = ({ candidate, last, settled, agreeing, alone, failure, next }: Probe): string =>
  [candidate, last, settled, agreeing, alone, failure, next].join(' ');

const parseProbe = (text: string | undefined): { readonly probe?: Probe } => {
  if (text === undefined || text.startsWith(stoppedMark)) return {};
  const [candidate = 0, last = 0, settled = 0, agreeing = 0, alone = 0] = text.split(' ', 5).map(Number);
  const [failure, next] = text.split(' ').slice(5) as [DeliveryFailure, Probe['next']];
  return { probe: { candidate, last, settled, agreeing, alone, failure, next } };
};
