/** The metrics of this process, and of the queue that all processes share. */
import type { Clock } from '../base/clock.ts';
import type { Metrics, QueueState } from '../base/metrics.ts';
import { publishedAtMs, type EventLog } from '../store/event-log.ts';
import type { QueueState as Queue } from '../store/queue-state.ts';

type Deps = {
  readonly metrics: Metrics;
  readonly queue: Queue;
  readonly events: EventLog;
  readonly clock: Clock;
};

/** Prometheus text. Without its gauges while the store is away. */
export const readMetrics = async (deps: Deps): Promise<string> =>
  deps.metrics.text(await queueState(deps).catch(() => undefined));

const queueState = async ({ queue, events, clock }: Deps): Promise<QueueState> => {
  const { lowestCursor, ...counts } = await queue.counts();
  const [oldest] = lowestCursor < counts.events ? await events.after(lowestCursor, 1) : [];
  return {
    ...counts,
    oldestUndeliveredSec: oldest === undefined ? 0 : Math.max(0, clock() - publishedAtMs(oldest)) / 1_000,
  };
};
