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
} from './errors.ts';
import { mergeHeaders } from './headers.ts';
import { limited, sleep } from './limited.ts';
import type { CallOptions, Connection, Hooks } from './options.ts';
import type { PreparedRequest, Route } from './request.ts';
import { parseRetryAfter } from './retry.ts';
import type { Problem } from './types.gen.ts';

/** A request, and the limits of the attempt to send it. */
export interface Attempt extends ErrorContext {
  connection: Connection;
  options: OwnCallOptions;
  route: Route;
  request: PreparedRequest;
  limits: { timeoutMs: number; deadlineMs: number };
  /** When the whole call began, on the monotonic clock. */
  startedAtMs: number;
}

/** A 2xx response. */
export interface Reply {
  response: Response;
  /** The body; empty for an event stream. */
  text: string;
}

/** Options of calls that this package makes itself. */
export interface OwnCallOptions extends CallOptions {
  /** Reads a body; each call of `progress` restarts `timeoutMs`, which then limits silence, and not the whole body. */
  readBody?: (response: Response, progress: () => void) => Promise<string>;
}

type Listeners = Pick<Attempt, 'connection' | 'options'>;

/** Calls the client's hooks, then the call's. */
const notify = async <Name extends keyof Hooks>(
  { connection, options }: Listeners,
  name: Name,
  event: Parameters<NonNullable<Hooks[Name]>>[0],
): Promise<void> => {
  // Each hook takes the event of its own name; the type checker cannot see that through a computed name.
  for (const hooks of [connection.hooks, options.hooks]) await hooks?.[name]?.(event as never);
};

/** Names the route as its caller did: a method of the client, or a function. */
export const asTyped = ({ method }: Connection, route: Route): Route => (method ? { ...route, name: method } : route);

/** Makes the error for a call that the caller aborted. */
export const abortedError = (attempt: Attempt): AbortedError =>
  new AbortedError(attempt, attempt.options.signal?.reason);

/** Waits before the next attempt. */
export const pause = async (attempt: Attempt, error: BotDirectoryError, delayMs: number): Promise<void> => {
  const { operation, code } = error;
  // Not the message: a runtime's message may contain an address.
  attempt.connection.logger?.warn(`${operation}: ${code}; again in ${Math.round(delayMs)} ms`);
  await notify(attempt, 'onRetry', { operation, attempt: attempt.attempts, error, delayMs });
  if (!(await sleep(delayMs, attempt.options.signal))) throw abortedError(attempt);
};

/** Whether the error is a 304, the response to `If-None-Match`. */
export const isUnchanged = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 304;

/** Reports the error that ends a call, and rejects with it. */
export const fail = async (listeners: Listeners, error: unknown): Promise<never> => {
  // A 304 is what the caller asked for with `If-None-Match`, not a failure.
  if (error instanceof BotDirectoryError && !isUnchanged(error))
    await notify(listeners, 'onError', { operation: error.operation, error });
  throw error;
};

/** How long a part of an attempt may take, and the error if it takes longer. */
interface Bound {
  ms: number;
  timedOut: () => TimeoutError;
}

/** Does a part of an attempt in time. What `fetch` throws is a `NetworkError` if it looks like one. */
export const within = <T>(
  attempt: Attempt,
  { ms, timedOut }: Bound,
  work: Parameters<typeof limited<T>>[1],
): Promise<T> =>
  limited({ ms, signal: attempt.options.signal }, work, (by) =>
    Promise.reject(by === 'time' ? timedOut() : abortedError(attempt)),
  ).catch((error: unknown) => {
    throw isNetworkFailure(error) ? new NetworkError(attempt, error) : error;
  });

/**
 * Sends the request once. Rejects with an error of this package, with what a hook throws, or with what `fetch` throws
 * if that does not look like a failure of the network.
 */
export const exchange = async (attempt: Attempt): Promise<Reply> => {
  const { connection, options, route, request, limits, operation } = attempt;
  const { readBody = (response) => response.text() } = options;
  const { accept = 'application/json' } = route;
  const headers = new Headers(mergeHeaders({ accept }, connection.headers, options.headers, request.headers));
  const event = { operation, attempt: attempt.attempts };
  await notify(attempt, 'onRequest', { ...event, method: route.method, url: request.url, headers });

  const sentAtMs = performance.now();
  const leftMs = attempt.startedAtMs + limits.deadlineMs - sentAtMs;
  let limit: keyof typeof limits = leftMs < limits.timeoutMs ? 'deadlineMs' : 'timeoutMs';
  const bound = {
    ms: Math.min(leftMs, limits.timeoutMs),
    timedOut: () => new TimeoutError(attempt, limit, limits[limit]),
  };
  const { response, text } = await within(attempt, bound, async (signal, restart) => {
    const init = { ...connection.fetchOptions, ...options.fetchOptions, ...request.init };
    const fetched = await connection.fetch(request.url, { ...init, headers: Object.fromEntries(headers), signal });
    // Callers see the response that their `fetch` returns: a `Response`, unless `fetch` comes from a library.
    const response = fetched as Response;
    if (response.type === 'opaqueredirect')
      throw new NetworkError(attempt, new TypeError('redirected: baseUrl is not final'));
    const progress = () => {
      limit = 'timeoutMs';
      restart(limits.timeoutMs);
    };
    return { response, text: await readBody(response, progress) };
  });
  const durationMs = performance.now() - sentAtMs;
  connection.logger?.debug(`${operation}: ${response.status} in ${Math.round(durationMs)} ms`);
  await notify(attempt, 'onResponse', { ...event, response, durationMs });
  if (response.ok) return { response, text };
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), dateOf(response) || Date.now());
  throw new ApiError(attempt, { problem: parseProblem(response, text), response, text, retryAfterMs });
};

/** Returns when the response was sent, by the server's clock, as are the dates that it names; NaN if unknown. */
export const dateOf = ({ headers }: Response): number => Date.parse(String(headers.get('date')));

/** Returns whether the content has this media type, in any case. */
export const hasType = (headers: Headers, type: string): boolean =>
  headers.get('content-type')?.toLowerCase().startsWith(type) === true;

/**
 * Parses a problem of the API. Gateways also send JSON with a `code`; the API's has its own media type or, if a proxy
 * replaced that, its shape and status.
 */
const parseProblem = ({ headers, status }: Response, text: string): Problem | undefined => {
  const isNamed = hasType(headers, 'application/problem+json');
  try {
    const body: unknown = JSON.parse(text);
    return isProblem(body) && (isNamed || body.status === status) ? body : undefined;
  } catch {
    return undefined;
  }
};

const isProblem = (body: unknown): body is Problem =>
  ['code', 'type', 'title'].every((name) => typeof Reflect.get(Object(body) as object, name) === 'string');
