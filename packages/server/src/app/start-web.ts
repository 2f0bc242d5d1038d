/** The web part of a process: what it serves of the directory, where it listens, when it is ready, and how it stops. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Express } from 'express';
import { contract, mcpPath, openApi } from '@bot-directory/contract';
import { release as siteRelease } from '@bot-directory/site';
import { createEventTurns, type EventLogDeps } from '../api/events.ts';
import { mountMcp } from '../api/mcp.ts';
import { apiReads, mountApi } from '../api/routes.ts';
import { sharedWhileRunning } from '../base/limiter.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Clock } from '../base/time.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Config } from '../config.ts';
import { Directory } from '../directory/directory.ts';
import { limitWrites, processRoutes } from '../http/express-app.ts';
import { createHeadWriter } from '../http/node-internals.ts';
import { Paths } from '../http/paths.ts';
import { commonHeaders } from '../http/problems.ts';
import { createHttpServer } from '../http/server.ts';
import { bindOperations, type OperationDeps } from '../operations/index.ts';
import { TextWatch } from '../operations/submit-bot.ts';
import { rowOf } from '../reads/read.ts';
import { createReads } from '../reads/reads.ts';
import { release } from '../release.ts';
import { Pictures } from '../site/pictures.ts';
import { failurePage, mountSite, siteReads, siteRoutes } from '../site/routes.ts';
import { brandedAssets, frameOf, lookOf, withAssets, type Site } from '../site/site.ts';
import type { EventLog } from '../store/event-log.ts';
import { LogPages } from '../store/log-views.ts';
import { readMetrics, type QueueState } from '../store/queue-state.ts';
import type { ReadingStore } from '../store/reading-store.ts';
import type { Store } from '../store/redis.ts';

/** What it needs. `stored` undefined: saving is not configured. */
export type WebDeps = {
  readonly stored:
    | {
        readonly store: Store;
        readonly operations: Omit<OperationDeps, 'textWatch'> & { readonly readings: Pick<ReadingStore, 'lastOf'> };
        readonly events: EventLog;
        readonly queue: QueueState;
      }
    | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  /** See `World`. */
  readonly snapshotFrom: number | undefined;
};

/** `hurry` ends the delay. */
type WebStop = { readonly delayMs: number; readonly drainMs: number; readonly hurry: AbortSignal | undefined };

/** Why a process without a store is not ready. */
export const storeForgotten = 'REDIS_URL is not set: set it, or set it to none if nothing is to be saved';

/** The store gets a snapshot of a directory with at least this many entries. */
const ownSnapshotFrom = 5_000;

/** On a stop with a delay, an idle connection is closed after this time. */
const idleMs = 1_000;

const documentRead = rowOf('/api/openapi.json', ({ document }: Site) => ({ body: JSON.stringify(document) }));
const documentRoute = { method: 'GET', path: documentRead.path };
const mcpRoute = { method: 'POST', path: mcpPath };

/** Every path of the service. */
export const paths = new Paths([...Object.values(contract), documentRoute, mcpRoute, ...processRoutes, ...siteRoutes]);

