/**
 * The HTTP server. Every request passes these steps in order: request id, canonical target, CORS preflight, reads of
 * the directory, then Express for everything else. Every error ends in `problems.ts`.
 */
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Tracer } from '../base/tracing.ts';
import { closeAfter } from './body.ts';
import { Connections, closeGently } from './connections.ts';
import { createExpressApp, dropPorts, type AppDeps } from './express-app.ts';
import { expressClasses } from './node-internals.ts';
import { canonicalTarget, pathOf, type Paths } from './paths.ts';
import { answerError, commonHeaders, inertPolicy, problemAnswer, setCommonHeaders } from './problems.ts';
import { deliveryRoutes } from '@bot-directory/contract';
import type { Express } from 'express';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

/** Answers a request if it is one of the reads, and returns whether it is. `fail` gets the failure to show. */
export type AnswerRead = (
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  fail: (failure: unknown) => void,
) => boolean;

/** What the server needs. */
export type HttpDeps = AppDeps & { readonly reads: AnswerRead; readonly tracer: Tracer | undefined };

/** The server, not yet listening, and its connections. */
export type HttpServer = { readonly server: Server; readonly connections: Connections };

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

/** How often the server looks for requests that take too long. */
const overdueEveryMs = 5_000;

/** Makes the server. */
export const createHttpServer = (deps: HttpDeps): HttpServer => {
  const { log, config, tracer, paths } = deps;
  const { baseUrl } = config;
  const app = createExpressApp(deps);
  const server = createListener(config, app);
  const connections = limitConnections(server, app, deps);
  const nextRequestId = requestIds();
  const { answer, refuse } = createHandlers(deps, { app, connections, nextRequestId });
  /** Cuts off a client that sends requests without end and reads no responses. */
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
          tracer.request(req, res, paths.labelOf(path), () => answer(req, res));
        };
  server.on('request', bounded(traced));
  // The code that reads the body sends the 100.
  server.on('checkContinue', bounded(traced));
  server.on(
    'checkExpectation',
    bounded(refuse(new Failure('expectation_failed', 'The only supported Expect is 100-continue.'))),
  );
  answerParserErrors(server, { log, baseUrl, connections, nextRequestId });
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
  const { reads, log, config, paths } = deps;
  const { counted } = deps.metrics;
  const failures = { log, baseUrl: config.baseUrl, page: deps.failurePage };

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
      const route = paths.labelOf(pathOf(target));
      if (route !== streamRoute)
        counted.requestDuration.observe(labelsOf(route, req.method, res.statusCode), durationMs / 1_000);
      logRequest(log, res, { requestId, target, durationMs });
    });
    return requestId;
  };

  const refuseWith = (failure: Failure, res: ServerResponse, requestId: string): void => {
    closeAfter(res);
    answerError(failure, res, { ...failures, requestId });
  };

  const refuse =
    (failure: Failure): Handle =>
    (req, res) => {
      refuseWith(failure, res, start(req, res));
    };

  const answer: Handle = (req, res) => {
    const { url: sent = '/' } = req;
    const requestId = start(req, res);
    if (!hasOneHost(req)) return refuseWith(noHost(), res, requestId);
    if (isPageWithSlash(req, pathOf(sent), paths)) return redirect(res, { requestId, baseUrl: config.baseUrl });
    const fail = (failure: unknown): void => answerError(failure, res, { ...failures, requestId });
    if (config.role !== 'worker' && reads(req, res, requestId, fail)) return;
    setCommonHeaders(res, { requestId, baseUrl: config.baseUrl });
    dropPorts(req);
    if (req.method === 'OPTIONS') preflight(req, res, paths);
    else app(req, res);
  };
  return { answer, refuse };
};

/** Whether to redirect: a page has one address. Everything else has both, as programs often add a slash. */
const isPageWithSlash = ({ url = '/', method }: IncomingMessage, sent: string, paths: Paths): boolean =>
  sent.length > 1 &&
  sent.endsWith('/') &&
  !url.startsWith('/api/') &&
  (method === 'GET' || method === 'HEAD') &&
  paths.allowedMethods(pathOf(url)).includes(method);

const redirect = (res: ServerResponse, common: Parameters<typeof setCommonHeaders>[1]): void => {
  setCommonHeaders(res, common);
  res.writeHead(308, { Location: res.req.url }).end();
};

const streamRoute = deliveryRoutes.streamEvents.path;
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const labels = new Map<string, Map<number, string>>();

/** Returns one of few values, whatever a client sends: never a raw path or an invented method. */
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

const noHost = (): Failure =>
  new Failure('malformed_request', 'A request has exactly one Host header, with a host and an optional port.');

/**
 * RFC 9112 §3.2: without a Host, except in HTTP/1.0, with several or with an invalid one, a proxy before us may have
 * meant another server. The Host may be empty.
 */
const hasOneHost = ({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean => {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    count += 1;
    if (!isHost(rawHeaders[i + 1] ?? '')) return false;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
};

/** A name of RFC 3986 §3.2.2 or an IPv6 literal, and a port. */
const hostAndPort = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::(\d*))?$/i;

const isHost = (value: string): boolean => {
  const [whole, six, port = ''] = hostAndPort.exec(value) ?? [];
  return whole !== undefined && (six === undefined || isIPv6(six)) && Number(port) <= 65_535;
};

const preflight = (req: IncomingMessage, res: ServerResponse, paths: Paths): void => {
  const allow = paths.allowedMethods(pathOf(req.url ?? '/'));
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
