/**
 * Decides what to claim next, and when, from what was claimed, what was settled and what is due. Pure: it has no clock
 * and no store. The times it is given come from one monotonic clock, and event numbers are only compared.
 *
 * Each queue of the store is in one of these states:
 *
 * - IDLE: as far as is known, none of its webhooks can be leased. It is OPEN when the log grows, unless all of its
 *   webhooks are stopped or asleep; when one of them is woken, is due, or is settled with events left; at each poll.
 * - OPEN: some of its webhooks may be leased. It is CLAIMED when there is capacity, the least often claimed
 *   first.
 * - CLAIMED: the store has not replied yet. Then it is OPEN if there may be more, or if the store did not reply; PAUSED
 *   if the dispatcher refused some of what was found; IDLE otherwise. What is reported meanwhile opens it, too.
 * - PAUSED: its backlog is left alone for 250 ms. Then it is OPEN, and before that when the log grows.
 */
import type { Queue } from '../store/keys.ts';
import type { Claim, LeaseResult } from '../store/webhooks/deliveries.ts';
import type { Capacity } from './dispatcher.ts';

/** What the engine should do now. */
export type Plan =
  /** Claim in these queues. */
  | {
      readonly kind: 'claim';
      readonly queues: readonly number[];
      readonly most: number;
      readonly mostBacklog: number;
    }
  /** Nothing to do for this long, unless a notification comes. */
  | { readonly kind: 'sleep'; readonly forMs: number };

export type Situation = {
  readonly nowMs: number;
  /** The number of the last event that may be for every webhook. */
  readonly head: number;
  /** Differs once webhooks were registered before that event. */
  readonly registrations: string;
  readonly capacity: Capacity;
  readonly isPaused: boolean;
};

/** What is known about a queue. `followsHead`: every event may be for all of its webhooks. */
type KnownQueue = {
  readonly followsHead: boolean;
  /** The last event and the registrations at the time of the last claim, and whether it found the queue empty. */
  claimedHead: number;
  claimedAfter: string;
  isEmpty: boolean;
  isBehind: boolean;
  hasBacklog: boolean;
  dueAtMs: number;
  /** Until when its backlog is left alone, because there was no room for what the last claim found. */
  pausedUntilMs: number;
  claims: number;
  /** How many leases the last claim that found any was granted. */
  lastFound: number;
};

/** A smaller claim would cost the store a script for almost nothing. Leases that cannot run yet are queued. */
const smallestClaim = 64;
const backoffMs = 250;
/** A webhook that had every event this long ago is missing only new ones. */
const newForMs = 1_000;

export class Schedule {
  readonly #pollMs: number;
  readonly #queues: KnownQueue[];
  /** The last event now, and the last one at least `newForMs` ago. */
  #heads = { number: 0, atMs: -Infinity, before: 0 };
  #starved = { all: false, backlog: false };

