/**
 * Which lease may send now. Origins that answered quickly last time have the whole concurrency; all others, the unknown
 * and the failing among them, share half of it; and one origin has at most its own share. So an endpoint that hangs
 * waits with its likes.
 */
import type { Lease } from '../store/deliveries.ts';

/** What came of a run: whether its origin's last answer was quick. `undefined`: nothing was learnt. */
export type Run = (lease: Lease) => Promise<{ readonly quick: boolean } | undefined>;

/** Limits, in deliveries at a time. */
export type LaneLimits = { readonly concurrency: number; readonly perOrigin: number };

type Lane = 'quick' | 'slow';
type Origin = { readonly name: string; lane: Lane; running: number; readonly queue: Lease[] };

const slowShare = 0.5;
/** How many begin in one turn of the event loop. Answers are taken in between: a burst neither delays them nor fills memory. */
const startsPerTurn = 16;
/** The same of slow ones while there are quick ones: each is likely to need a handshake, which takes as long as 16 of those. */
const slowStartsPerTurn = 1;
const queuedPerSlot = 2;
/** Less room than this share is none while others wait: a claim of few costs the store as much as one of many. */
const leastRoom = 0.25;
const rememberedOrigins = 25_000;

/** Leases that run and those that wait for their turn. */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #run: Run;
  readonly #onFreed: () => void;
  readonly #origins = new Map<string, Origin>();
  /** Names of origins whose last answer was quick: those of late, and those of the time before, which is forgotten as a whole. */
  #quick = new Set<string>();
  #quickBefore = new Set<string>();
  /** Origins with a queue, by lane. */
  readonly #queuing = { quick: new Set<Origin>(), slow: new Set<Origin>() };
  #running = 0;
  #runningSlow = 0;
  #queued = 0;
  #started: Record<Lane, number> | undefined;

  constructor(limits: LaneLimits, run: Run, onFreed: () => void) {
    this.#limits = limits;
    this.#run = run;
    this.#onFreed = onFreed;
  }

  /** How many deliveries are under way. */
  get running(): number {
    return this.#running;
  }

  /** How many more leases may be taken. Some of them may have to queue. */
  get room(): number {
    const { concurrency } = this.#limits;
    const free = Math.min(concurrency - this.#running, queuedPerSlot * concurrency - this.#queued);
    return free > 0 && (this.#queued === 0 || free >= concurrency * leastRoom) ? free : 0;
  }

  /** Runs a lease now, or when its turn comes. */
  add(lease: Lease): void {
    const name = originOf(lease.url);
    let origin = this.#origins.get(name);
    if (origin === undefined)
      this.#origins.set(name, (origin = { name, lane: this.#laneOf(name), running: 0, queue: [] }));
    origin.queue.push(lease);
    this.#queued += 1;
    this.#settle(origin);
  }

  /** Takes out leases that wait, those of the longest queues first, until at most `most` are left. */
  evict(most: number): Lease[] {
    const evicted: Lease[] = [];
    if (this.#queued <= most) return evicted;
    const queuing = [...this.#queuing.quick, ...this.#queuing.slow].sort((a, b) => b.queue.length - a.queue.length);
    for (const origin of queuing) {
      const taken = origin.queue.splice(Math.max(0, origin.queue.length - (this.#queued - most)));
      this.#queued -= taken.length;
      evicted.push(...taken);
      this.#settle(origin);
    }
    return evicted;
  }

  /** Starts what an origin may start, and files it where it will be found again. */
  #settle(origin: Origin): void {
    while (this.#mayRun(origin)) {
      const lease = origin.queue.shift();
      if (lease === undefined) break;
      this.#queued -= 1;
      this.#start(origin, lease);
    }
    this.#queuing.quick.delete(origin);
    this.#queuing.slow.delete(origin);
    if (origin.queue.length > 0) this.#queuing[origin.lane].add(origin);
    else if (origin.running === 0) this.#origins.delete(origin.name);
  }

  #start(origin: Origin, lease: Lease): void {
    const { lane } = origin;
    const isSlow = lane === 'slow';
    this.#startedThisTurn()[lane] += 1;
    origin.running += 1;
    this.#running += 1;
    if (isSlow) this.#runningSlow += 1;
    void this.#run(lease).then((learnt) => {
      origin.running -= 1;
      this.#running -= 1;
      if (isSlow) this.#runningSlow -= 1;
      if (learnt !== undefined) this.#learn(origin, learnt.quick ? 'quick' : 'slow');
      // The same origin first: its connection is open.
      this.#settle(origin);
      this.#settleNext();
      this.#onFreed();
    });
  }

  #startedThisTurn(): Record<Lane, number> {
    if (this.#started === undefined) {
      this.#started = { quick: 0, slow: 0 };
      setImmediate(() => {
        this.#started = undefined;
        while (this.#settleNext());
      });
    }
    return this.#started;
  }

  /** Gives a free slot to the first origin that may use it; all that may not are at their own limit, and few. */
  #settleNext(): boolean {
    for (const lane of ['quick', 'slow'] as const) {
      if (!this.#hasSlot(lane)) continue;
      for (const origin of this.#queuing[lane]) {
        if (!this.#mayRun(origin)) continue;
        this.#settle(origin);
        return true;
      }
    }
    return false;
  }

  #mayRun(origin: Origin): boolean {
    return origin.running < this.#limits.perOrigin && this.#hasSlot(origin.lane);
  }

  #hasSlot(lane: Lane): boolean {
    const { concurrency } = this.#limits;
    const anyQuick = this.#running > this.#runningSlow || this.#queuing.quick.size > 0;
    const most = lane === 'slow' && anyQuick ? slowStartsPerTurn : startsPerTurn;
    if (this.#started !== undefined && this.#started[lane] >= most) return false;
    return this.#running < concurrency && (lane === 'quick' || this.#runningSlow < concurrency * slowShare);
  }

  #laneOf(name: string): Lane {
    return this.#quick.has(name) || this.#quickBefore.has(name) ? 'quick' : 'slow';
  }

  #learn(origin: Origin, lane: Lane): void {
    origin.lane = lane;
    if (lane === 'slow') {
      this.#quick.delete(origin.name);
      this.#quickBefore.delete(origin.name);
      return;
    }
    if (this.#quick.size >= rememberedOrigins) {
      this.#quickBefore = this.#quick;
      this.#quick = new Set();
    }
    this.#quick.add(origin.name);
  }
}

const originOf = (url: string): string => url.slice(0, url.indexOf('/', 'https://'.length));
