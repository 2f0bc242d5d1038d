/**
 * Decides which of the webhooks that this process has leased is sent to next, so that no endpoint, owner or backlog
 * delays the others. Its rules are the lists below; decision 0010 says what fails without each.
 *
 * A leased webhook is in one of these states:
 *
 * - REFUSED: too many of its kind wait, so `add` did not accept it. The engine returns its lease to the store.
 * - QUEUED: it waits for its turn behind the others of its origin. It moves to IN FLIGHT once it is the first that may
 *   start, or back to the store when the engine is paused or stops, by `drain`.
 * - IN FLIGHT: its events are sent by `run`, and it counts against all limits. It is done when `run` ends. If its
 *   origin was quick and it takes 1.5 s, it becomes a STRAGGLER.
 * - STRAGGLER: in flight, but no longer counted in all, so that others go on; its origin counts as slow from now on. It
 *   is done when `run` ends.
 *
 * Whatever leaves IN FLIGHT lets the next ones start. What a run sends is decided in `deliver.ts`, what is leased in
 * `schedule.ts`.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Lease } from '../store/webhooks/deliveries.ts';
import { queuedOf, type Address, type Domain, type Load, type Origin, type Origins, type Waiting } from './origins.ts';

/** Limits of concurrent deliveries of one process: in all, to a registrable domain, to an address. */
export type DeliveryLimits = {
  readonly all: number;
  readonly perDomain: number;
  readonly perAddress: number;
};
export const deliveryLimits: DeliveryLimits = { all: 1_024, perDomain: 128, perAddress: 256 };

/** Of each limit, the share that origins which are slow or unknown have at most. */
const slowShare = 1 / 2;
/** Of the limit of a domain, the share that one of its origins has at most. */
const originShare = 1 / 2;
/** Of the limit of all, the share that backlogs have at most. While it is reached, new events are not even claimed. */
const backlogShare = 3 / 4;
/**
 * How many deliveries start in one tick of the event loop. Responses are handled in between: a burst neither delays
 * them nor fills memory. Those that start together are answered together, again and again: with 64, a delivery to one
 * of 1,000 origins took 8 % more CPU.
 */
const startsPerTick = 16;
/** How many leases wait at most, as a multiple of the deliveries in flight. */
const queuedPerDelivery = 2;
/**
 * While leases wait, no claim is made until at least this share of all deliveries could start: a small claim costs the
 * store as much as a large one.
 */
const minFreeShare = 1 / 8;
/** When a delivery to a quick origin is a straggler, and how many may be, as a multiple of the deliveries in flight. */
const stragglerMs = 1_500;
const stragglerShare = 2;
const watchEveryMs = 50;

/** `hasBacklog`: its webhook is missing more than new events. */
type Kind = { readonly isQuick: boolean; readonly hasBacklog: boolean };
/** What is started and added in one tick of the event loop. */
type Tick = { started: number; added: number; readonly isOver: Promise<void> };
/** What the rules know. `all`: without stragglers, and so is `backlog`, those of a backlog that are in flight. */
type State = {
  readonly limits: DeliveryLimits;
  readonly all: Load;
  backlog: number;
  queuedSlow: number;
  queuedBacklog: number;
  tick: Tick | undefined;
};

/** A delivery starts if each of these rules allows it. */
const startRules = {
  all: ({ limits, all }: State, { isQuick }: Kind): boolean => isBelow(limits.all, all, isQuick),
  backlog: ({ limits, backlog }: State, { hasBacklog }: Kind): boolean =>
    !hasBacklog || backlog < limits.all * backlogShare,
  tick: ({ tick }: State): boolean => tick === undefined || tick.started < startsPerTick,
  domain: ({ limits }: State, domain: Domain, { isQuick }: Kind): boolean => isBelow(limits.perDomain, domain, isQuick),
  origin: ({ limits }: State, { inFlight }: Origin): boolean => inFlight < limits.perDomain * originShare,
  address: ({ limits }: State, address: Address | undefined, { isQuick }: Kind): boolean =>
    address === undefined || isBelow(limits.perAddress, address, isQuick),
};

