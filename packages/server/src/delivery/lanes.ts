/**
 * Decides which lease may send now, so that a bad endpoint cannot delay others. Origins that were quick last time may
 * use the whole concurrency; the rest share half of it. Leases that are missing only new events go before those with a
 * backlog, which get at most three quarters. Each origin, registrable domain and address has at most its share.
 * The domain with the fewest deliveries under way starts first.
 */
import type { Lease } from '../store/webhooks/deliveries.ts';
import { FairQueue } from './fair-queue.ts';
import { count, hasShare, leaseAges, nothingWaiting } from './origins.ts';
import type { Address, Lane, LeaseAge, Origin, Origins } from './origins.ts';
import { Slots, type Occupant } from './slots.ts';

export type { LeaseAge } from './origins.ts';

/**
 * Runs a lease, whose URL is in this registrable domain. Resolves to whether its origin's last response was quick;
 * `undefined` if it was not called.
 */
export type Run = (lease: Lease, domain: string) => Promise<{ readonly quick: boolean } | undefined>;

/** Limits, in concurrent deliveries. */
export type LaneLimits = {
  readonly concurrency: number;
  readonly perOrigin: number;
  readonly perDomain: number;
  readonly perAddress: number;
};

/** What the lanes need. `onFreed` is called whenever there is room again. */
export type LanesDeps = {
  readonly limits: LaneLimits;
  readonly origins: Origins;
  readonly run: Run;
  readonly onFreed: () => void;
};

type Started = Occupant & { readonly origin: Origin; readonly address: Address | undefined };

const queuedPerSlot = 2;
/**
 * While leases wait, no claim is made until at least this share of the slots is free: a small claim costs the store as
 * much as a large one.
 */
const minFreeShare = 1 / 8;

const order = [
  { lane: 'quick', age: 'fresh' },
  { lane: 'slow', age: 'fresh' },
  { lane: 'quick', age: 'backlog' },
  { lane: 'slow', age: 'backlog' },
] as const;

