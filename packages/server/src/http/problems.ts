/**
 * The end of every failed request: any error → problem+json (RFC 9457), or a page for people. Only this file chooses an
 * error's status.
 */
import type { ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import { deliveryRoutes, ownMembers, problems, type Problem } from '@bot-directory/contract';
import { Failure, StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import { botNotFound } from '../domain/bot.ts';
import { abandonBody } from './body.ts';
import { eventStreamHeaders, reconnectAfter, readsOnlyEvents } from './event-stream.ts';
import { isOnlyCounted, type LogOutage } from './outages.ts';

/** Seconds after which a caller should retry when the store is away. */
const storeRetrySec = 5;

/** The failure that an error stands for; `undefined` for a bug. */
export const asFailure = (error: unknown): Failure | undefined => {
  if (error instanceof Failure) return error;
  if (error instanceof StoreUnreachable)
    return new Failure(
      'store_unavailable',
      'The store is not responding. It is unknown whether anything was saved; try again.',
      { retryAfterSec: storeRetrySec, cause: error },
    );
  // Express could not decode a parameter of the path, and every parameter of its routes is a slug.
  return error instanceof URIError && 'status' in error ? botNotFound() : undefined;
};

/** Returns what a list responds with when the store is away: the API's source documents a 500 there. */
export const listFailure = (error: unknown): unknown =>
  error instanceof StoreUnreachable
    ? new Failure('directory_unavailable', 'The directory cannot be loaded right now; try again.', {
        retryAfterSec: storeRetrySec,
        cause: error,
      })
    : error;

/** What the caller sees of a bug. */
const internalError = (): Failure =>
  new Failure('internal_error', 'Something went wrong on our side. The request id identifies it in our logs.');

/** The failure of a path at which nothing is served. */
export const nothingHere = (): Failure => new Failure('not_found', 'There is nothing at this path.');

/** Which request failed, and where its codes are explained. */
export type ProblemContext = { readonly requestId: string; readonly baseUrl: string };

/** What is known about the request. `page`: makes the site's page for clients that prefer HTML. */
export type ErrorContext = ProblemContext & {
  readonly log: Log;
  readonly logOutage: LogOutage;
  readonly page: FailurePage | undefined;
};

/** Makes the page of a failure. `path` is the requested one. */
export type FailurePage = (
  failure: Failure,
  request: { readonly path: string; readonly requestId: string; readonly retryAfterSec: number | undefined },
) => Sendable;

/** A text and its metadata. `headers` is a flat list of names and values. */
export type Sendable = {
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers: readonly string[];
};

/** Sends the response that an error stands for, and logs the error if it is our fault. */
export const answerError = (error: unknown, res: ServerResponse, context: ErrorContext): void => {
  const { log, logOutage, requestId, page } = context;
  const failure = asFailure(error);
  if (failure === undefined) log.error({ err: error, request_id: requestId }, 'unexpected error');
  else if (failure.extras.cause instanceof Error || problems[failure.code].status >= 500) {
    const { cause } = failure.extras;
    const reason = cause instanceof Error ? cause.message : failure.detail;
    logOutage(res, { code: failure.code, reason, request_id: requestId });
  }
  // A body that has begun cannot be taken back: cut it off, so that no client takes it for complete.
  if (res.headersSent) return void res.destroy();
  setCommonHeaders(res, context);
  const path = (res.req.url ?? '/').split('?', 1)[0] ?? '/';
  if (path === deliveryRoutes.streamEvents.path && mayPass(failure) && readsOnlyEvents(res.req.headers.accept))
    return endStream(res, failure ?? internalError(), context);
  if (page === undefined || path.startsWith('/api/')) return sendProblem(res, failure, context);
  res.setHeader('Vary', 'Accept');
  if (!prefersHtml(res.req.headers.accept)) return sendProblem(res, failure, context);
  const { status, headers } = problemAnswer(failure, context);
  // A rate limit has set its own.
  const retryAfter = res.getHeader('Retry-After') ?? headers['Retry-After'];
  const retryAfterSec = retryAfter === undefined ? undefined : Number(retryAfter);
  const shown = page(failure ?? internalError(), { path, requestId, retryAfterSec });
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  setAll(res, shown.headers);
  res.setHeader('Content-Type', shown.contentType);
  end(res, status, Buffer.from(shown.body));
};

/** Sends a problem. Headers that are already set, CORS among them, are kept. */
export const sendProblem = (res: ServerResponse, failure: Failure | undefined, context: ProblemContext): void => {
  const { status, headers, bytes } = problemAnswer(failure, context);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  end(res, status, bytes);
};

/** Whether a request that failed so may succeed later. */
const mayPass = (failure: Failure | undefined): boolean => {
  const { status } = problems[failure?.code ?? 'internal_error'];
  return status === 429 || status >= 500;
};

/** Has an EventSource reconnect later (decision 0180): the response is a stream that ends at once. */
const endStream = (res: ServerResponse, { code, extras }: Failure, { log, requestId }: ErrorContext): void => {
  // The request's own line has the status 200.
  log[isOnlyCounted(res) ? 'debug' : 'info']({ code, request_id: requestId }, 'a stream begins later');
  setAll(res, eventStreamHeaders);
  end(res, 200, Buffer.from(`: ${code}\n${reconnectAfter((extras.retryAfterSec ?? storeRetrySec) * 1_000)}\n`));
};

const end = (res: ServerResponse, status: number, bytes: Buffer): void => {
  res.statusCode = status;
  res.setHeader('Content-Length', bytes.length);
  abandonBody(res);
  res.end(res.req.method === 'HEAD' ? undefined : bytes);
};

/** The response itself; `undefined` stands for a bug. */
export const problemAnswer = (failure: Failure | undefined, { requestId, baseUrl }: ProblemContext) => {
  const { code, detail, extras } = failure ?? internalError();
  const { status, title } = problems[code];
  const { errors, retryAfterSec, allow } = extras;
  const body: Problem = {
    type: `${baseUrl}/problems/${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...Object.fromEntries(ownMembers.map((name) => [name, extras[name]])),
  };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers: Readonly<Record<string, string | number>> = {
    ...(retryAfterSec === undefined ? {} : { 'Retry-After': String(retryAfterSec) }),
    ...(allow === undefined ? {} : { Allow: allow.join(', ') }),
    'Cache-Control': 'no-store',
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': bytes.length,
  };
  return { status, headers, bytes };
};

/**
 * Headers of every response, errors included, as a flat list. Browsers hide headers from pages unless they are exposed.
 */
export const commonHeaders = (baseUrl: string): readonly string[] => [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Date, Link, ETag, Last-Modified, X-Total-Count, RateLimit, RateLimit-Policy, Retry-After, Allow, X-Request-Id',
  'X-Content-Type-Options',
  'nosniff',
  ...(baseUrl.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
];

/** The policy of responses that are not pages: a browser that shows one as a page loads and runs nothing. */
export const inertPolicy: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
];

/** Sets the headers that a response has by default: a cache would keep one that does not say for how long. */
export const setCommonHeaders = (res: ServerResponse, { requestId, baseUrl }: ProblemContext): void => {
  setAll(res, commonHeaders(baseUrl));
  setAll(res, inertPolicy);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Request-Id', requestId);
};

/** Sets the headers of a flat list. */
export const setAll = (res: ServerResponse, headers: readonly string[]): void => {
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
};

/** Browsers name HTML; programs accept anything, or JSON, which a problem is. */
const prefersHtml = (accept = ''): boolean =>
  /html/i.test(accept) && new Negotiator({ headers: { accept } }).mediaType(errorTypes) === 'text/html';
const errorTypes = ['application/problem+json', 'application/json', 'text/html'];
