/** Everything but reads of the directory, as an Express app: health, writes, events, pages, and unknown paths. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Store as LimitStore } from 'express-rate-limit';
import { openApi, writeRoutes } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Config } from '../config.ts';
import type { installBot } from '../operations/install-bot.ts';
import { nothingHere } from '../site/failures.ts';
import { mountSite } from '../site/mount.ts';
import type { Site } from '../site/site.ts';
import type { EventLog } from '../store/event-log.ts';
import { answerError, type FailurePage } from './answer-error.ts';
import { mountApi, type ApiDeps } from './api.ts';
import { formBody, jsonBody } from './body.ts';
import { mountEvents } from './events.ts';
import { formActions } from './form-actions.ts';
import { allowedMethods } from './paths.ts';
import { limitWrites } from './rate-limit.ts';

/** What the routes need. `operations` undefined: saving is not configured. */
export type AppDeps = {
  readonly config: Config;
  readonly log: Log;
  readonly operations: ApiDeps | undefined;
  readonly eventLog: EventLog | undefined;
  readonly site: Site;
  /** Undefined: saving is not configured. */
  readonly install: Parameters<typeof installBot>[0] | undefined;
  /** Makes the page of an error; undefined where no pages are served. */
  readonly failurePage: FailurePage | undefined;
  readonly limitStore: LimitStore | undefined;
  /** Whether requests should be sent here: the store answers, and the process is not stopping. */
  readonly ready: () => Promise<boolean>;
  /** The app's own counters, and the Prometheus text of all metrics. */
  readonly metrics: {
    readonly counted: Metrics['http'];
    readonly read: () => Promise<string>;
    readonly contentType: string;
  };
  /** Aborted when the server stops: ends responses that would never end by themselves. */
  readonly ending: AbortSignal;
};

/** Makes the app. A worker serves only health and metrics. */
export const createExpressApp = (deps: AppDeps): Express => {
  const { config, log, ready, metrics, failurePage } = deps;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('case sensitive routing', true);
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', async (_req, res) => {
    const isReady = await ready();
    res.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready' });
  });
  if (config.metricsAddress === undefined)
    app.get('/metrics', async (_req, res) => void res.type(metrics.contentType).send(await metrics.read()));
  if (config.role !== 'worker') mountDirectory(app, deps);

  app.use(notFound);
  const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    answerError(error, res, {
      log,
      requestId: String(res.getHeader('X-Request-Id')),
      baseUrl: config.baseUrl,
      ...(failurePage === undefined ? {} : { page: failurePage }),
    });
  };
  return app.use(onError);
};

/** Mounts everything but what every role serves. */
const mountDirectory = (app: Express, deps: AppDeps): void => {
  const { config, operations, eventLog, site, install, limitStore, metrics, ending } = deps;
  let document: ReturnType<typeof openApi> | undefined;
  app.get('/api/openapi.json', (_req, res) => void res.json((document ??= openApi(config.baseUrl))));

  const limit = config.writeRateLimit === undefined ? [] : [limitWrites(config.writeRateLimit, limitStore)];
  for (const { method, path } of Object.values(writeRoutes))
    app[method === 'POST' ? 'post' : 'delete'](path, ...limit, jsonBody);
  mountApi(app, config, operations);
  const events = eventLog && { events: eventLog, baseUrl: config.baseUrl, streams: metrics.counted.streams };
  mountEvents(app, events, ending);
  mountSite(app, { site, actions: formActions(config, operations), install, limit, formBody });
};

const notFound: RequestHandler = (req, _res, next) => {
  const allow = allowedMethods(req.path);
  next(
    allow.length === 0 || allow.includes(req.method)
      ? nothingHere()
      : new Failure('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow }),
  );
};