  /** Webhooks of a queue with `isOwn` are woken explicitly, so that an event does not cost a claim there. */
  constructor(queues: readonly Pick<Queue, 'isOwn'>[], pollMs: number) {
    this.#pollMs = pollMs;
    this.#queues = queues.map(({ isOwn }) => ({
      followsHead: !isOwn,
      claimedHead: -1,
      claimedAfter: '',
      isEmpty: false,
      isBehind: true,
      hasBacklog: true,
      dueAtMs: 0,
      pausedUntilMs: 0,
      claims: 0,
      lastFound: 0,
    }));
  }

  /** Decides what to do now. */
  plan({ nowMs, head, registrations, capacity, isPaused }: Situation): Plan {
    this.#noteHead(head, nowMs);
    this.#starved = { all: false, backlog: false };
    if (isPaused) return { kind: 'sleep', forMs: this.#pollMs };
    const mayHaveBacklog = (one: KnownQueue): boolean =>
      (one.hasBacklog && one.pausedUntilMs <= nowMs) || one.dueAtMs <= nowMs;
    const mayLackHead = (one: KnownQueue): boolean =>
      one.followsHead && one.claimedHead !== head && !(one.isEmpty && one.claimedAfter === registrations);
    const isOpen = (one: KnownQueue): boolean =>
      one.isBehind || mayLackHead(one) || (capacity.backlog > 0 && mayHaveBacklog(one));
    this.#starved.backlog = capacity.backlog === 0 && this.#queues.some(mayHaveBacklog);

    const open = [...this.#queues.keys()].filter((i) => isOpen(this.#at(i)));
    if (open.length === 0 || capacity.all === 0) {
      this.#starved.all = open.length > 0;
      return { kind: 'sleep', forMs: this.#sleepMs(nowMs, capacity.backlog > 0 && open.length === 0) };
    }
    const most = Math.max(smallestClaim, Math.ceil(capacity.all / open.length));
    const queues = open
      .sort((a, b) => this.#at(a).claims - this.#at(b).claims)
      .slice(0, Math.ceil(capacity.all / most))
      .sort((a, b) => this.#at(b).lastFound - this.#at(a).lastFound);
    return {
      kind: 'claim',
      queues,
      most,
      mostBacklog: Math.min(most, Math.ceil(capacity.backlog / queues.length)),
    };
  }

  /** Records that a claim was sent. It may have run too early to see what is reported from now on. */
  claiming(queue: number, { head, registrations }: Pick<Situation, 'head' | 'registrations'>): void {
    const one = this.#at(queue);
    const claimed = { claimedHead: head, claimedAfter: registrations, isEmpty: false };
    Object.assign(one, { ...claimed, isBehind: false, hasBacklog: false, dueAtMs: Infinity });
    one.claims += 1;
  }

  /** Records what a claim found, and for how many of its leases there was no room. */
  claimed(
    queue: number,
    { moreBehind, moreBacklog, isEmpty, dueInMs }: Omit<Claim, 'leases'>,
    { nowMs, granted, refused }: { nowMs: number; granted: number; refused: number },
  ): void {
    const one = this.#at(queue);
    if (granted > 0) one.lastFound = granted;
    one.isBehind ||= moreBehind;
    one.hasBacklog ||= moreBacklog || refused > 0;
    one.isEmpty = isEmpty;
    one.dueAtMs = Math.min(one.dueAtMs, nowMs + Math.max(1, dueInMs));
    if (refused > 0) one.pausedUntilMs = nowMs + backoffMs;
  }

  /** Records that webhooks of a queue are behind. */
  woken(queue: number): void {
    this.#at(queue).isBehind = true;
  }

  /** Records that a claim was not answered. */
  unanswered(queue: number): void {
    Object.assign(this.#at(queue), { isBehind: true, hasBacklog: true });
  }

  /** Records the settlement of a lease. Returns whether it revealed something new to do. */
  settled(queue: number, result: LeaseResult, { nowMs, isBehind }: { nowMs: number; isBehind: boolean }): boolean {
    const one = this.#at(queue);
    // An event was published after the last claim for webhooks that are behind.
    if (result.kind === 'advance' && isBehind && !one.isBehind) return (one.isBehind = true);
    if (result.kind === 'yield' && !one.hasBacklog) return (one.hasBacklog = true);
    if (result.kind !== 'wait' || nowMs + result.delayMs >= one.dueAtMs) return false;
    one.dueAtMs = nowMs + result.delayMs;
    return true;
  }

  /** Marks every queue to be checked again, whether or not there was a notification. */
  recheckAll(): void {
    for (const one of this.#queues) one.isBehind = one.hasBacklog = true;
  }

  /** Whether any queue had webhooks when it was last claimed. */
  get hasWebhooks(): boolean {
    return this.#queues.some(({ isEmpty }) => !isEmpty);
  }

  /** Whether the last plan lacked only capacity, and there is some now. */
  isWaitingFor(capacity: Capacity): boolean {
    return (this.#starved.all && capacity.all > 0) || (this.#starved.backlog && capacity.backlog > 0);
  }

  /** Whether a webhook with this cursor is missing more than new events. */
  hasBacklog(cursor: number): boolean {
    return cursor < this.#heads.before;
  }

  #at(queue: number): KnownQueue {
    const one = this.#queues[queue];
    if (one === undefined) throw new RangeError(`There is no queue ${queue}.`);
    return one;
  }

  #noteHead(head: number, nowMs: number): void {
    if (nowMs - this.#heads.atMs < newForMs) return;
    this.#heads = { before: this.#heads.number, number: head, atMs: nowMs };
  }

  #sleepMs(nowMs: number, isForBacklog: boolean): number {
    if (!isForBacklog) return this.#pollMs;
    const next = this.#queues.map((one) => Math.min(one.dueAtMs, one.hasBacklog ? one.pausedUntilMs : Infinity));
    return Math.max(1, Math.min(this.#pollMs, Math.min(...next) - nowMs));
  }
}
