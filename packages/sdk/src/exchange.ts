/** One attempt: sends a request once, reads the answer within its time, names what went wrong, and tells hooks and logger. */
import { AbortedError, ApiError, BotDirectoryError, type ErrorContext, NetworkError, TimeoutError } from './errors.ts';
import { limited, sleep } from './limited.ts';
import type { CallOptions, Connection, Hooks } from './options.ts';
import type { PreparedRequest, Route } from './request.ts';
import { parseRetryAfter } from './retry.ts';
import type { Problem } from './types.gen.ts';

/** A request, and what the attempt to send it may take. */
export interface Attempt {
  connection: Connection;
  options: CallOptions;
  route: Route;
  request: PreparedRequest;
  /** 1 for the first. */
  number: number;
  timeoutMs: number;
  accept: string;
}

type Listeners = Pick<Attempt, 'connection' | 'options'>;

/** Tells the client's hooks, then the call's. */
const notify = async <Name extends keyof Hooks>(
  { connection, options }: Listeners,
  name: Name,
  event: Parameters<NonNullable<Hooks[Name]>>[0],
): Promise<void> => {
  // Each hook takes the event of its own name, which the type checker can't see through a computed name.
  for (const hooks of [connection.hooks, options.hooks]) await hooks?.[name]?.(event as never);
};

/** What an attempt's errors say of it. */
export const contextOf = ({ route, number }: Attempt): ErrorContext => ({ operation: route.name, attempts: number });

/** Waits before the next attempt. */
export const pause = async (attempt: Attempt, error: BotDirectoryError, delayMs: number): Promise<void> => {
  const { signal } = attempt.options;
  attempt.connection.logger?.warn(`${error.message}; again in ${Math.round(delayMs)} ms`);
  await notify(attempt, 'onRetry', { operation: attempt.route.name, attempt: attempt.number, error, delayMs });
  if (!(await sleep(delayMs, signal))) throw new AbortedError(contextOf(attempt), signal?.reason);
};

/** Rejects with the error that ends a call. */
export const fail = async (listeners: Listeners, error: unknown): Promise<never> => {
  if (error instanceof BotDirectoryError) await notify(listeners, 'onError', { operation: error.operation, error });
  throw error;
};

/** Sends once. Resolves with the answer and what `read` made of a success; rejects with an error of this package. */
export const exchange = async <T>(
  attempt: Attempt,
  read: (response: Response) => Promise<T>,
): Promise<{ response: Response; value: T }> => {
  const { connection, options, route, request, timeoutMs } = attempt;
  const context = contextOf(attempt);
  const { method } = route;
  const headers: Record<string, string> = { accept: attempt.accept, ...connection.headers, ...options.headers };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  const event = { operation: route.name, attempt: attempt.number };
  await notify(attempt, 'onRequest', { ...event, method, url: request.url, headers });

  const startedAt = performance.now();
  const result = await limited({ ms: timeoutMs, signal: options.signal }, async (signal) => {
    const response = await connection.fetch(request.url, {
      method,
      headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      // A followed redirect can turn a POST into a GET without a word.
      redirect: method === 'GET' ? 'follow' : 'manual',
      signal,
    });
    if (response.type === 'opaqueredirect') throw new TypeError('redirected: use the final address as baseUrl');
    return response.ok ? { response, value: await read(response) } : { response, text: await response.text() };
  }).catch((cause: unknown) => {
    throw new NetworkError(context, cause);
  });
  if ('stopped' in result) {
    throw result.stopped === 'time'
      ? new TimeoutError(context, timeoutMs)
      : new AbortedError(context, options.signal?.reason);
  }

  const reply: { response: Response; value: T } | { response: Response; text: string } = result.value;
  const { response } = reply;
  const durationMs = performance.now() - startedAt;
  connection.logger?.debug(`${route.name}: ${response.status} in ${Math.round(durationMs)} ms`);
  await notify(attempt, 'onResponse', { ...event, response, durationMs });
  if ('text' in reply) throw apiError(context, response, reply.text);
  return reply;
};

const apiError = (context: ErrorContext, response: Response, text: string): ApiError => {
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now());
  return new ApiError(context, { problem: parseProblem(text), response, retryAfterMs });
};

const parseProblem = (text: string): Problem | undefined => {
  try {
    const body: unknown = JSON.parse(text);
    return isProblem(body) ? body : undefined;
  } catch {
    return undefined;
  }
};

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && typeof Reflect.get(body, 'code') === 'string';
