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
export interface Attempt {
  connection: Connection;
  options: CallOptions;
  route: Route;
  request: PreparedRequest;
  /** 1 for the first. */
  number: number;
  /** An event stream's body is left to its reader; every other body is read here. */
  isStream?: true;
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

/** Returns what an attempt's errors say about it. */
export const contextOf = ({ route, number }: Attempt): ErrorContext => ({ operation: route.name, attempts: number });

/** Names the route as its caller did: a method of the client, or a function. */
export const asTyped = ({ method }: Connection, route: Route): Route => (method ? { ...route, name: method } : route);

/** Makes the error for a call that the caller aborted. */
export const abortedError = (attempt: Attempt): AbortedError =>
  new AbortedError(contextOf(attempt), attempt.options.signal?.reason);

/** Waits before the next attempt. */
export const pause = async (attempt: Attempt, error: BotDirectoryError, delayMs: number): Promise<void> => {
  const { operation, code } = error;
  // Not the message: a runtime's message may contain an address.
  attempt.connection.logger?.warn(`${operation}: ${code}; again in ${Math.round(delayMs)} ms`);
  await notify(attempt, 'onRetry', { operation, attempt: attempt.number, error, delayMs });
  if (!(await sleep(delayMs, attempt.options.signal))) throw abortedError(attempt);
};

/** Discards a body that nobody will read. It would keep its connection open, and the process alive. */
export const abandon = (response: Response): void => {
  // A `fetch` from a library may return a Node stream instead.
  const body = response.body as { cancel?(): Promise<void>; destroy?(): void } | null;
  body?.cancel?.().catch(() => {});
  body?.destroy?.();
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

/** Throws what `fetch` threw, as a `NetworkError` if it is one. */
export const failedFetch = (attempt: Attempt, error: unknown): never => {
  throw isNetworkFailure(error) ? new NetworkError(contextOf(attempt), error) : error;
};

/**
 * Sends the request once. Rejects with an error of this package, with what a hook throws, or with what `fetch` throws
 * if that does not look like a failure of the network.
 */
export const exchange = async (attempt: Attempt): Promise<Reply> => {
  const { connection, options, route, request, limits } = attempt;
  const { readBody = (response) => response.text() }: OwnCallOptions = options;
  const accept = attempt.isStream ? 'text/event-stream, application/problem+json' : 'application/json';
  const headers = new Headers(mergeHeaders({ accept }, connection.headers, options.headers, request.headers));
  const event = { operation: route.name, attempt: attempt.number };
  await notify(attempt, 'onRequest', { ...event, method: route.method, url: request.url, headers });

  const sentAtMs = performance.now();
  const leftMs = attempt.startedAtMs + limits.deadlineMs - sentAtMs;
  let limit: keyof typeof limits = leftMs < limits.timeoutMs ? 'deadlineMs' : 'timeoutMs';
  const limitOf = { ms: Math.min(leftMs, limits.timeoutMs), signal: options.signal };
  const result = await limited(limitOf, async (signal, restart) => {
    const init = { ...connection.fetchOptions, ...options.fetchOptions, ...request.init };
    const fetched = await connection.fetch(request.url, { ...init, headers: Object.fromEntries(headers), signal });
    // Callers see the response that their `fetch` returns: a `Response`, unless `fetch` comes from a library.
    const response = fetched as Response;
    if (response.type === 'opaqueredirect')
      throw new NetworkError(contextOf(attempt), new TypeError('redirected: baseUrl is not final'));
    const progress = () => {
      limit = 'timeoutMs';
      restart(limits.timeoutMs);
    };
    return { response, text: response.ok && attempt.isStream ? '' : await readBody(response, progress) };
  }).catch((error: unknown) => failedFetch(attempt, error));
  if ('stopped' in result)
    throw result.stopped === 'time'
      ? new TimeoutError(contextOf(attempt), limit, limits[limit])
      : abortedError(attempt);

  const { response, text } = result.value;
  const durationMs = performance.now() - sentAtMs;
  connection.logger?.debug(`${route.name}: ${response.status} in ${Math.round(durationMs)} ms`);
  await notify(attempt, 'onResponse', { ...event, response, durationMs }).catch((error: unknown) => {
    abandon(response);
    throw error;
  });
  if (response.ok) return { response, text };
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), dateOf(response) || Date.now());
  throw new ApiError(contextOf(attempt), { problem: parseProblem(response, text), response, text, retryAfterMs });
};

/** Returns when the response was sent, by the server's clock, as are the dates that it names; NaN if unknown. */
export const dateOf = ({ headers }: Response): number => Date.parse(headers.get('date') ?? '');

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
  typeof body === 'object' &&
  body !== null &&
  ['code', 'type', 'title'].every((name) => typeof Reflect.get(body, name) === 'string');
