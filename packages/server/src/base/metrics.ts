/** What is counted, as Prometheus text. Gauges are read from the store when they are asked for. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** What a look at the queue finds. Ages are in seconds. */
export type QueueState = {
  readonly registered: number;
  readonly behind: number;
  readonly leased: number;
  readonly waiting: number;
  readonly stopped: number;
  readonly events: number;
  readonly oldestUndeliveredSec: number;
};

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process. */
export const createMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauges = {
    registered: new Gauge({ name: 'webhooks_registered', help: 'Webhooks, stopped ones included.', registers }),
    behind: new Gauge({
      name: 'webhooks_behind',
      help: 'Webhooks that have not been sent the last event and wait for nothing.',
      registers,
    }),
    leased: new Gauge({ name: 'webhooks_leased', help: 'Webhooks that are being delivered to.', registers }),
    waiting: new Gauge({
      name: 'webhooks_waiting',
      help: 'Webhooks that failed and are tried again later.',
      registers,
    }),
    stopped: new Gauge({ name: 'webhooks_stopped', help: 'Webhooks that are no longer called.', registers }),
    events: new Gauge({ name: 'webhook_events', help: 'Number of the last event.', registers }),
    oldestUndeliveredSec: new Gauge({
      name: 'webhook_oldest_undelivered_seconds',
      help: 'Age of the oldest event that an active, not failing webhook has not been sent.',
      registers,
    }),
  };
  return {
    ...createCounters(registers),
    /** The text of all metrics. `state` undefined: the store is away or not configured. */
    text: (state: QueueState | undefined): Promise<string> => {
      for (const [name, gauge] of Object.entries(gauges)) {
        if (state === undefined) gauge.remove();
        else gauge.set(state[name as keyof QueueState]);
      }
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};

/** What this process has done. */
const createCounters = (registers: Registry[]) => ({
  attempts: new Counter({
    name: 'webhook_attempts_total',
    help: 'Deliveries attempted, by outcome.',
    labelNames: ['outcome'],
    registers,
  }),
  stopped: new Counter({
    name: 'webhook_stops_total',
    help: 'Webhooks stopped after ten failures in a row.',
    registers,
  }),
  skipped: new Counter({
    name: 'webhook_events_skipped_total',
    help: 'Events that one endpoint refused while it took the next.',
    registers,
  }),
  duplicatesAvoided: new Counter({
    name: 'webhook_duplicates_avoided_total',
    help: 'Leases given up because another worker could have taken them.',
    registers,
  }),
  unsaved: new Counter({
    name: 'webhook_settlements_unsaved_total',
    help: 'Runs of deliveries whose result the store did not take before their lease ran out; they come again.',
    registers,
  }),
});
