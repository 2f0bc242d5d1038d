/** The metrics of this process, and of the queue that all processes share. */
import type { Clock } from '../base/clock.ts';
import type { Metrics, QueueState } from '../base/metrics.ts';
import type { EventLog } from '../store/event-log.ts';
import type { QueueState as Queue } from '../store/queue-state.ts';

type Stored = {
  readonly queue: Queue;
  readonly events: EventLog;
  readonly clock: Clock;
};

/** Prometheus text. `stored` undefined: of this process only. While the store is away, its figures are left out. */
export const readMetrics = async (metrics: Metrics, stored: Stored | undefined): Promise<string> =>
  metrics.text(stored === undefined ? undefined : await queueState(stored).catch(() => undefined));

/** Concurrent callers share one answer. */
export const sharedByWaiting = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask().finally(() => (asked = undefined)));
};

const queueState = async ({ queue, events, clock }: Stored): Promise<QueueState> => {
  const { lowestCursor, head, ...counts } = await queue.counts();
  const [oldest] = lowestCursor < head ? await events.after(lowestCursor, 1) : [];
  return {
    ...counts,
    oldestUndeliveredSec: oldest === undefined ? 0 : Math.max(0, clock() - oldest.publishedAtMs) / 1_000,
  };
};
