/** The metrics of this process, and of the queue that all processes share. */
import type { Clock } from '../base/clock.ts';
import type { Metrics, QueueState } from '../base/metrics.ts';
import type { Deliveries } from '../store/deliveries.ts';
import { publishedAtMs, type EventLog } from '../store/event-log.ts';

type Deps = {
  readonly metrics: Metrics;
  readonly deliveries: Deliveries;
  readonly events: EventLog;
  readonly clock: Clock;
};

/** Prometheus text. Without its gauges while the store is away. */
export const readMetrics = async (deps: Deps): Promise<string> =>
  deps.metrics.text(await queueState(deps).catch(() => undefined));

const queueState = async ({ deliveries, events, clock }: Deps): Promise<QueueState> => {
  const { lowestCursor, ...counts } = await deliveries.queueState();
  const [oldest] = lowestCursor < counts.events ? await events.after(lowestCursor, 1) : [];
  return {
    ...counts,
    oldestUndeliveredSec: oldest === undefined ? 0 : Math.max(0, clock() - publishedAtMs(oldest)) / 1_000,
  };
};
