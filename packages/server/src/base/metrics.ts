/** Metrics as Prometheus text. Gauges of the store are read from it when they are requested. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { Histogram } from './histogram.ts';

/** Which build is running. */
export type Build = { readonly version: string; readonly release: string };

/** How large the directory is, from the store. Every process reports the same. */
export type DirectorySize = {
  readonly bots: number;
  readonly posts: number;
  readonly withdrawn: number;
  readonly reports: number;
  readonly auditLines: number;
  readonly blocks: number;
  readonly visitors: number;
  /** Of all kinds, those of the rate limit included; in a Cluster, of all its nodes. */
  readonly keys: number;
};

/** The state of the queue, from the store. Ages are in seconds. Every process reports the same. */
export type QueueState = DirectorySize & {
  readonly registered: number;
  readonly behind: number;
  readonly leased: number;
  readonly waiting: number;
  readonly stopped: number;
  readonly events: number;
  readonly oldestUndeliveredSec: number;
};

export type Metrics = ReturnType<typeof createMetrics>;

/** Every process reports the same number, so a query takes their maximum, not their sum. */
const shared = '(the same from every process)';

const sharedGauges = (registers: Registry[]) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help: `${help} ${shared}`, registers });
  return {
    bots: gauge('directory_bots', 'Bots in the store'),
    posts: gauge('directory_posts', 'Showcase posts in the store'),
    withdrawn: gauge('directory_withdrawn_bots', 'Bots that are hidden, removed or waiting for approval'),
    reports: gauge('directory_reports', 'Reports that are kept; at most 10,000'),
    auditLines: gauge('directory_audit_lines', 'Lines of the audit log; about 10,000 at most'),
    blocks: gauge('directory_blocks', 'Blocks in force; at most 10,000'),
    visitors: gauge('directory_install_visitors', 'Visitors that count no more today; at most 200,000'),
    keys: gauge('store_keys', 'Keys of the store, one for each client of the rate limit included'),
    registered: gauge('webhooks_registered', 'Webhooks, stopped ones included'),
    behind: gauge('webhooks_behind', 'Webhooks that are behind and neither leased nor waiting'),
    leased: gauge('webhooks_leased', 'Webhooks that are being delivered to'),
    waiting: gauge('webhooks_waiting', 'Webhooks that failed and are tried again later'),
    stopped: gauge('webhooks_stopped', 'Webhooks that are no longer called'),
    events: gauge('webhook_events', 'Events that the log holds'),
    oldestUndeliveredSec: gauge(
      'webhook_oldest_undelivered_seconds',
      'Age of the oldest event that an active, not failing webhook has not been sent',
    ),
  };
};

/** Metrics of the HTTP server. */
const httpMetrics = (registers: Registry[]) => ({
  requestDuration: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, event streams left out.',
  }),
  inFlight: new Gauge({ name: 'http_requests_in_flight', help: 'Requests that are being answered.', registers }),
  connections: new Gauge({ name: 'http_connections', help: 'Open connections.', registers }),
  streams: new Gauge({ name: 'http_event_streams', help: 'Open event streams.', registers }),
  connectionsRefused: new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections beyond what one address may have.',
    registers,
  }),
});

const tellBuild = (build: Build, registers: Registry[]): void => {
  new Gauge({
    name: 'bot_directory_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'release', 'node'],
    registers,
  }).set({ ...build, node: process.version }, 1);
};

/** The metrics of one process. */
export const createMetrics = (build: Build) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // These gauges are named like counters; other metrics report the same by type, under better names.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const registers = [registry];
  const gauges = sharedGauges(registers);
  const http = httpMetrics(registers);
  const attemptDuration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one delivery attempt, by outcome.',
  });
  const storeDuration = new Histogram({
    name: 'store_operation_duration_seconds',
    help: 'Time of one operation of the store, by script.',
  });
  tellBuild(build, registers);
  return {
    http,
    attemptDuration,
    storeDuration,
    storeErrors: new Counter({
      name: 'store_errors_total',
      help: 'Operations of the store that failed: it was unreachable, or it refused.',
      labelNames: ['reason'],
      registers,
    }),
    ...createCounters(registers),
    /** From now on reports what the delivery engine has under way. */
    reportDeliveries: (underWay: () => number): void => {
      new Gauge({
        name: 'webhook_deliveries_in_flight',
        help: 'Deliveries that this process has under way.',
        registers,
        collect() {
          this.set(underWay());
        },
      });
    },
    /** The text of all metrics. `state` is undefined if the store is away or not configured. */
    text: async (state: QueueState | undefined): Promise<string> => {
      for (const [name, gauge] of Object.entries(gauges)) {
        if (state === undefined) gauge.remove();
        else gauge.set(state[name as keyof QueueState]);
      }
      const histograms = [http.requestDuration, attemptDuration, storeDuration].map((histogram) => histogram.text());
      const attempts = { name: 'webhook_attempts_total', help: 'Deliveries attempted, by outcome.' };
      return [await registry.metrics(), ...histograms, attemptDuration.countsAs(attempts)].join('');
    },
    contentType: registry.contentType,
  };
};

/** Counters of this process's work. */
const createCounters = (registers: Registry[]) => ({
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
