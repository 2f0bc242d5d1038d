/**
 * The slots that deliveries occupy. Slow origins share half of them, deliveries with a backlog three quarters. Only so
 * many start in one tick of the event loop. A delivery that takes long gives up its slot and continues without one.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Lane, LeaseAge } from './origins.ts';

export type Occupant = {
  readonly lane: Lane;
  readonly age: LeaseAge;
  readonly startedMs: number;
  isOverdue: boolean;
};

const slowShare = 0.5;
const backlogShare = 0.75;
/**
 * How many deliveries start in one tick of the event loop. Responses are handled in between: a burst neither delays
 * them nor fills memory. Those that start together are answered together, again and again: with 64, a delivery to one
 * of 1,000 origins took 8 % more CPU.
 */
const startsPerTick = 16;
/**
 * The same for slow origins while quick ones wait: each may need a handshake, which costs as much as 16 quick starts.
 */
const slowStartsPerTick = 1;
/**
 * A delivery to a quick origin that takes longer than this is overdue: it gives up its slot, which a quick one could
 * use.
 */
const overdueMs = 1_500;
const watchEveryMs = 50;
/** How many overdue deliveries there may be in addition to the concurrency, as a multiple of it. */
const overdueShare = 2;

/** A tick of the event loop: how many deliveries started in it, and how many leases were added. */
type Tick = Record<Lane | 'added', number> & { readonly isOver: Promise<void> };

/** `onTick`: called in the tick after one with starts. `onOverdue`: gets the deliveries that gave up their slots. */
type Listeners<One> = { readonly onTick: () => void; readonly onOverdue: (freed: readonly One[]) => void };

export class Slots<One extends Occupant> {
  readonly #concurrency: number;
  readonly #listeners: Listeners<One>;
  readonly #taken = { quick: { fresh: 0, backlog: 0 }, slow: { fresh: 0, backlog: 0 } };
  /** Deliveries to quick origins, in the order in which they started. */
  readonly #quickRuns = new Set<One>();
  #watching: NodeJS.Timeout | undefined;
  #overdue = 0;
  #tick: Tick | undefined;

  constructor(concurrency: number, listeners: Listeners<One>) {
    this.#concurrency = concurrency;
    this.#listeners = listeners;
  }

  /** The number of deliveries under way, overdue ones included. */
  get running(): number {
    return this.#all() + this.#overdue;
  }

  get free(): number {
    return this.#concurrency - this.#all();
  }

  /** Whether a delivery may start now. `anyQuick`: quick origins are called or wait for it. */
  has(lane: Lane, age: LeaseAge, anyQuick: boolean): boolean {
    const { quick, slow } = this.#taken;
    const isQuickBusy = anyQuick || quick.fresh + quick.backlog > 0;
    const starts = lane === 'slow' && isQuickBusy ? slowStartsPerTick : startsPerTick;
    if (this.#tick !== undefined && this.#tick[lane] >= starts) return false;
    const isWithin = (taken: number, backlog: number, most: number): boolean =>
      taken < most && (age === 'fresh' || backlog < most * backlogShare);
    return (
      isWithin(this.#all(), quick.backlog + slow.backlog, this.#concurrency) &&
      (lane === 'quick' || isWithin(slow.fresh + slow.backlog, slow.backlog, this.#concurrency * slowShare))
    );
  }

  /**
   * Set while as many leases were added in this tick as may start in one: resolves in the next. POSTs leave when a tick
   * ends, so the first need not wait until the last are made, and few leases have to queue.
   */
  get pause(): Promise<void> | undefined {
    return this.#tick !== undefined && this.#tick.added >= startsPerTick ? this.#tick.isOver : undefined;
  }

  noteAdded(): void {
    this.#thisTick().added += 1;
  }

  take(one: One): void {
    const { lane, age } = one;
    this.#taken[lane][age] += 1;
    this.#thisTick()[lane] += 1;
    if (lane === 'slow') return;
    this.#quickRuns.add(one);
    this.#watch();
  }

  release(one: One): void {
    this.#quickRuns.delete(one);
    if (one.isOverdue) this.#overdue -= 1;
    else this.#taken[one.lane][one.age] -= 1;
  }

  /** Frees the slots of overdue deliveries, so that others continue however many hang at once. */
  #watch(): void {
    if (this.#watching !== undefined) return;
    const [oldest] = this.#quickRuns;
    if (oldest === undefined) return;
    const inMs = Math.max(watchEveryMs, oldest.startedMs + overdueMs - performance.now());
    this.#watching = setTimeout(() => {
      this.#watching = undefined;
      this.#listeners.onOverdue(this.#freeOverdue());
      this.#watch();
    }, inMs).unref();
  }

  #freeOverdue(): readonly One[] {
    const freed: One[] = [];
    for (const one of this.#quickRuns) {
      if (performance.now() - one.startedMs < overdueMs) break;
      if (this.#overdue >= this.#concurrency * overdueShare) break;
      this.#quickRuns.delete(one);
      this.#taken[one.lane][one.age] -= 1;
      this.#overdue += 1;
      one.isOverdue = true;
      freed.push(one);
    }
    return freed;
  }

  #all(): number {
    const { quick, slow } = this.#taken;
    return quick.fresh + quick.backlog + slow.fresh + slow.backlog;
  }

  #thisTick(): Tick {
    return (this.#tick ??= {
      quick: 0,
      slow: 0,
      added: 0,
      isOver: immediately().then(() => {
        this.#tick = undefined;
        this.#listeners.onTick();
      }),
    });
  }
}
