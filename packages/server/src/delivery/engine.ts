/**
 * The delivery engine: wait for something to do, lease what is due or behind, run it, never more at once than the lanes
 * allow. Any number of processes may run one each; none is special.
 */
import { Bell } from '../base/bell.ts';
import { StoreUnreachable } from '../base/failure.ts';
import type { Deliveries, Lease } from '../store/deliveries.ts';
import type { EventLog } from '../store/event-log.ts';
import { partitions, type Partition } from '../store/keys.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import { Lanes, type LaneLimits } from './lanes.ts';
import { createSettler, type Settle } from './settler.ts';

/** What the engine is made of. */
export type EngineDeps = Omit<DeliverDeps, 'settle' | 'isStopping' | 'events'> & {
  readonly events: EventLog;
  readonly deliveries: Deliveries;
  readonly limits: LaneLimits;
  /** How long events are kept, in milliseconds. */
  readonly retentionMs: number;
  /** How often everything is looked at again, whatever was or was not heard of it, in milliseconds. */
  readonly pollMs: number;
};

/** A running engine. `stop()` ends what is in flight, and hands the rest back. */
export type Engine = { stop: () => Promise<void> };

/** What is known of a partition: the head up to which it was claimed, when something is due, and how often it had its turn. */
type Place = { readonly partition: Partition; head: number; more: boolean; dueAtMs: number; claims: number };

/** How long it rests after a fault of the store. */
const restMs = 250;
const trimEveryMs = 60_000;
const evictedDelayMs = 2_000;
/** Fewer at once would be a script of the store for next to nothing. What can't run yet queues. */
const smallestClaim = 64;

/** Starts delivering. */
export const startEngine = (deps: EngineDeps): Engine => {
  const { clock, deliveries, events, log, pollMs } = deps;
  const stopping = new AbortController();
  const bell = new Bell();
  /** There is more to lease, but no room for it. */
  let starved = false;
  const lanes = new Lanes(
    deps.limits,
    (lease) => run(lease),
    () => {
      if (starved && lanes.room > 0) bell.ring();
    },
  );
  const places: Place[] = partitions.map((partition) => ({ partition, head: -1, more: true, dueAtMs: 0, claims: 0 }));
  const write = createSettler({ deliveries, clock, log });
  let unwritten = 0;
  const settle: Settle = async (settlement) => {
    unwritten += 1;
    const kept = await write(settlement);
    unwritten -= 1;
    const place = places[settlement.lease.partition.number];
    if (!kept || place === undefined) return kept;
    if (settlement.step === 'advance' && settlement.progress.cursor < events.head) {
      // An event came meanwhile. Whoever looked for webhooks behind it looked too early to see this one.
      place.more = true;
      bell.ring();
    }
    if (settlement.step === 'wait' && settlement.atMs < place.dueAtMs) {
      place.dueAtMs = settlement.atMs;
      bell.ring();
    }
    return kept;
  };
  let [paused, claimed, polledAtMs, trimmedAtMs] = [false, false, -Infinity, clock()];

  const delivering = { ...deps, settle, isStopping: () => stopping.signal.aborted };
  const run = (lease: Lease) =>
    deliver(delivering, lease).catch((error: unknown) => {
      // The lease runs out and is taken again; nothing is lost.
      if (error instanceof StoreUnreachable)
        log.warn({ webhook_id: lease.id, reason: error.message }, 'delivery interrupted');
      else log.error({ webhook_id: lease.id, err: error }, 'a bug');
      return undefined;
    });

  const handBack = (leases: readonly Lease[], delayMs: number): Promise<unknown> =>
    Promise.all(
      leases.map((lease) => settle({ lease, step: 'wait', progress: lease.progress, atMs: clock() + delayMs })),
    );

  const poll = async (): Promise<void> => {
    polledAtMs = performance.now();
    paused = await deliveries.isPaused();
    for (const place of places) place.more = true;
    // Hosts that hang have filled the queue with their own: give some back, so that others find room.
    if (!claimed && lanes.room === 0) await handBack(lanes.evict(deps.limits.concurrency / 2), evictedDelayMs);
    claimed = false;
    if (clock() - trimmedAtMs < trimEveryMs) return;
    trimmedAtMs = clock();
    await events.trim(clock() - deps.retentionMs);
  };

  const claim = async (place: Place, most: number): Promise<void> => {
    const nowMs = clock();
    const { head } = events;
    const found = await deliveries.claim(place.partition, { nowMs, head, most, untilMs: nowMs + deps.leaseMs });
    Object.assign(place, { head, more: found.more, dueAtMs: found.dueAtMs, claims: place.claims + 1 });
    claimed = true;
    for (const lease of found.leases) lanes.add(lease);
  };

  /** Leases what can be run. Says whether to go on at once. */
  const claimAll = async (): Promise<boolean> => {
    starved = false;
    if (performance.now() - polledAtMs >= pollMs) await poll();
    const open = paused
      ? []
      : places.filter((place) => place.more || place.head < events.head || place.dueAtMs <= clock());
    if (open.length === 0) return false;
    const { room } = lanes;
    const most = Math.max(smallestClaim, Math.ceil(room / open.length));
    const turn = open.sort((a, b) => a.claims - b.claims).slice(0, Math.ceil(room / most));
    await Promise.all(turn.map((place) => claim(place, most)));
    const isMore = turn.length < open.length || places.some((place) => place.more);
    starved = isMore && lanes.room === 0;
    return isMore && !starved;
  };

  /** Until the log grows, something is due, or, when there was no room, there is. */
  const nap = (): Promise<void> => {
    const dueMs = paused || starved ? pollMs : Math.min(...places.map(({ dueAtMs }) => dueAtMs)) - clock();
    return bell.sleep(Math.max(1, Math.min(pollMs, dueMs)));
  };

  const loop = async (): Promise<void> => {
    events.onGrowth(() => {
      bell.ring();
    });
    events.start();
    while (!stopping.signal.aborted) {
      try {
        if (!(await claimAll())) await nap();
      } catch (error) {
        if (!(error instanceof StoreUnreachable)) log.error({ err: error }, 'a bug');
        await new Promise((resolve) => setTimeout(resolve, restMs));
      }
    }
  };

  const looping = loop();
  return {
    stop: async () => {
      stopping.abort();
      bell.ring();
      await looping;
      await handBack(lanes.evict(0), 0);
      while (lanes.running > 0 || unwritten > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
};