/** Otherwise it is queued, if each of these has fewer places in the queue than are left for others. */
const queuedAlike: readonly ((state: State, origin: Origin, kind: Kind) => number)[] = [
  (_state, { domain }) => domain.queued,
  (_state, { address }) => address?.queued ?? 0,
  ({ queuedSlow }, _origin, { isQuick }) => (isQuick ? 0 : queuedSlow),
  ({ queuedBacklog }, _origin, { hasBacklog }) => (hasBacklog ? queuedBacklog : 0),
];

/** What waits is served in this order. Of each kind, domains take turns, and so do the origins of a domain. */
const order: readonly Kind[] = [
  { isQuick: true, hasBacklog: false },
  { isQuick: false, hasBacklog: false },
  { isQuick: true, hasBacklog: true },
  { isQuick: false, hasBacklog: true },
];

/** Whether one more may be in flight. Slow and unknown origins have at most their share. */
const isBelow = (limit: number, load: Load, isQuick: boolean): boolean =>
  load.inFlight < limit && (isQuick || load.slowInFlight < limit * slowShare);

const placesLeft = ({ limits, all }: State): number => queuedPerDelivery * limits.all - all.queued;

/**
 * Sends to a lease's webhook, whose URL is in this registrable domain. Resolves to whether its origin's last response
 * was quick; `undefined` if it was not called.
 */
export type Run = (lease: Lease, domain: string) => Promise<{ readonly quick: boolean } | undefined>;

/** What the dispatcher needs. `onFreed` is called whenever there is capacity again. */
export type DispatcherDeps = {
  readonly limits: DeliveryLimits;
  readonly origins: Origins;
  readonly run: Run;
  readonly onFreed: () => void;
};

/** How many more leases are accepted, and how many of them with a backlog. */
export type Capacity = { readonly all: number; readonly backlog: number };

