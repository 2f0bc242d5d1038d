/** The metrics of this process, and of the queue that all processes share; and a server for them alone. */
import { createServer, type Server } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Metrics, QueueState } from '../base/metrics.ts';
import type { EventLog } from '../store/event-log.ts';
import { lacks, readCondition, type Condition, type Lack } from '../store/fit-store.ts';
import type { QueueState as Queue } from '../store/queue-state.ts';
import type { Store } from '../store/redis.ts';

type Stored = {
  readonly store: Store;
  readonly queue: Queue;
  readonly events: EventLog;
  readonly clock: Clock;
};

/** Prometheus text. `stored` undefined: of this process only. While the store is away, its figures are left out. */
export const readMetrics = async (metrics: Metrics, stored: Stored | undefined): Promise<string> => {
  if (stored === undefined) return metrics.text(undefined);
  const [state, condition] = await Promise.all([
    queueState(stored).catch(() => undefined),
    readCondition(stored.store).catch(() => undefined),
  ]);
  metrics.storeUp.set(state === undefined ? 0 : 1);
  reportCondition(metrics, condition);
  metrics.storeFigures.clockJumps.reset();
  metrics.storeFigures.clockJumps.inc(stored.store.clock.jumps);
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

const queueState = async ({ queue, events, clock }: Stored): Promise<QueueState> => {
  const { lowestCursor, ...counts } = await queue.counts();
  const [oldest] = Number.isFinite(lowestCursor) ? await events.after(lowestCursor, 1) : [];
  return {
    ...counts,
    oldestUndeliveredSec: oldest === undefined ? 0 : Math.max(0, clock() - oldest.publishedAtMs) / 1_000,
  };
};

/** Makes the server; it does not listen yet. Every other path is a 404. */
export const createMetricsServer = (read: () => Promise<string>, contentType: string): Server =>
  createServer((req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics') return void res.writeHead(404).end();
    read().then(
      (text) => res.writeHead(200, { 'Content-Type': contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
