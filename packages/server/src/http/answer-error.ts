/** The end of every failed request: one log line if it is our fault, and the problem, if it can still be sent. */
import type { ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import type { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { FailedRequest } from '../site/failure-page.ts';
import type { Sendable } from '../site/page-read.ts';
import { abandonBody } from './body.ts';
import { asFailure, internalError, problemAnswer, sendProblem } from './problems.ts';
import { corsHeaders } from './representation.ts';

/** What is known about the request. `page`: makes the site's page for clients that prefer HTML. */
export type ErrorContext = {
  readonly log: Log;
  readonly requestId: string;
  readonly baseUrl: string;
  readonly page?: FailurePage;
};

/** Makes the page of a failure. */
export type FailurePage = (failure: Failure, request: FailedRequest) => Sendable;

/** Sends the response that an error stands for. */
export const answerError = (error: unknown, res: ServerResponse, context: ErrorContext): void => {
  const { log, requestId, baseUrl, page } = context;
  const failure = asFailure(error);
  if (failure === undefined) log.error({ err: error, request_id: requestId }, 'a bug');
  else if (failure.extras.cause instanceof Error)
    log.warn({ code: failure.code, reason: failure.extras.cause.message, request_id: requestId }, 'not served');
  // A body that has begun cannot be taken back: cut it off, so that nobody takes it for complete.
  if (res.headersSent) return void res.destroy();
  setCommonHeaders(res, requestId);
  const path = (res.req.url ?? '/').split('?', 1)[0] ?? '/';
  if (page === undefined || path.startsWith('/api/')) return sendProblem(res, failure, { requestId, baseUrl });
  res.setHeader('Vary', 'Accept');
  if (!prefersHtml(res.req.headers.accept)) return sendProblem(res, failure, { requestId, baseUrl });
  sendPage(res, failure, { ...context, page, path });
};

const sendPage = (
  res: ServerResponse,
  failure: Failure | undefined,
  { page, ...context }: ErrorContext & { readonly page: FailurePage; readonly path: string },
): void => {
  const { status, headers } = problemAnswer(failure, context);
  // A rate limit has set its own.
  const retryAfter = res.getHeader('Retry-After') ?? headers['Retry-After'];
  const shown = page(failure ?? internalError(), {
    ...context,
    retryAfterSec: retryAfter === undefined ? undefined : Number(retryAfter),
  });
  const bytes = Buffer.from(shown.body);
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  for (let i = 0; i < shown.headers.length; i += 2) res.setHeader(shown.headers[i] ?? '', shown.headers[i + 1] ?? '');
  res.setHeader('Content-Type', shown.contentType);
  res.setHeader('Content-Length', bytes.length);
  abandonBody(res);
  res.end(res.req.method === 'HEAD' ? undefined : bytes);
};

/** Headers of every response. */
export const setCommonHeaders = (res: ServerResponse, requestId: string): void => {
  for (let i = 0; i < corsHeaders.length; i += 2) res.setHeader(corsHeaders[i] ?? '', corsHeaders[i + 1] ?? '');
  res.setHeader('X-Request-Id', requestId);
};

/** Browsers name HTML; programs accept anything, or JSON, which a problem is. */
const prefersHtml = (accept = ''): boolean =>
  /html/i.test(accept) && new Negotiator({ headers: { accept } }).mediaType(errorTypes) === 'text/html';
const errorTypes = ['application/problem+json', 'application/json', 'text/html'];
