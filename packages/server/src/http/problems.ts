/** Any error → problem+json (RFC 9457). Only this file chooses an error's status. */
import type { ServerResponse } from 'node:http';
import { ownMembers, problems, type Problem } from '@bot-directory/contract';
import { Failure, StoreUnreachable } from '../base/failure.ts';
import { botNotFound } from '../domain/withdrawal.ts';
import { abandonBody } from './body.ts';

/** Seconds after which a caller should retry when the store is away. */
const storeRetrySec = 5;

/** Errors of body-parser and Express, which have a status. */
type HttpError = Error & { readonly status: number };

/** The failure that an error stands for; `undefined` for a bug. */
export const asFailure = (error: unknown): Failure | undefined => {
  if (error instanceof Failure) return error;
  if (error instanceof StoreUnreachable) {
    return new Failure(
      'store_unavailable',
      'The store does not answer at the moment. It is unknown whether anything was saved; try again.',
      {
        retryAfterSec: storeRetrySec,
        cause: error,
      },
    );
  }
  return isHttpError(error) ? fromHttpError(error) : undefined;
};

/** What a list responds when the store is away: the API's source documents a 500 there. */
export const listFailure = (error: unknown): unknown =>
  error instanceof StoreUnreachable
    ? new Failure('directory_unavailable', 'The directory cannot be loaded at the moment; try again.', {
        retryAfterSec: storeRetrySec,
        cause: error,
      })
    : error;

/** Sends a problem. Headers that are already set, CORS among them, are kept. */
export const sendProblem = (res: ServerResponse, failure: Failure | undefined, context: ProblemContext): void => {
  const { status, headers, bytes } = problemAnswer(failure, context);
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  abandonBody(res);
  res.end(res.req.method === 'HEAD' ? undefined : bytes);
};

/** Which request failed, and where its codes are explained. */
export type ProblemContext = { readonly requestId: string; readonly baseUrl: string };

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

/** What the caller is told about a bug. */
export const internalError = (): Failure =>
  new Failure('internal_error', 'Something went wrong on our side. The request id finds it in our logs.');

const isHttpError = (error: unknown): error is HttpError =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500;

const fromHttpError = (error: HttpError): Failure => {
  if (error.status === 413) return new Failure('body_too_large', 'The body may have at most 32 KB.');
  if (error.status === 415)
    return new Failure(
      'unsupported_media_type',
      'Send UTF-8 JSON, not compressed in an unknown way, with the header Content-Type: application/json.',
    );
  // Express could not decode the bot's part of the path; all other errors come from reading the body.
  if (error instanceof URIError) return botNotFound();
  return new Failure('unreadable_json', 'The body is not a JSON object.');
};
