/**
 * The HTTP server: every request passes here, in this order. Request id and log line, CORS preflight, reads of the
 * directory, then Express for all else; any error ends in `problems.ts`.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Store as LimitStore } from 'express-rate-limit';
import { limits, openApi, writeRoutes } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { mountSite, type SiteDeps } from '../site/pages.ts';
import type { EventLog } from '../store/event-log.ts';
import { mountEvents } from './events.ts';
import { expressClasses } from './express-classes.ts';
import { mountApi, type OperationDeps } from './api.ts';
import { allowedMethods } from './paths.ts';
import { asFailure, sendProblem } from './problems.ts';
import { limitWrites } from './rate-limit.ts';
import type { Reads } from './reads.ts';
import { corsHeaders } from './representation.ts';

/** What the server is made of. `operations` undefined: saving is not configured. */
export type HttpDeps = {
  readonly config: Config;
  readonly log: Log;
  readonly reads: Reads;
  readonly operations: OperationDeps | undefined;
  readonly eventLog: EventLog | undefined;
  readonly site: SiteDeps;
  readonly limitStore: LimitStore | undefined;
  /** Whether the store answers. */
  readonly ready: () => Promise<boolean>;
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** Aborted when the server stops: ends what would never end by itself. */
  readonly ending: AbortSignal;
};

/** The server, not yet listening. */
export const createHttpServer = (deps: HttpDeps): Server => {
  const { reads, log, config, ending } = deps;
  const app = createExpress(deps);
  const nextRequestId = requestIds();

  return createServer(expressClasses(app), (req, res) => {
    const requestId = nextRequestId();
    // Else a client that keeps its connection busy would be served until it is cut off.
    if (ending.aborted) res.shouldKeepAlive = false;
    const observe = observer(log, res, requestId);
    const read = config.role === 'worker' ? undefined : reads(req, res, requestId);
    // Reads of the directory are many: only those that fail are logged, unless all shall be.
    if (read === undefined || log.isLevelEnabled('debug')) observe();
    if (read === undefined) {
      setCommonHeaders(res, requestId);
      if (req.method === 'OPTIONS') preflight(req, res);
      else app(req, res);
      return;
    }
    read.catch((error: unknown) => {
      if (!log.isLevelEnabled('debug')) observe();
      setCommonHeaders(res, requestId);
      answerError(error, res, { log, baseUrl: config.baseUrl });
    });
  });
};

const createExpress = (deps: HttpDeps): Express => {
  const { config, log, ready, metrics } = deps;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('case sensitive routing', true);
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', async (_req, res) => {
    const isReady = await ready();
    res.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'store unreachable' });
  });
  app.get('/metrics', async (_req, res) => void res.type('text/plain').send(await metrics()));
  if (config.role !== 'worker') mountDirectory(app, deps);

  app.use(notFound);
  const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    answerError(error, res, { log, baseUrl: config.baseUrl });
  };
  return app.use(onError);
};

/** All but what every role serves. */
const mountDirectory = (app: Express, { config, operations, eventLog, site, limitStore, ending }: HttpDeps): void => {
  const document = openApi(config.baseUrl);
  app.get('/api/openapi.json', (_req, res) => void res.json(document));

  const limit = config.writeRateLimit === undefined ? [] : [limitWrites(config.writeRateLimit, limitStore)];
  const beforeWrites = [...limit, requireJson, express.json({ limit: limits.bodyBytes, type: () => true })];
  for (const { method, path } of Object.values(writeRoutes))
    app[method === 'POST' ? 'post' : 'delete'](path, ...beforeWrites);
  mountApi(app, config, operations);
  mountEvents(app, eventLog === undefined ? undefined : { events: eventLog, baseUrl: config.baseUrl }, ending);
  for (const handler of limit) app.post('/bots/:slug/install', handler);
  mountSite(app, site);
};

const requireJson: RequestHandler = (req, _res, next) => {
  const type = req.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  next(
    type === 'application/json' || type?.endsWith('+json') === true
      ? undefined
      : new Failure('unsupported_media_type', 'Send JSON, with the header Content-Type: application/json.'),
  );
};

const notFound: RequestHandler = (req, _res, next) => {
  const allow = allowedMethods(req.path);
  next(
    allow.length === 0 || allow.includes(req.method)
      ? new Failure('not_found', 'There is nothing at this path.')
      : new Failure('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow }),
  );
};

const answerError = (error: unknown, res: ServerResponse, { log, baseUrl }: { log: Log; baseUrl: string }): void => {
  const requestId = String(res.getHeader('X-Request-Id'));
  const failure = asFailure(error);
  if (failure === undefined) log.error({ err: error, request_id: requestId }, 'a bug');
  else if (failure.extras.cause instanceof Error)
    log.warn({ code: failure.code, reason: failure.extras.cause.message, request_id: requestId }, 'not served');
  // A body that began can't be taken back: cut it, so that nobody takes it for whole.
  if (res.headersSent) return void res.destroy();
  sendProblem(res, failure, { requestId, baseUrl });
};

const setCommonHeaders = (res: ServerResponse, requestId: string): void => {
  for (let i = 0; i < corsHeaders.length; i += 2) res.setHeader(corsHeaders[i] ?? '', corsHeaders[i + 1] ?? '');
  res.setHeader('X-Request-Id', requestId);
};

const preflight = (req: IncomingMessage, res: ServerResponse): void => {
  const allow = allowedMethods((req.url ?? '/').split('?', 1)[0] ?? '/');
  res.setHeader(
    'Access-Control-Allow-Methods',
    allow.length === 0 ? 'GET, HEAD, POST, DELETE, OPTIONS' : allow.join(', '),
  );
  res.setHeader('Access-Control-Allow-Headers', req.headers['access-control-request-headers'] ?? '*');
  res.setHeader('Access-Control-Max-Age', '7200');
  res.setHeader('Vary', 'Access-Control-Request-Headers');
  if (allow.length > 0) res.setHeader('Allow', allow.join(', '));
  res.writeHead(204).end();
};

/** One wide line a request: failures and writes at `info`, reads at `debug`. Begins to measure; what it returns, to listen. */
const observer = (log: Log, res: ServerResponse, requestId: string): (() => void) => {
  const { method, url } = res.req;
  const started = performance.now();
  return () => {
    res.on('close', () => {
      const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
      const line = {
        request_id: requestId,
        method,
        path: url?.split('?', 1)[0],
        status: res.statusCode,
        duration_ms: Math.round((performance.now() - started) * 10) / 10,
        complete: res.writableFinished,
      };
      log[isRead && res.statusCode < 400 ? 'debug' : 'info'](line, 'request');
    });
  };
};

const requestIds = (): (() => string) => {
  const process = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `req_${process}_${(count += 1).toString(36)}`;
};
