/**
 * The HTTP server. Every request passes these steps in order: request id, canonical target, CORS preflight, reads of
 * the directory, then Express for everything else. Every error ends in `problems.ts`.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { deliveryRoutes } from '@bot-directory/contract';
import type { Express } from 'express';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Tracer } from '../base/tracer.ts';
import { answerError, setCommonHeaders } from './answer-error.ts';
import { Connections } from './connections.ts';
import { createExpressApp, type AppDeps } from './express-app.ts';
import { expressClasses } from './express-classes.ts';
import { withoutPorts } from './forwarded.ts';
import { answerParserErrors } from './parser-errors.ts';
import { allowedMethods, routeOf } from './paths.ts';
import type { AnswerRead } from './reads.ts';
import { canonicalTarget, pathOf } from './target.ts';

/** What the server needs. */
export type HttpDeps = AppDeps & { readonly reads: AnswerRead; readonly tracer: Tracer | undefined };

/** The server, not yet listening, and its connections. */
export type HttpServer = { readonly server: Server; readonly connections: Connections };

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

/** How often the server looks for requests that take too long. */
const overdueEveryMs = 5_000;

/** Makes the server. */
export const createHttpServer = (deps: HttpDeps): HttpServer => {
  const { log, config, tracer } = deps;
  const { baseUrl } = config;
  const app = createExpressApp(deps);
  const server = createListener(config, app);
  const connections = limitConnections(server, app, deps);
  const nextRequestId = requestIds();
  const { answer, refuse } = createHandlers(deps, { app, connections, nextRequestId });
  /** Cuts off a client that asks without end and reads no responses. */
  const bounded =
    (handle: Handle): Handle =>
    (req, res) => {
      if (connections.isFull(req.socket)) req.socket.destroy();
      else handle(req, res);
    };

  const traced: Handle =
    tracer === undefined
      ? answer
      : (req, res) => {
          const [path = '/'] = canonicalTarget(req.url ?? '/').split('?', 1);
          tracer.request(req, res, routeOf(path), () => answer(req, res));
        };
  server.on('request', bounded(traced));
  // The code that reads the body sends the 100.
  server.on('checkContinue', bounded(traced));
  server.on(
    'checkExpectation',
    bounded(refuse(new Failure('expectation_failed', 'The only Expect that can be met is 100-continue.'))),
  );
  answerParserErrors(server, {
    baseUrl,
    connections,
    nextRequestId,
    onRefused: (requestId, { code }) => log.info({ request_id: requestId, code }, 'refused by the parser'),
  });
  return { server, connections };
};

const createListener = (config: HttpDeps['config'], app: Express): Server => {
  const { requestTimeoutMs, keepAliveTimeoutMs } = config.http;
  const server = createServer({
    ...expressClasses(app),
    headersTimeout: Math.min(requestTimeoutMs, 15_000),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(overdueEveryMs, Math.ceil(requestTimeoutMs / 2)),
    keepAliveTimeout: keepAliveTimeoutMs,
    // Checked by `answer`, with a problem as response.
    requireHostHeader: false,
  });
  // A client that neither sends nor reads for so long is cut off. The slowest response begins within a ping's time-out.
  server.timeout = 30_000 + config.webhook.timeoutMs;
  return server;
};

const limitConnections = (server: Server, app: Express, { config, metrics }: HttpDeps): Connections => {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return new Connections(server, {
    perAddress: config.http.connectionsPerAddress,
    isExempt: (address) => trusts(address, 0),
    onRefused: () => metrics.counted.connectionsRefused.inc(),
  });
};

type Parts = { readonly app: Express; readonly connections: Connections; readonly nextRequestId: () => string };

const createHandlers = (deps: HttpDeps, { app, connections, nextRequestId }: Parts) => {
  const { reads, log, config, failurePage } = deps;
  const { counted } = deps.metrics;
  const failures = { log, baseUrl: config.baseUrl, ...(failurePage === undefined ? {} : { page: failurePage }) };

  const start = (req: IncomingMessage, res: ServerResponse): string => {
    const requestId = nextRequestId();
    req.url = canonicalTarget(req.url ?? '/');
    // Express removes the part of the path that it has matched.
    const target = req.url;
    const connection = connections.begin(res);
    const startedMs = performance.now();
    res.on('close', () => {
      const nowMs = performance.now();
      const durationMs = nowMs - startedMs;
      connections.end(connection, res, nowMs);
      const route = routeOf(pathOf(target));
      if (route !== streamRoute)
        counted.requestDuration.observe(labelsOf(route, req.method, res.statusCode), durationMs / 1_000);
      logRequest(log, res, { requestId, target, durationMs });
    });
    return requestId;
  };

  const refuse =
    (failure: Failure): Handle =>
    (req, res) => {
      answerError(failure, res, { ...failures, requestId: start(req, res) });
    };

  const answer: Handle = (req, res) => {
    const requestId = start(req, res);
    const fail = (failure: unknown): void => answerError(failure, res, { ...failures, requestId });
    if (!hasOneHost(req)) return fail(new Failure('malformed_request', 'A request has exactly one Host header.'));
    if (config.role !== 'worker' && reads(req, res, requestId, fail)) return;
    setCommonHeaders(res, requestId);
    const forwardedFor = req.headers['x-forwarded-for'];
    if (typeof forwardedFor === 'string') req.headers['x-forwarded-for'] = withoutPorts(forwardedFor);
    if (req.method === 'OPTIONS') preflight(req, res);
    else app(req, res);
  };
  return { answer, refuse };
};

const streamRoute = deliveryRoutes.streamEvents.path;
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const labels = new Map<string, Map<number, string>>();

/** One of few values, whatever a client sends: never a raw path or an invented method. Each has one spelling. */
const labelsOf = (route: string, method = '', status: number): string => {
  let ofRoute = labels.get(route);
  if (ofRoute === undefined) labels.set(route, (ofRoute = new Map<number, string>()));
  const at = knownMethods.indexOf(method);
  let label = ofRoute.get(at * 1_000 + status);
  if (label === undefined) {
    label = `route="${route}",method="${knownMethods[at] ?? 'other'}",status="${status}"`;
    ofRoute.set(at * 1_000 + status, label);
  }
  return label;
};

/** RFC 9112 §3.2: without a Host, or with several, a proxy before us may have meant another server. */
const hasOneHost = ({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean => {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
};

const preflight: Handle = (req, res) => {
  const allow = allowedMethods(pathOf(req.url ?? '/'));
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

/** One wide line per request: failures and writes at `info`, reads, which are many, at `debug`. */
const logRequest = (
  log: Log,
  res: ServerResponse,
  { requestId, target, durationMs }: { requestId: string; target: string; durationMs: number },
): void => {
  const { method } = res.req;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const level = isRead && res.statusCode < 400 ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const line = {
    request_id: requestId,
    method,
    path: pathOf(target),
    status: res.statusCode,
    duration_ms: Math.round(durationMs * 10) / 10,
    complete: res.writableFinished,
  };
  log[level](line, 'request');
};

const requestIds = (): (() => string) => {
  const process = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `req_${process}_${(count += 1).toString(36)}`;
};
