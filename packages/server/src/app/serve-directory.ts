/** What a process serves of the directory: the one list of its routes, of API and site alike. */
import { createHash } from 'node:crypto';
import { openApi } from '@bot-directory/contract';
import { release as siteRelease } from '@bot-directory/site';
import { createEventTurns, type EventLogDeps } from '../api/events.ts';
import { mcpRoute } from '../api/mcp.ts';
import { apiRoutes } from '../api/routes.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Config } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import { limitWrites } from '../http/clients.ts';
import { createHeadWriter } from '../http/node-internals.ts';
import type { Route } from '../http/routes.ts';
import { bindOperations, type OperationDeps } from '../operations/index.ts';
import { TextWatch } from '../operations/text-watch.ts';
import { routeTo } from '../reads/resource.ts';
import { createHandlers } from '../reads/handler.ts';
import { release } from '../release.ts';
import { Pictures } from '../site/pictures.ts';
import { failurePage, siteRoutes } from '../site/routes.ts';
import { brandedAssets, filesHandler, frameOf, integrationNames, lookOf, type Site } from '../site/site.ts';
import type { EventLog } from '../store/events/event-log.ts';
import { LogPages } from '../store/events/log-views.ts';
import type { ReadingStore } from '../store/readings/reading-store.ts';
import type { Store } from '../redis/redis.ts';

export type Stored = {
  readonly store: Store;
  readonly operations: Omit<OperationDeps, 'textWatch'> & { readonly readings: Pick<ReadingStore, 'lastOf'> };
  readonly events: EventLog;
};

const documentRoute = routeTo('/api/openapi.json', ({ document }: Site) => ({ body: JSON.stringify(document) }));

/** `stored` undefined: saving is not configured. */
type ServeDeps = {
  readonly stored: Stored | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly directory: Directory;
  /** Aborted when the server stops: ends responses that would never end by themselves. */
  readonly ending: AbortSignal;
};

/** Makes what a process serves of the directory: the routes of API and site, and the pages of errors. */
export const serveDirectory = (config: Config, deps: ServeDeps) => {
  const { directory, stored, log, metrics, ending } = deps;
  const { baseUrl, template, categories, writeRateLimit } = config;
  const files = brandedAssets(config.site.accent);
  const { integrationNames: chosen } = config.site;
  const frame = {
    ...frameOf(config, files, stored !== undefined),
    integrationName: integrationNames(chosen, directory),
  };
  const settings = { ...settingsOf(config), frame };
  const events = stored && eventReads(stored, metrics);
  const site = {
    ...settings,
    files,
    pictures: new Pictures(),
    look: lookOf(config, files),
    directory,
    events,
    readings: stored?.operations.readings,
  };
  const sending = { baseUrl, writeHead: createHeadWriter(config.http.keepAliveTimeoutMs) };
  const handlerOf = createHandlers({
    context: site,
    directory,
    ...sending,
    form: formOf([release, siteRelease, settings, ...(categories.former ?? []), ...chosen]),
    onError: (error) => log.error({ err: error }, 'a response could not be compressed'),
  });
  const limit = writeRateLimit === undefined ? [] : [limitWrites(writeRateLimit, stored?.operations.bots.countWrite)];
  const operations = bindOperations(
    config,
    stored && { ...stored.operations, textWatch: new TextWatch({ ...stored.operations, directory, log }) },
  );
  return {
    failurePage: failurePage(site),
    routes: [
      ...apiRoutes({ operations, events, categories, templateHost: template.host, limit, ending, handlerOf }),
      { method: 'GET', path: documentRoute.path, handlers: [handlerOf(documentRoute)], hasAllHeaders: true },
      mcpRoute({
        directory,
        baseUrl,
        categories,
        operations,
        limit,
        log,
        templateHost: template.host,
        about: config.site,
      }),
      ...siteRoutes({
        log,
        site,
        operations,
        limit,
        handlerOf,
        bots: stored?.operations.bots,
        files: filesHandler(files, sending),
      }),
    ] satisfies Route[],
  };
};

/** What reads the event log. */
const eventReads = ({ store, events, operations }: Stored, metrics: Metrics): EventLogDeps => ({
  events,
  pages: new LogPages(store, events),
  ids: operations.ids,
  turns: createEventTurns(),
  streams: metrics.http.streams,
});

/** The settings that are in what is served. */
const settingsOf = ({ baseUrl, template, social, categories, categoryWords, site, webhook }: Config) => ({
  baseUrl,
  categories,
  categoryWords,
  document: openApi(baseUrl, {
    templateHost: template.host,
    socialHosts: [social.host, ...social.aliases],
    categories,
  }),
  securityContact: site.securityContact,
  webhook: { retryDelaysMs: webhook.retryDelaysMs, timeoutMs: webhook.timeoutMs },
});

/** Makes a part of every tag, so that other releases or settings never give one tag to different bytes. */
const formOf = (dependsOn: unknown): string =>
  createHash('sha256').update(JSON.stringify(dependsOn)).digest('base64url').slice(0, 8);
