/** The end of every request that went wrong: one log line when it is our fault, and the problem, if one can still be sent. */
import type { ServerResponse } from 'node:http';
import type { Log } from '../base/log.ts';
import { asFailure, sendProblem } from './problems.ts';
import { corsHeaders } from './representation.ts';

/** What is known of the request besides its answer. */
export type ErrorContext = { readonly log: Log; readonly requestId: string; readonly baseUrl: string };

/** Answers with what the error stands for. */
export const answerError = (error: unknown, res: ServerResponse, { log, requestId, baseUrl }: ErrorContext): void => {
  const failure = asFailure(error);
  if (failure === undefined) log.error({ err: error, request_id: requestId }, 'a bug');
  else if (failure.extras.cause instanceof Error)
    log.warn({ code: failure.code, reason: failure.extras.cause.message, request_id: requestId }, 'not served');
  // A body that began can't be taken back: cut it, so that nobody takes it for whole.
  if (res.headersSent) return void res.destroy();
  setCommonHeaders(res, requestId);
  sendProblem(res, failure, { requestId, baseUrl });
};

/** Headers of every answer. */
export const setCommonHeaders = (res: ServerResponse, requestId: string): void => {
  for (let i = 0; i < corsHeaders.length; i += 2) res.setHeader(corsHeaders[i] ?? '', corsHeaders[i + 1] ?? '');
  res.setHeader('X-Request-Id', requestId);
};