/** Leases that run, and leases that wait until they may run. */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #ready = {
    quick: { fresh: new FairQueue<Origin>(), backlog: new FairQueue<Origin>() },
    slow: { fresh: new FairQueue<Origin>(), backlog: new FairQueue<Origin>() },
  };
  readonly #queues = [...Object.values(this.#ready.quick), ...Object.values(this.#ready.slow)];
  readonly #slots: Slots<Started>;
  readonly #queued = { quick: { fresh: 0, backlog: 0 }, slow: { fresh: 0, backlog: 0 } };
  #onIdle: () => void = () => undefined;

  constructor(deps: LanesDeps) {
    this.#deps = deps;
    this.#slots = new Slots(deps.limits.concurrency, {
      onTick: () => {
        while (this.#startNext());
      },
      onOverdue: (freed) => {
        for (const { origin } of freed) {
          this.#remember(origin, false);
          this.#file(origin);
        }
        while (this.#startNext());
        deps.onFreed();
      },
    });
  }

  /** The number of deliveries under way. */
  get running(): number {
    return this.#slots.running;
  }

  /** How many more leases can be accepted, and how many of them with a backlog. Some of them may have to queue. */
  get room(): { readonly all: number; readonly backlog: number } {
    const { concurrency } = this.#deps.limits;
    const queued = this.#queuedInAll();
    const queuedBacklog = this.#queued.quick.backlog + this.#queued.slow.backlog;
    const enough = (free: number, waiting: number): number =>
      free > 0 && (waiting === 0 || free >= concurrency * minFreeShare) ? free : 0;
    const all = enough(Math.min(this.#slots.free, queuedPerSlot * concurrency - queued), queued);
    return { all, backlog: Math.min(all, enough(concurrency / 2 - queuedBacklog, queuedBacklog)) };
  }

  /** Set while no more leases should be added in this tick of the event loop: resolves in the next. */
  get pause(): Promise<void> | undefined {
    return this.#slots.pause;
  }

  /**
   * Runs a lease now, or when it may run. Returns false, and does not accept it, if too many of its kind, of its domain
   * or of its address wait, so that there is always room for others.
   */
  add(lease: Lease, age: LeaseAge): boolean {
    this.#slots.noteAdded();
    const origin = this.#deps.origins.of(lease.url);
    const mayStart = this.#mayStart(origin, age);
    if (mayStart && this.#queuedInAll() === 0) {
      // It would be the next: run it without queueing.
      this.#start(lease, this.#begin(origin, age));
      return true;
    }
    if (!mayStart && !this.#mayQueue(origin, age)) return false;
    origin.waiting ??= nothingWaiting();
    origin.waiting.leases[age].push(lease);
    this.#countQueued(origin, age, 1);
    this.#file(origin);
    this.#startNext();
    return true;
  }

  /** Removes and returns all leases that wait. */
  drain(): Lease[] {
    const drained: Lease[] = [];
    for (const origin of this.#deps.origins.values()) {
      const { waiting } = origin;
      if (waiting === undefined) continue;
      for (const age of leaseAges) {
        const leases = waiting.leases[age].splice(0);
        this.#countQueued(origin, age, -leases.length);
        drained.push(...leases);
      }
      this.#file(origin);
    }
    return drained;
  }

  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #queuedInAll(): number {
    const { quick, slow } = this.#queued;
    return quick.fresh + quick.backlog + slow.fresh + slow.backlog;
  }

  #countQueued({ domain, address, lane }: Origin, age: LeaseAge, change: number): void {
    this.#queued[lane][age] += change;
    domain.queued += change;
    if (address !== undefined) address.queued += change;
  }

  #mayQueue(origin: Origin, age: LeaseAge): boolean {
    const { quick, slow } = this.#queued;
    const places = queuedPerSlot * this.#deps.limits.concurrency - this.#queuedInAll();
    return (
      origin.domain.queued < places &&
      (origin.address === undefined || origin.address.queued < places) &&
      (origin.lane === 'quick' || slow.fresh + slow.backlog < places) &&
      (age === 'fresh' || quick.backlog + slow.backlog < places)
    );
  }

  /** Moves an origin to the queues of its lane in which it has leases. */
  #file(origin: Origin): void {
    const { waiting } = origin;
    if (waiting === undefined) return;
    for (const age of leaseAges) {
      const queue = waiting.leases[age].length > 0 ? this.#ready[origin.lane][age] : undefined;
      if (waiting.filed[age] === queue) continue;
      waiting.filed[age]?.delete(origin);
      queue?.add(origin);
      waiting.filed[age] = queue;
    }
    if (waiting.leases.fresh.length + waiting.leases.backlog.length === 0) origin.waiting = undefined;
  }

  /** Starts the next lease that may start. */
  #startNext(): boolean {
    if (this.#queuedInAll() === 0) return false;
    for (const { lane, age } of order) {
      if (!this.#hasSlot(lane, age)) continue;
      const origin = this.#ready[lane][age].next((one) => this.#mayStart(one, age));
      const lease = origin?.waiting?.leases[age].shift();
      if (origin === undefined || lease === undefined) continue;
      this.#countQueued(origin, age, -1);
      this.#start(lease, this.#begin(origin, age));
      return true;
    }
    return false;
  }

  #start(lease: Lease, started: Started): void {
    void this.#deps.run(lease, started.origin.domain.name).then((seen) => {
      this.#end(started);
      if (seen !== undefined) this.#remember(started.origin, seen.quick);
      this.#file(started.origin);
      this.#startNext();
      this.#deps.onFreed();
      if (this.running === 0) this.#onIdle();
    });
  }

  #begin(origin: Origin, age: LeaseAge): Started {
    const { lane, address } = origin;
    const started = { origin, lane, age, address, startedMs: performance.now(), isOverdue: false };
    this.#slots.take(started);
    this.#count(started, 1);
    this.#file(origin);
    return started;
  }

  #end(started: Started): void {
    const { address } = started;
    this.#slots.release(started);
    this.#count(started, -1);
    if (address !== undefined) this.#deps.origins.release(address);
  }

  #count({ origin, lane, address }: Started, change: 1 | -1): void {
    origin.running += change;
    count(origin.domain, lane, change);
    if (address !== undefined) count(address, lane, change);
    // A domain without leases that wait is in no queue.
    if (origin.domain.queued > 0) for (const queue of this.#queues) queue.moved(origin.domain);
  }

  #mayStart(origin: Origin, age: LeaseAge): boolean {
    const { limits } = this.#deps;
    const { domain, address, lane } = origin;
    return (
      origin.running < limits.perOrigin &&
      hasShare(domain, lane, limits.perDomain) &&
      (address === undefined || hasShare(address, lane, limits.perAddress)) &&
      this.#hasSlot(lane, age)
    );
  }

  #hasSlot(lane: Lane, age: LeaseAge): boolean {
    return this.#slots.has(lane, age, !this.#ready.quick.fresh.isEmpty);
  }

  #remember(origin: Origin, isQuick: boolean): void {
    const lane = isQuick ? 'quick' : 'slow';
    if (lane === origin.lane) return;
    for (const age of leaseAges) {
      const queued = origin.waiting?.leases[age].length ?? 0;
      this.#queued[origin.lane][age] -= queued;
      this.#queued[lane][age] += queued;
    }
    origin.lane = lane;
  }
}
