/**
 * The HTTP server: its connections, limits and metrics, and what Node's parser refuses. Every request goes to the
 * Express app.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { deliveryRoutes } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Config } from '../config.ts';
import { dropPorts } from './clients.ts';
import { Connections, closeGently } from './connections.ts';
import { createExpressApp, type AppDeps } from './express-app.ts';
import { expressClasses } from './node-internals.ts';
import { isOnlyCounted } from './outages.ts';
import { commonHeaders, inertPolicy, problemAnswer } from './problems.ts';
import { identify, requestIdOf, requestIds } from './request-id.ts';
import type { Route } from './routes.ts';
import { canonicalTarget, pathOf } from './target.ts';

export type HttpDeps = AppDeps & {
  readonly config: Config;
  readonly counted: Metrics['http'];
  readonly tracer: Tracer | undefined;
};

/** The server, not yet listening, and its connections. */
export type HttpServer = { readonly server: Server; readonly connections: Connections };

/** How often the server looks for requests that take too long. */
const overdueEveryMs = 5_000;

export const createHttpServer = (deps: HttpDeps): HttpServer => {
  const { log, config, tracer } = deps;
  const app = createExpressApp(deps);
  const server = createListener(config, app);
  const connections = limitConnections(server, app, deps);
  const nextRequestId = requestIds();
  const account = createAccount(deps, connections);
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    // It sends requests without end and reads no responses.
    if (connections.isFull(req.socket)) return void req.socket.destroy();
    // The server makes all requests from Express's class.
    const request = req as Request;
    identify(request, nextRequestId());
    dropPorts(req);
    account(request, res);
    const respond = (): void => void app(request, res as Response);
    if (tracer === undefined) respond();
    else tracer.request(req, res, routeOf, respond);
  };
  // Refused by the app, or answered with a 100 by the code that reads the body.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, serve);
  answerParserErrors(server, { log, baseUrl: config.baseUrl, connections, nextRequestId });
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
    // The app does so, with a problem as response.
    requireHostHeader: false,
  });
  // A client that neither sends nor reads for so long is cut off. The slowest response begins within a ping's time-out.
  server.timeout = 30_000 + config.webhook.timeoutMs;
  return server;
};

const limitConnections = (server: Server, app: Express, { config, counted }: HttpDeps): Connections => {
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return new Connections(server, {
    perAddress: config.http.connectionsPerAddress,
    isExempt: (address) => trusts(address, 0),
    onRefused: () => counted.connectionsRefused.inc(),
  });
};

/** Makes what follows a request until its response is complete, for limits, metrics and the log. */
const createAccount =
  ({ log, counted }: HttpDeps, connections: Connections) =>
  (req: Request, res: ServerResponse): void => {
    const connection = connections.begin(res);
    const startedMs = performance.now();
    res.on('close', () => {
      const nowMs = performance.now();
      const durationMs = nowMs - startedMs;
      connections.end(connection, res, nowMs);
      const route = routeOf(req);
      const labels = { route, method: knownMethod(req.method), status: res.statusCode };
      if (route !== streamRoute) counted.requestDuration.observe(labels, durationMs / 1_000);
      logRequest(log, req, res, durationMs);
    });
  };

/** The path of the route that Express found, as one of few values. */
const routeOf = (req: IncomingMessage & { readonly route?: Pick<Route, 'path'> }): string => req.route?.path ?? 'none';

const streamRoute = deliveryRoutes.streamEvents.path;
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns one of few values, whatever a client sends. */
const knownMethod = (method: string): string => (knownMethods.has(method) ? method : 'other');

/** One wide line per request: failures and writes at `info`; reads and what an outage refuses, many, at `debug`. */
const logRequest = (log: Log, req: Request, res: ServerResponse, durationMs: number): void => {
  const { method, originalUrl } = req;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const level = (isRead && res.statusCode < 400) || isOnlyCounted(res) ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const line = {
    request_id: requestIdOf(req),
    method,
    path: pathOf(canonicalTarget(originalUrl)),
    status: res.statusCode,
    duration_ms: Math.round(durationMs * 10) / 10,
    complete: res.writableFinished,
  };
  log[level](line, 'request');
};

type ParserErrorDeps = {
  readonly log: Log;
  readonly baseUrl: string;
  readonly connections: Connections;
  readonly nextRequestId: () => string;
};

/** Answers requests that Node's HTTP parser refuses, with a problem like any other, if the socket allows it. */
const answerParserErrors = (server: Server, deps: ParserErrorDeps): void => {
  const answered = new WeakSet();
  const refuse = (socket: Socket, failure: Failure): void => {
    if (answered.has(socket)) return;
    answered.add(socket);
    if (!socket.writable || deps.connections.isAnswering(socket)) return void socket.destroy();
    // The response would be taken for that of an earlier request.
    if (deps.connections.closesAfterAnswers(socket)) return;
    const requestId = deps.nextRequestId();
    deps.log.info({ request_id: requestId, code: failure.code }, 'refused by the parser');
    closeGently(socket, rawAnswer(failure, { requestId, baseUrl: deps.baseUrl }));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(socket, failureOf(error)));
  server.on('connect', (_req, socket: Socket) => {
    // Node has removed its own listener, so a reset would end the process.
    socket.on('error', () => undefined);
    refuse(socket, new Failure('method_not_allowed', 'This is not a proxy.', { allow: [] }));
  });
};

const failureOf = ({ code }: NodeJS.ErrnoException): Failure => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('headers_too_large', 'Target and headers of a request may have at most 16 KB.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Failure('body_too_large', 'The body may have at most 32 KB.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure('request_timeout', 'The request did not arrive completely in time.');
  return new Failure('malformed_request', 'The request is not valid HTTP.');
};

const rawAnswer = (failure: Failure, context: { requestId: string; baseUrl: string }): Buffer => {
  const { status, headers, bytes } = problemAnswer(failure, context);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Connection: close'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const common = [...commonHeaders(context.baseUrl), ...inertPolicy];
  for (let i = 0; i < common.length; i += 2) lines.push(`${common[i] ?? ''}: ${common[i + 1] ?? ''}`);
  lines.push(`X-Request-Id: ${context.requestId}`, `Date: ${new Date().toUTCString()}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
};
