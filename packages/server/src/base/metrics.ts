/** Metrics as Prometheus text. Gauges of the store are read from it when they are requested. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { droppedLines } from './log.ts';

/** Which build is running, and in which role. */
export type Build = { readonly version: string; readonly release: string; readonly role: string };

export type Metrics = ReturnType<typeof createMetrics>;

/** Every process reports the same number, so a query takes their maximum, not their sum. */
const shared = '(the same from every process)';

const sharedGauges = (registers: Registry[]) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help: `${help} ${shared}`, registers });
  return {
    bots: gauge('directory_bots', 'Bots in the store'),
    posts: gauge('directory_posts', 'Showcase posts in the store'),
    withdrawn: gauge('directory_withdrawn_bots', 'Bots that are hidden, removed or waiting for approval'),
    missing: gauge('directory_missing_templates', 'Listed bots whose template was missing when it was last read'),
    reports: gauge('directory_reports', 'Reports that are kept; at most 2,000'),
    droppedReports: gauge('directory_reports_dropped', 'Reports that were deleted because there were too many, ever'),
    auditLines: gauge('directory_audit_lines', 'Lines of the audit log; about 10,000 at most'),
    blocks: gauge('directory_blocks', 'Blocks in force; at most 10,000'),
    submissionsClosed: gauge('directory_submissions_closed', 'Whether the operator has closed submissions: 1 or 0'),
    backedUpAtSec: gauge(
      'directory_last_backup_timestamp_seconds',
      "When a backup last exited with 0, by the store's clock; 0 for never",
    ),
    visitors: gauge('directory_install_visitors', 'Visitors already counted in the last 24 hours; at most 200,000'),
    // In a Cluster, those of all its nodes.
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

/** What they show of the store: the size of the directory and the state of the queue. Ages are in seconds. */
export type SharedGauges = Readonly<Record<keyof ReturnType<typeof sharedGauges>, number>>;

/** Bucket bounds in seconds, from a read in memory to the longest that anything may take. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of the HTTP server. */
const httpMetrics = (registers: Registry[]) => ({
  requestDuration: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its response, without event streams.',
    labelNames: ['route', 'method', 'status'],
    buckets,
    registers,
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
    labelNames: ['version', 'release', 'role', 'node'],
    registers,
  }).set({ ...build, node: process.version }, 1);
};

/** Makes the metrics of the store besides its operations; its gauges are read from INFO. */
const storeFigures = (registers: Registry[]) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help: `${help} ${shared}`, registers });
  return {
    memoryBytes: gauge('store_memory_bytes', 'Memory that Redis uses'),
    memoryLimitBytes: gauge('store_memory_limit_bytes', 'The most memory that Redis may use; 0 for no limit'),
    lost: gauge(
      'directory_lost_entries',
      'Bots and posts that are gone without a removal: all, or more than a tenth; otherwise 0',
    ),
    evictedKeys: gauge('store_evicted_keys', 'Keys that Redis has evicted since it started'),
    clockJumps: new Counter({
      name: 'store_clock_jumps_total',
      help: "How often the store's clock has moved by more than a minute at once, as this process saw it.",
      registers,
    }),
  };
};

const lacksGauge = (registers: Registry[]) =>
  new Gauge({
    name: 'store_lacks',
    help: `What Redis lacks, 1 or 0: what that means is in the log. ${shared}`,
    labelNames: ['lack'],
    registers,
  });

const countDroppedLines = (registers: Registry[]): void => {
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Lines of the log that could not be written.',
    registers,
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
};

/** What a delivery engine reports when it is asked. */
const engineGauges = (registers: Registry[]) => ({
  /** Begins to report what the delivery engine has under way. */
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
  /** Begins to report whether failures of deliveries are attributed to our own network. */
  reportOwnOutage: (isOutage: () => boolean): void => {
    new Gauge({
      name: 'webhook_own_outage',
      help: 'Whether endpoints of many owners fail at once, so that their failures do not count: 1 or 0.',
      registers,
      collect() {
        this.set(isOutage() ? 1 : 0);
      },
    });
  },
});

/** Measures each attempt once. The counter, which came first, is what the histogram has counted. */
const attemptMetrics = (registers: Registry[]): Histogram<'outcome'> => {
  const duration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one delivery attempt, by outcome.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  new Counter({
    name: 'webhook_attempts_total',
    help: 'Deliveries attempted, by outcome.',
    labelNames: ['outcome'],
    registers,
    async collect() {
      this.reset();
      for (const { metricName, labels, value } of (await duration.get()).values)
        if (metricName?.endsWith('_count') === true) this.inc({ outcome: labels.outcome ?? '' }, value);
    },
  });
  return duration;
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
  const storeDuration = new Histogram({
    name: 'store_operation_duration_seconds',
    help: 'Time of one operation of the store, by script.',
    labelNames: ['operation'],
    buckets,
    registers,
  });
  const storeUp = new Gauge({
    name: 'store_up',
    help: 'Whether the store responds: 1 or 0. Absent if none is configured.',
    registers,
  });
  storeUp.remove();
  tellBuild(build, registers);
  countDroppedLines(registers);
  return {
    http,
    attemptDuration: attemptMetrics(registers),
    storeDuration,
    storeUp,
    storeLacks: lacksGauge(registers),
    storeFigures: storeFigures(registers),
    storeErrors: new Counter({
      name: 'store_errors_total',
      help: 'Operations of the store that failed: it was unreachable, or it refused.',
      labelNames: ['reason'],
      registers,
    }),
    ...createCounters(registers),
    ...engineGauges(registers),
    /** The text of all metrics. `state` is undefined if the store is away or not configured. */
    text: (state: SharedGauges | undefined): Promise<string> => {
      for (const [name, gauge] of Object.entries(gauges)) {
        if (state === undefined) gauge.remove();
        else gauge.set(state[name as keyof SharedGauges]);
      }
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};

/** Counters of this process's work. */
const createCounters = (registers: Registry[]) => ({
  webhooksRefused: new Counter({
    name: 'webhook_registrations_refused_total',
    help: 'Registrations that a limit of webhooks refused.',
    labelNames: ['limit'],
    registers,
  }),
  stopped: new Counter({
    name: 'webhook_stops_total',
    help: 'Webhooks stopped after ten failures in a row.',
    registers,
  }),
  skipped: new Counter({
    name: 'webhook_events_skipped_total',
    help: 'Events that one endpoint refused while it accepted others; each counts once for each endpoint.',
    registers,
  }),
  templateChecks: new Counter({
    name: 'template_checks_total',
    help: 'Templates that were read again, by what was found.',
    labelNames: ['result'],
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
