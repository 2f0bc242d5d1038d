/** What a process serves of the directory, by its settings: API, site, their reads, and the pages of errors. */
import { createHash } from 'node:crypto';
import type { Express } from 'express';
import { contract, mcpPath, openApi } from '@bot-directory/contract';
import { release as siteRelease } from '@bot-directory/site';
import { createEventTurns, type EventLogDeps } from '../api/events.ts';
import { mountMcp } from '../api/mcp.ts';
import { apiReads, mountApi } from '../api/routes.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Config } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import { limitWrites, processRoutes } from '../http/express-app.ts';
import { Paths } from '../http/paths.ts';
import { commonHeaders, type FailurePage } from '../http/problems.ts';
import type { AnswerRead } from '../http/server.ts';
import { bindOperations, type OperationDeps } from '../operations/index.ts';
import { TextWatch } from '../operations/text-watch.ts';
import { rowOf } from '../reads/read.ts';
import { createReads } from '../reads/reads.ts';
import { release } from '../release.ts';
import { Pictures } from '../site/pictures.ts';
import { failurePage, mountSite, siteReads, siteRoutes } from '../site/routes.ts';
import { brandedAssets, frameOf, lookOf, withAssets, type Site } from '../site/site.ts';
import type { EventLog } from '../store/event-log.ts';
import { LogPages } from '../store/log-views.ts';
import { createRateLimitStore } from '../store/rate-limit-store.ts';
import type { ReadingStore } from '../store/reading-store.ts';
import type { Store } from '../store/redis.ts';

/** What it needs. `stored` undefined: saving is not configured. */
export type ServeDeps = {
  readonly directory: Directory;
  readonly stored:
    | {
        readonly store: Store;
        readonly operations: Omit<OperationDeps, 'textWatch'> & { readonly readings: Pick<ReadingStore, 'lastOf'> };
        readonly events: EventLog;
      }
    | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted when the server stops: ends responses that would never end by themselves. */
  readonly ending: AbortSignal;
};

/** The parts that the server is made with. */
export type ServedDirectory = {
  readonly reads: AnswerRead;
  readonly mount: (app: Express) => void;
  readonly failurePage: FailurePage;
};

const documentRead = rowOf('/api/openapi.json', ({ document }: Site) => ({ body: JSON.stringify(document) }));
const documentRoute = { method: 'GET', path: documentRead.path };
const mcpRoute = { method: 'POST', path: mcpPath };

/** Every path of the service. */
export const paths = new Paths([...Object.values(contract), documentRoute, mcpRoute, ...processRoutes, ...siteRoutes]);

/** Makes them. */
export const serveDirectory = (config: Config, deps: ServeDeps): ServedDirectory => {
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
  const headers = commonHeaders(baseUrl);
  const reads = createReads({
    rows: [...apiReads, documentRead, ...siteReads],
    context: site,
    paths,
    directory,
    headers,
    form: formOf([release, siteRelease, settings]),
    onError: (error) => log.error({ err: error }, 'a response could not be compressed'),
  });
  return {
    reads: withAssets(reads, files, headers),
    failurePage: failurePage(site),
    mount: (app) => {
      const limitStore = stored && createRateLimitStore(stored.store, stored.operations.bots);
      const limit = writeRateLimit === undefined ? [] : [limitWrites(writeRateLimit, limitStore)];
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

/** Servers with other releases or settings never give the same tag to different bytes. */
const formOf = (dependsOn: unknown): string =>
  createHash('sha256').update(JSON.stringify(dependsOn)).digest('base64url').slice(0, 8);
