/** The web part of a process: its composition, where it listens, and how it stops. */
import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracer.ts';
import type { Config } from '../config.ts';
import { readMetrics, sharedByWaiting } from '../operations/read-metrics.ts';
import { release } from '../release.ts';
import { Directory } from '../store/directory.ts';
import type { EventLog } from '../store/event-log.ts';
import type { QueueState } from '../store/queue-state.ts';
import { createRateLimitStore } from '../store/rate-limit-store.ts';
import type { Store } from '../store/redis.ts';
import type { ApiDeps } from './api.ts';
import { createApiReads } from './api-reads.ts';
import { composeSite } from './compose-site.ts';
import { createMetricsServer } from './metrics-server.ts';
import { createReads } from './reads.ts';
import { createHttpServer } from './server.ts';

/** What it needs. `store` and `stored` undefined: saving is not configured. */
export type WebDeps = {
  readonly store: Store | undefined;
  readonly stored: { readonly operations: ApiDeps; readonly events: EventLog; readonly queue: QueueState } | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
};

/** `hurry` ends the delay. */
type WebStop = { readonly delayMs: number; readonly drainMs: number; readonly hurry: AbortSignal | undefined };

/** On a stop with a delay, an idle connection is closed after this time. */
const idleMs = 1_000;

/** Starts the web part. Resolves when it listens. */
export const startWeb = async (config: Config, deps: WebDeps) => {
  const { store, stored, clock, log, metrics, tracer } = deps;
  const directory = new Directory({ store, baseUrl: config.baseUrl });
  const isReady = readiness(config, store, directory);
  const onError = (error: unknown): void => log.error({ err: error }, 'a response could not be compressed');
  const served = composeSite(config, { directory, isOpen: stored !== undefined, onError });
  const ending = new AbortController();
  // Every open stream adds a listener.
  setMaxListeners(0, ending.signal);
  let stopping = false;
  const readAllMetrics = sharedByWaiting(() => {
    metrics.http.inFlight.set(connections.underWay);
    metrics.http.connections.set(connections.open);
    return readMetrics(metrics, stored === undefined ? undefined : { ...stored, clock });
  });
  const { server, connections } = createHttpServer({
    config,
    log,
    tracer,
    reads: served.withAssets(
      createReads({
        directory,
        routes: [
          createApiReads({ directory, baseUrl: config.baseUrl, categories: config.categories, release, onError }),
          served.reads,
        ],
      }),
    ),
    operations: stored?.operations,
    eventLog: stored?.events,
    site: served.site,
    failurePage: config.role === 'worker' ? undefined : served.failurePage,
    install: stored === undefined ? undefined : { ...stored.operations, directory },
    limitStore: store === undefined ? undefined : createRateLimitStore(store),
    ready: async () => !stopping && (await isReady()),
    metrics: { counted: metrics.http, read: readAllMetrics, contentType: metrics.contentType },
    ending: ending.signal,
  });
  const port = await listen(server, config);
  const metricsServer =
    config.metricsAddress === undefined ? undefined : createMetricsServer(readAllMetrics, metrics.contentType);
  const metricsPort =
    metricsServer === undefined || config.metricsAddress === undefined
      ? undefined
      : await listen(metricsServer, config.metricsAddress);
  return {
    port,
    metricsPort,
    /**
     * For `delayMs` it keeps accepting, so that balancers notice the failing `/readyz` and send requests elsewhere.
     * Then it waits for what is in flight, at most `drainMs`.
     */
    stop: async ({ delayMs, drainMs, hurry }: WebStop) => {
      stopping = true;
      connections.closeAfterAnswers();
      if (delayMs > 0)
        await wait(delayMs, undefined, hurry === undefined ? {} : { signal: hurry }).catch(() => undefined);
      ending.abort();
      await connections.drain({ idleMs: Math.min(delayMs, idleMs), limitMs: drainMs });
      metricsServer?.close().closeAllConnections();
    },
  };
};

/**
 * Whether requests would be served now. A process that serves lists begins to load them at once, and is ready when they
 * are loaded.
 */
const readiness = ({ role }: Config, store: Store | undefined, directory: Directory): (() => Promise<boolean>) => {
  if (role === 'worker') return () => store?.ping() ?? Promise.resolve(true);
  const isFresh = (): Promise<boolean> =>
    directory.fresh().then(
      () => true,
      () => false,
    );
  void isFresh();
  return () => {
    if (directory.isWhole) return isFresh();
    // The store may have been away.
    void isFresh();
    return Promise.resolve(false);
  };
};

const listen = (server: Server, { host, port }: { host: string; port: number }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
