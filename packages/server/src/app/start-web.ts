/** The web part of a process: what it serves of the directory, where it listens, when it is ready, and how it stops. */
import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { sharedWhileRunning } from '../base/limiter.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Clock } from '../base/time.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Config } from '../config.ts';
import { Directory } from '../directory/directory.ts';
import { processRoutes } from '../http/process-routes.ts';
import { createHttpServer } from '../http/server.ts';
import { refusalOfWrites } from '../store/admission/admit.ts';
import { readMetrics } from '../store/read-metrics.ts';
import type { Store } from '../redis/redis.ts';
import { storeForgotten } from './open-admitted.ts';
import { serveDirectory, type Stored } from './serve-directory.ts';

/** What it needs. `stored` undefined: saving is not configured. */
export type WebDeps = {
  readonly stored: Stored | undefined;
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
  const { stored, clock, log, metrics, tracer } = deps;
  const directory = new Directory({
    store: stored?.store,
    form: { baseUrl: config.baseUrl, former: config.categories.former },
  });
  const isStoreUp = storeState(config, stored?.store, { directory, log });
  const ending = new AbortController();
  // Every open stream adds a listener.
  setMaxListeners(0, ending.signal);
  const served = serveDirectory(config, { directory, stored, log, metrics, ending: ending.signal });
  let wasUp = false;
  let stopping = false;
  const readAllMetrics = sharedWhileRunning(() => {
    metrics.http.inFlight.set(connections.underWay);
    metrics.http.connections.set(connections.open);
    return readMetrics(metrics, stored && { ...stored, queue: stored.operations.queue, clock });
  });
  const process = processRoutes({
    // It stays ready while the store is away. Otherwise a balancer would replace the documented errors with its own.
    ready: async () => {
      wasUp ||= directory.hasBeenWhole || (await isStoreUp());
      return wasUp && !stopping;
    },
    isStoreUp,
    refusal: async () => stored && refusalOfWrites(stored.store),
    trouble: () => {
      if (stopping) return 'the process is stopping';
      return stored === undefined ? storeForgotten : (stored.store.trouble() ?? 'the directory is being read');
    },
    metrics:
      config.metricsAddress === undefined ? { read: readAllMetrics, contentType: metrics.contentType } : undefined,
  });
  const isWorker = config.role === 'worker';
  const { server, connections } = createHttpServer({
    config,
    log,
    tracer,
    counted: metrics.http,
    routes: isWorker ? process : [...served.routes, ...process],
    failurePage: isWorker ? undefined : served.failurePage,
  });
  const port = await listen(server, config);
  let metricsServer: Server | undefined;
  if (config.metricsAddress !== undefined) {
    metricsServer = createMetricsServer(readAllMetrics, metrics.contentType);
    await listen(metricsServer, config.metricsAddress);
  }
  return {
    port,
    /**
     * Keeps accepting for `delayMs`, so that balancers notice the failing `/readyz` and send requests elsewhere. Then
     * it waits for what is in flight, at most `drainMs`.
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
 * Whether the store responds now, and the lists are equal to it. A process that serves lists begins to load them.
 * Without a store it is up only if that was set: a deploy that misspells a secret must not replace good processes.
 */
const storeState = (
  { role, isStoreless, categories }: Config,
  store: Store | undefined,
  { directory, log }: { readonly directory: Directory; readonly log: Log },
): (() => Promise<boolean>) => {
  if (store === undefined) return () => Promise.resolve(isStoreless);
  if (role === 'worker') return () => store.ping();
  let hasWarned = false;
  const isFresh = (): Promise<boolean> =>
    directory.fresh().then(
      () => {
        if (!hasWarned) warnOfCategories(directory, categories, log);
        hasWarned = true;
        return true;
      },
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

/** Cards of such bots lead to no page. */
const warnOfCategories = ({ bots }: Directory, configured: readonly string[], log: Log): void => {
  const categories = bots.index.categoriesBeyond(configured);
  if (Object.keys(categories).length > 0)
    log.warn({ categories }, 'bots have categories that BOT_CATEGORIES does not have, each so many');
};

/** Makes a server for the metrics alone; it does not listen yet. Every other path is a 404. */
const createMetricsServer = (read: () => Promise<string>, contentType: string): Server =>
  createServer((req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics') return void res.writeHead(404).end();
    read().then(
      (text) => res.writeHead(200, { 'Content-Type': contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });

const listen = (server: Server, { host, port }: { host: string; port: number }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
