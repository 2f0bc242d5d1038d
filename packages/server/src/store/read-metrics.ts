/** What a scrape of the metrics reads of the store: the shared queue, and the store's own condition. */
import type { Metrics, SharedGauges } from '../base/metrics.ts';
import type { Clock } from '../base/time.ts';
import type { EventLog } from './events/event-log.ts';
import { lacks, readCondition, type Condition, type Lack } from './admission/admit.ts';
import { readSize } from './admission/note.ts';
import type { QueueState } from './webhooks/queue-state.ts';
import type { Store } from '../redis/redis.ts';

/** Where the figures of a store are read. */
type Stored = {
  readonly store: Store;
  readonly queue: QueueState;
  readonly events: EventLog;
  readonly clock: Clock;
};

/**
 * The metrics of this process, and of the queue that all processes share, as Prometheus text. `stored` undefined: of
 * this process only. While the store is away, its figures are left out.
 */
export const readMetrics = async (metrics: Metrics, stored: Stored | undefined): Promise<string> => {
  if (stored === undefined) return metrics.text(undefined);
  const { store } = stored;
  const [state, condition] = await Promise.all([
    queueState(stored).catch(() => undefined),
    readCondition(store).catch(() => undefined),
    readSize(store).then(
      (size) => store.known.compare(size),
      () => undefined,
    ),
  ]);
  metrics.storeUp.set(state === undefined ? 0 : 1);
  metrics.storeFigures.lost.set(store.known.lost);
  reportCondition(metrics, condition);
  metrics.storeFigures.clockJumps.reset();
  metrics.storeFigures.clockJumps.inc(store.clock.jumps);
  return metrics.text(state);
};

const reportCondition = (metrics: Metrics, condition: Condition | undefined): void => {
  metrics.storeLacks.reset();
  if (condition !== undefined)
    for (const lack of Object.keys(lacks) as Lack[])
      metrics.storeLacks.set({ lack }, condition.lacks.includes(lack) ? 1 : 0);
  for (const name of ['memoryBytes', 'memoryLimitBytes', 'evictedKeys'] as const) {
    const figure = condition?.[name];
    if (figure === undefined) metrics.storeFigures[name].remove();
    else metrics.storeFigures[name].set(figure);
  }
};

const queueState = async ({ queue, events, clock }: Stored): Promise<SharedGauges> => {
  const { lowestCursor, ...counts } = await queue.counts();
  const [oldest] = Number.isFinite(lowestCursor) ? await events.after(lowestCursor, 1) : [];
  return {
    ...counts,
    oldestUndeliveredSec: oldest === undefined ? 0 : Math.max(0, clock() - oldest.entry.publishedAtMs) / 1_000,
  };
};