/** A delivery in flight, as it was counted when it started. */
type Started = {
  readonly origin: Origin;
  readonly address: Address | undefined;
  readonly kind: Kind;
  readonly startedMs: number;
  isStraggler: boolean;
};

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #queues = order.map((kind) => ({ kind, origins: new Turns() }));
  readonly #state: State;
  /** Deliveries to quick origins that are no stragglers yet, in the order in which they started. */
  readonly #quickRuns = new Set<Started>();
  #stragglers = 0;
  #watching: NodeJS.Timeout | undefined;
  #onIdle: () => void = () => undefined;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const all = { inFlight: 0, slowInFlight: 0, queued: 0 };
    this.#state = { limits: deps.limits, all, backlog: 0, queuedSlow: 0, queuedBacklog: 0, tick: undefined };
  }

  /** The number of deliveries in flight. */
  get running(): number {
    return this.#state.all.inFlight + this.#stragglers;
  }

  get capacity(): Capacity {
    const { limits, all, queuedBacklog } = this.#state;
    const enough = (free: number, waiting: number): number =>
      free > 0 && (waiting === 0 || free >= limits.all * minFreeShare) ? free : 0;
    const most = enough(Math.min(limits.all - all.inFlight, placesLeft(this.#state)), all.queued);
    return { all: most, backlog: Math.min(most, enough(limits.all / 2 - queuedBacklog, queuedBacklog)) };
  }

  /**
   * Set while as many leases were added in this tick as may start in one: resolves in the next. POSTs leave when a tick
   * ends, so the first need not wait until the last are made, and few leases have to queue.
   */
  get pause(): Promise<void> | undefined {
    const { tick } = this.#state;
    return tick !== undefined && tick.added >= startsPerTick ? tick.isOver : undefined;
  }

  /** Accepts a lease, which is started or queued. Returns false if too many of its kind wait. */
  add(lease: Lease, { hasBacklog }: Pick<Kind, 'hasBacklog'>): boolean {
    this.#thisTick().added += 1;
    const origin = this.#deps.origins.of(lease.url);
    const kind = { isQuick: origin.isQuick, hasBacklog };
    const mayStart =
      this.#mayStart(kind) &&
      startRules.domain(this.#state, origin.domain, kind) &&
      startRules.origin(this.#state, origin) &&
      startRules.address(this.#state, origin.address, kind);
    if (mayStart && this.#state.all.queued === 0) {
      // It would be the next: run it without queueing.
      this.#start(lease, origin, kind);
      return true;
    }
    const places = placesLeft(this.#state);
    if (!mayStart && queuedAlike.some((queued) => queued(this.#state, origin, kind) >= places)) return false;
    origin.waiting ??= { new: [], backlog: [] };
    waitingOf(origin.waiting, kind).push(lease);
    this.#countQueued(origin, kind, 1);
    this.#enter(origin);
    this.#startNext();
    return true;
  }

  /** Removes and returns all leases that wait. */
  drain(): Lease[] {
    const drained: Lease[] = [];
    for (const origin of this.#deps.origins.values()) {
      for (const kind of order) {
        if (origin.waiting === undefined || kind.isQuick !== origin.isQuick) continue;
        const leases = waitingOf(origin.waiting, kind).splice(0);
        this.#countQueued(origin, kind, -leases.length);
        drained.push(...leases);
      }
      this.#enter(origin);
    }
    return drained;
  }

  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Starts the next lease that may start. */
  #startNext(): boolean {
    if (this.#state.all.queued === 0) return false;
    for (const { kind, origins } of this.#queues) {
      if (!this.#mayStart(kind)) continue;
      const origin = origins.next(
        (domain) => startRules.domain(this.#state, domain, kind),
        (one) => startRules.origin(this.#state, one) && startRules.address(this.#state, one.address, kind),
      );
      const lease = origin?.waiting && waitingOf(origin.waiting, kind).shift();
      if (origin === undefined || lease === undefined) continue;
      this.#countQueued(origin, kind, -1);
      this.#start(lease, origin, kind);
      return true;
    }
    return false;
  }

  /** Whether deliveries of this kind may start, wherever they go. */
  #mayStart(kind: Kind): boolean {
    return startRules.all(this.#state, kind) && startRules.backlog(this.#state, kind) && startRules.tick(this.#state);
  }

  #start(lease: Lease, origin: Origin, kind: Kind): void {
    const { domain, address } = origin;
    const started = { origin, address, kind, startedMs: performance.now(), isStraggler: false };
    this.#count(started, 1);
    this.#thisTick().started += 1;
    this.#enter(origin);
    if (kind.isQuick) {
      this.#quickRuns.add(started);
      this.#watch();
    }
    void this.#deps.run(lease, domain.name).then((seen) => {
      this.#quickRuns.delete(started);
      this.#count(started, -1);
      if (address !== undefined) this.#deps.origins.release(address);
      if (seen !== undefined) this.#remember(origin, seen.quick);
      this.#startNext();
      this.#deps.onFreed();
      if (this.running === 0) this.#onIdle();
    });
  }

  #count({ origin, address, kind, isStraggler }: Started, change: 1 | -1): void {
    origin.inFlight += change;
    count(origin.domain, kind, change);
    if (address !== undefined) count(address, kind, change);
    if (isStraggler) this.#stragglers += change;
    else this.#countInAll(kind, change);
  }

  #countInAll(kind: Kind, change: 1 | -1): void {
    count(this.#state.all, kind, change);
    if (kind.hasBacklog) this.#state.backlog += change;
  }

  #countQueued({ domain, address }: Origin, { isQuick, hasBacklog }: Kind, change: number): void {
    this.#state.all.queued += change;
    domain.queued += change;
    if (address !== undefined) address.queued += change;
    if (!isQuick) this.#state.queuedSlow += change;
    if (hasBacklog) this.#state.queuedBacklog += change;
  }

  /** Enters an origin in the queues of the leases that it has waiting, and in no other. */
  #enter(origin: Origin): void {
    const { waiting } = origin;
    if (waiting === undefined) return;
    for (const { kind, origins } of this.#queues) {
      if (kind.isQuick === origin.isQuick && waitingOf(waiting, kind).length > 0) origins.add(origin);
      else origins.delete(origin);
    }
    if (queuedOf(origin) === 0) origin.waiting = undefined;
  }

  /** Remembers whether an origin is quick. What it has waiting moves to the queues of its kind. */
  #remember(origin: Origin, isQuick: boolean): void {
    if (isQuick === origin.isQuick) return;
    this.#state.queuedSlow += isQuick ? -queuedOf(origin) : queuedOf(origin);
    origin.isQuick = isQuick;
    this.#enter(origin);
  }

  /** Wakes up when the oldest delivery to a quick origin becomes a straggler. */
  #watch(): void {
    const [oldest] = this.#quickRuns;
    if (this.#watching !== undefined || oldest === undefined) return;
    const inMs = Math.max(watchEveryMs, oldest.startedMs + stragglerMs - performance.now());
    this.#watching = setTimeout(() => {
      this.#watching = undefined;
      this.#leaveStragglers();
      while (this.#startNext());
      this.#deps.onFreed();
      this.#watch();
    }, inMs).unref();
  }

  /** Counts stragglers no longer, so that others continue however many hang at once. */
  #leaveStragglers(): void {
    for (const started of this.#quickRuns) {
      if (performance.now() - started.startedMs < stragglerMs) return;
      if (this.#stragglers >= this.#state.limits.all * stragglerShare) return;
      this.#quickRuns.delete(started);
      this.#countInAll(started.kind, -1);
      this.#stragglers += 1;
      started.isStraggler = true;
      this.#remember(started.origin, false);
    }
  }

  #thisTick(): Tick {
    return (this.#state.tick ??= {
      started: 0,
      added: 0,
      isOver: immediately().then(() => {
        this.#state.tick = undefined;
        while (this.#startNext());
      }),
    });
  }
}

/** Origins that have leases waiting. Their domains take turns, and so do the origins of a domain. */
class Turns {
  readonly #domains = new Map<Domain, Set<Origin>>();

  /** Adds an origin behind the others of its domain, unless it is there already. */
  add(origin: Origin): void {
    let origins = this.#domains.get(origin.domain);
    if (origins === undefined) this.#domains.set(origin.domain, (origins = new Set()));
    origins.add(origin);
  }

  delete(origin: Origin): void {
    const origins = this.#domains.get(origin.domain);
    if (origins?.delete(origin) === true && origins.size === 0) this.#domains.delete(origin.domain);
  }

  /** The first origin that may start. It moves behind the others of its domain, which moves behind the others. */
  next(mayStartIn: (domain: Domain) => boolean, mayStartAt: (origin: Origin) => boolean): Origin | undefined {
    for (const [domain, origins] of this.#domains) {
      // A domain at its limit may have a thousand origins that wait.
      if (!mayStartIn(domain)) continue;
      for (const origin of origins) {
        if (!mayStartAt(origin)) continue;
        origins.delete(origin);
        origins.add(origin);
        this.#domains.delete(domain);
        this.#domains.set(domain, origins);
        return origin;
      }
    }
    return undefined;
  }
}

const count = (load: Load, { isQuick }: Kind, change: 1 | -1): void => {
  load.inFlight += change;
  if (!isQuick) load.slowInFlight += change;
};

const waitingOf = (waiting: Waiting, { hasBacklog }: Kind): Lease[] => (hasBacklog ? waiting.backlog : waiting.new);