/** Starts the web part. Resolves when it listens. */
export const startWeb = async (config: Config, deps: WebDeps) => {
  const { stored, clock, log, metrics, tracer, snapshotFrom = ownSnapshotFrom } = deps;
  const directory = new Directory({
    store: stored?.store,
    baseUrl: config.baseUrl,
    snapshots: { release, from: snapshotFrom, log },
  });
  const isStoreUp = storeState(config, stored?.store, directory);
  const ending = new AbortController();
  // Every open stream adds a listener.
  setMaxListeners(0, ending.signal);
  const served = serveDirectory(config, { directory, stored, log, metrics, ending: ending.signal });
  let [hasBeenWhole, stopping] = [false, false];
  const readAllMetrics = sharedWhileRunning(() => {
    metrics.http.inFlight.set(connections.underWay);
    metrics.http.connections.set(connections.open);
    return readMetrics(metrics, stored && { ...stored, clock });
  });
  const { server, connections } = createHttpServer({
    config,
    log,
    tracer,
    paths,
    reads: served.reads,
    mount: config.role === 'worker' ? () => undefined : served.mount,
    failurePage: config.role === 'worker' ? undefined : served.failurePage,
    // It stays ready while the store is away. Otherwise a balancer would replace the documented errors with its own.
    ready: async () => {
      hasBeenWhole ||= (stored !== undefined && directory.isWhole) || (await isStoreUp());
      return hasBeenWhole && !stopping;
    },
    isStoreUp,
    trouble: () => {
      if (stopping) return 'the process is stopping';
      return stored === undefined ? storeForgotten : (stored.store.trouble() ?? 'the directory is being read');
    },
    metrics: { counted: metrics.http, read: readAllMetrics, contentType: metrics.contentType },
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

type ServeDeps = Pick<WebDeps, 'stored' | 'log' | 'metrics'> & {
  readonly directory: Directory;
  /** Aborted when the server stops: ends responses that would never end by themselves. */
  readonly ending: AbortSignal;
};

/** Makes what a process serves of the directory: API, site, their reads, and the pages of errors. */
const serveDirectory = (config: Config, deps: ServeDeps) => {
  const { directory, stored, log, metrics, ending } = deps;
  const { baseUrl, template, social, categories, writeRateLimit } = config;
  const { retryDelaysMs, timeoutMs } = config.webhook;
  const files = brandedAssets(config.site.accent);
  const settings = {
    baseUrl,
    categories,
    document: openApi(baseUrl, {
      templateHost: template.host,
      socialHosts: [social.host, ...social.aliases],
      categories,
    }),
    securityContact: config.site.securityContact,
    frame: frameOf(config, files, stored !== undefined),
    webhook: { retryDelaysMs, timeoutMs },
  };
  const events: EventLogDeps | undefined = stored && {
    events: stored.events,
    pages: new LogPages(stored.store, stored.events),
    turns: createEventTurns(),
    streams: metrics.http.streams,
  };
  const site = {
    ...{ ...settings, files, pictures: new Pictures(), look: lookOf(config, files), directory, events },
    readings: stored?.operations.readings,
  };
  const sending = {
    headers: commonHeaders(baseUrl),
    writeHead: createHeadWriter(config.http.keepAliveTimeoutMs),
  };
  const reads = createReads({
    rows: [...apiReads, documentRead, ...siteReads],
    context: site,
    paths,
    directory,
    ...sending,
    form: formOf([release, siteRelease, settings]),
    onError: (error) => log.error({ err: error }, 'a response could not be compressed'),
  });
  return {
    reads: withAssets(reads, files, sending),
    failurePage: failurePage(site),
    mount: (app: Express): void => {
      const limit =
        writeRateLimit === undefined ? [] : [limitWrites(writeRateLimit, stored?.operations.bots.countWrite)];
      const operations = bindOperations(
        config,
        stored && {
          ...stored.operations,
          textWatch: new TextWatch({ ...stored.operations, directory, log }),
        },
      );
      mountApi(app, { operations, events, categories, limit, ending });
      mountMcp(app, { directory, baseUrl, categories, about: config.site, operations, limit, log });
      mountSite(app, { site, operations, bots: stored?.operations.bots, limit });
    },
  };
};

/** Makes a part of every tag, so that other releases or settings never give one tag to different bytes. */
const formOf = (dependsOn: unknown): string =>
  createHash('sha256').update(JSON.stringify(dependsOn)).digest('base64url').slice(0, 8);

/**
 * Whether the store responds now, and the lists are equal to it. A process that serves lists begins to load them.
 * Without a store it is up only if that was set: a deploy that misspells a secret must not replace good processes.
 */
const storeState = (
  { role, isStoreless }: Config,
  store: Store | undefined,
  directory: Directory,
): (() => Promise<boolean>) => {
  if (store === undefined) return () => Promise.resolve(isStoreless);
  if (role === 'worker') return () => store.ping();
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
