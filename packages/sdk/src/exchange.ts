/**
 * One attempt: sends a request once, reads the response in time, turns failures into errors, and calls hooks and
 * logger.
 */
import {
  AbortedError,
  ApiError,
  BotDirectoryError,
  type ErrorContext,
  isNetworkFailure,
  NetworkError,
  TimeoutError,
  type TimeLimit,
} from './errors.ts';
import { mergeHeaders } from './headers.ts';
import { limited, sleep } from './limited.ts';
import type { Hooks } from './options.ts';
import type { PreparedRequest } from './request.ts';
import { parseRetryAfter } from './retry.ts';
import type { Settings } from './settings.ts';
import type { Problem } from './types.gen.ts';

/** A request, and what it is sent with. */
export interface Attempt extends ErrorContext, Settings {
  request: PreparedRequest;
  /** When the whole call began, on the monotonic clock. */
  startedAtMs: number;
}

/** A 2xx response. */
export interface Reply {
  response: Response;
  /** The body; empty for an event stream. */
  text: string;
}

/** Calls the client's hooks, then the call's. */
const notify = async <Name extends keyof Hooks>(
  { hooks }: Pick<Settings, 'hooks'>,
  name: Name,
  event: Parameters<NonNullable<Hooks[Name]>>[0],
): Promise<void> => {
  // Each hook takes the event of its own name; the type checker cannot see that through a computed name.
  for (const each of hooks) await each?.[name]?.(event as never);
};

/** Makes the error for a call that the caller aborted. */
export const abortedError = (attempt: Attempt): AbortedError => new AbortedError(attempt, attempt.signal.reason);

/** Waits before the next attempt. */
export const pause = async (attempt: Attempt, error: BotDirectoryError, delayMs: number): Promise<void> => {
  const { operation, code } = error;
  // Not the message: a runtime's message may contain an address.
  attempt.logger?.warn(`${operation}: ${code}; again in ${Math.round(delayMs)} ms`);
  await notify(attempt, 'onRetry', { operation, attempt: attempt.attempts, error, delayMs });
  if (!(await sleep(delayMs, attempt.signal))) throw abortedError(attempt);
};

/** Reports the error that ends a call, and rejects with it. */
export const fail = async (listeners: Pick<Settings, 'hooks'>, error: unknown): Promise<never> => {
  // A 304 is what the caller asked for with `If-None-Match`, not a failure.
  if (error instanceof BotDirectoryError && (error as Partial<ApiError>).status !== 304)
    await notify(listeners, 'onError', { operation: error.operation, error });
  throw error;
};

/** Does a part of an attempt in time. What `fetch` throws is a `NetworkError` if it looks like one. */
export const within = <T, Option extends TimeLimit>(
  attempt: Attempt & Record<Option, number>,
  option: Option,
  work: (signal: AbortSignal) => Promise<T>,
  ms: number = attempt[option],
): Promise<T> =>
  limited({ ms, signal: attempt.signal }, work, (by) =>
    Promise.reject(by === 'time' ? new TimeoutError(attempt, option, attempt[option]) : abortedError(attempt)),
  ).catch((error: unknown) => {
    throw isNetworkFailure(error) ? new NetworkError(attempt, error) : error;
  });

/**
 * Sends the request once. Rejects with an error of this package, with what a hook throws, or with what `fetch` throws
 * if that does not look like a failure of the network.
 */
export const exchange = async (attempt: Attempt): Promise<Reply> => {
  const { operation, fetch: sendWith, fetchOptions, logger, readBody, timeoutMs } = attempt;
  const { url, init, headers: ownHeaders } = attempt.request;
  const headers = new Headers(mergeHeaders(ownHeaders, attempt.headers));
  const event = { operation, attempt: attempt.attempts };
  await notify(attempt, 'onRequest', { ...event, method: init.method, url, headers });

  const sentAtMs = performance.now();
  const leftMs = attempt.startedAtMs + attempt.deadlineMs - sentAtMs;
  const option = leftMs < timeoutMs ? 'deadlineMs' : 'timeoutMs';
  const send = async (signal: AbortSignal) => {
    const fetched = await sendWith(url, { ...fetchOptions, ...init, headers: Object.fromEntries(headers), signal });
    // Callers see the response that their `fetch` returns: a `Response`, unless `fetch` comes from a library.
    const response = fetched as Response;
    if (response.type === 'opaqueredirect')
      throw new NetworkError(attempt, new TypeError('redirected: baseUrl is not final'));
    const readParts = response.ok && readBody;
    return { response, readParts, whole: readParts ? '' : await response.text() };
  };
  const { response, readParts, whole } = await within(attempt, option, send, Math.min(leftMs, timeoutMs));
  const text = readParts ? await readParts(response, (work) => within(attempt, 'timeoutMs', work)) : whole;
  const durationMs = performance.now() - sentAtMs;
  logger?.debug(`${operation}: ${response.status} in ${Math.round(durationMs)} ms`);
  await notify(attempt, 'onResponse', { ...event, response, durationMs });
  if (response.ok) return { response, text };
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), dateOf(response) || Date.now());
  throw new ApiError(attempt, { problem: parseProblem(response.status, text), response, text, retryAfterMs });
};

/** Returns when the response was sent, by the server's clock, as are the dates that it names; NaN if unknown. */
export const dateOf = ({ headers }: Response): number => Date.parse(String(headers.get('date')));

/**
 * Parses a problem of the API, which names the response's status. Gateways also send JSON with a `code`, and problems
 * of their own.
 */
const parseProblem = (status: number, text: string): Problem | undefined => {
  try {
    const body = Object(JSON.parse(text)) as Problem;
    const isNamed = [body.code, body.type].every((member: unknown) => typeof member === 'string');
    return isNamed && body.status === status ? body : undefined;
  } catch {
    return undefined;
  }
};
