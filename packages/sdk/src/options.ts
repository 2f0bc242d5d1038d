/** The options of a client and of a call, and their defaults. */
import type { BotDirectoryError } from './errors.ts';
import { type HeaderValues, mergeHeaders } from './headers.ts';

/** The `fetch` that this package needs; every runtime's own fits, and those of undici, node-fetch and ky. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    /** Names are lower case. */
    headers: Record<string, string>;
    body?: string;
    redirect: 'follow' | 'manual';
    signal: AbortSignal;
  },
) => Promise<FetchedResponse>;

/** What this package itself reads from a response. */
export interface FetchedResponse {
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  /** The HTTP status. */
  readonly status: number;
  /** The reason phrase, such as `Not Found`. */
  readonly statusText: string;
  /** The headers; a name's case does not matter. */
  readonly headers: Pick<Headers, 'get'>;
  /** The body as a stream. Only an event stream is read through it. */
  readonly body: unknown;
  /** Reads the whole body. */
  text(): Promise<string>;
}

/** More options of `fetch` that the runtime supports: `cache`, `credentials`, Node's `dispatcher`, `next` … */
export type FetchOptions = Record<string, unknown>;

/** A request about to be sent. */
export interface RequestEvent {
  /** What was called: a method of the client, such as `bots.submit`, or a function, such as `submitBot`. */
  operation: string;
  /** 1 for the first. */
  attempt: number;
  /** The HTTP method. */
  method: string;
  /** The URL, with its query. */
  url: string;
  /** The headers to send. A hook may change this object. */
  headers: Headers;
}

/** A response, whatever its status. */
export interface ResponseEvent {
  /** What was called: a method of the client, such as `bots.submit`, or a function, such as `submitBot`. */
  operation: string;
  /** 1 for the first. */
  attempt: number;
  /** The response. Its body has been read. */
  response: Response;
  /** Milliseconds from sending to the last byte of the body. */
  durationMs: number;
}

/** A failed attempt that is retried. */
export interface RetryEvent {
  /** What was called: a method of the client, such as `bots.submit`, or a function, such as `submitBot`. */
  operation: string;
  /** The number of the failed attempt. */
  attempt: number;
  /** Why it failed. */
  error: BotDirectoryError;
  /** Milliseconds until the next attempt. */
  delayMs: number;
}

/** A call that failed for good. */
export interface FailureEvent {
  /** What was called: a method of the client, such as `bots.submit`, or a function, such as `submitBot`. */
  operation: string;
  /** What the call rejects with. */
  error: BotDirectoryError;
}

/** Called during a call, and awaited. An error thrown by a hook rejects the call, unchanged. */
export interface Hooks {
  /** Called before each attempt is sent. */
  onRequest?(event: RequestEvent): void | Promise<void>;
  /** Called after each response, whatever its status. */
  onResponse?(event: ResponseEvent): void | Promise<void>;
  /** Called before the wait for another attempt. */
  onRetry?(event: RetryEvent): void | Promise<void>;
  /** Called once, when a call has failed for good. */
  onError?(event: FailureEvent): void | Promise<void>;
}

/** Where to log; `console` works. URLs and bodies are never logged. */
export interface Logger {
  /** Logs each response. */
  debug(message: string): void;
  /** Logs each retry. */
  warn(message: string): void;
}

/** Options of a client that one call can override. */
export interface SharedOptions {
  /**
   * Attempts after the first; 0 turns retries off.
   * @default 2
   */
  retries?: number | undefined;
  /**
   * Limit of one attempt, including the response's body, in milliseconds.
   * @default 15_000
   */
  timeoutMs?: number | undefined;
  /**
   * Limit of the whole call, including all attempts and the waits between them, in milliseconds.
   * @default 60_000
   */
  deadlineMs?: number | undefined;
  /** Headers to send with each request. In a browser, most need a CORS preflight. */
  headers?: HeaderValues | undefined;
  /** Passed on to `fetch`. The package's own settings (method, headers, body, redirect, signal) take precedence. */
  fetchOptions?: FetchOptions | undefined;
  /** Called for requests, responses, retries and failures: the client's hooks first, then the call's. */
  hooks?: Hooks | undefined;
}

/** Options of a client. */
export interface ClientOptions extends SharedOptions {
  /** The service's base URL, such as `https://directory.example.com`. */
  baseUrl: string | URL;
  /**
   * Sends the requests.
   * @default the global `fetch` at the time of the call
   */
  fetch?: Fetch | undefined;
  /**
   * Where to log.
   * @default nothing is logged
   */
  logger?: Logger | undefined;
}

/** Options of one call. */
export interface CallOptions extends SharedOptions {
  /** Aborts the call; it then rejects with an `AbortedError`. */
  signal?: AbortSignal | null | undefined;
}

/** A client's resolved options: what a single imported operation is called with. */
export interface Connection {
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** The client's method that is called with it, if it is the client's. */
  readonly method?: string | undefined;
  /** Sends the requests. */
  readonly fetch: Fetch;
  /** Attempts after the first. */
  readonly retries: number;
  /** Limit of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Limit of a whole call, in milliseconds. */
  readonly deadlineMs: number;
  /** Sent with each request. */
  readonly headers: Record<string, string>;
  /** Passed on to `fetch`. */
  readonly fetchOptions?: FetchOptions;
  /** Called before a call's own hooks. */
  readonly hooks?: Hooks;
  /** Where to log. */
  readonly logger?: Logger;
}

declare const __VERSION__: string;

/**
 * Resolves a client's options. `createClient` does it itself; use it with single operations to keep a bundle small.
 *
 * @throws TypeError when `baseUrl` is not an absolute http or https URL.
 * @example
 * const connection = connect({ baseUrl });
 * const bots = await listBots(connection, { limit: 3 });
 */
export const connect = (options: ClientOptions): Connection => ({
  // Called without a receiver: browsers throw when `fetch` is called as a method of another object.
  fetch: (url, init) => fetch(url, init),
  retries: 2,
  timeoutMs: 15_000,
  deadlineMs: 60_000,
  ...given(options),
  baseUrl: baseOf(options.baseUrl),
  // A browser names itself, and another name would need a CORS preflight.
  headers: mergeHeaders(
    !(globalThis as { location?: unknown }).location && { 'user-agent': `bot-directory-sdk/${__VERSION__}` },
    options.headers,
  ),
});

/** Leaves out what is undefined or null, as if it were not there. */
export const given = <Options extends object>(options: Options): Given<Options> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value != null)) as Given<Options>;

/** Options without those that are undefined or null. */
export type Given<Options> = { [Name in keyof Options]?: NonNullable<Options[Name]> };

/**
 * Checks and normalises the base URL. Not with `URL`: React Native's has no `protocol`, `origin` or `pathname` before
 * 0.80.
 */
const baseOf = (baseUrl: string | URL): string => {
  const [, scheme, rest = ''] =
    /^\s*(https?:\/\/)(?:[^/?#\s]*@)?([^/?#\s@]+[^?#\s]*)\s*(?:[?#]|$)/i.exec(String(baseUrl)) ?? [];
  if (scheme === undefined) throw new TypeError(`baseUrl: not an http or https URL: ${String(baseUrl)}`);
  return scheme.toLowerCase() + rest.replace(/\/+$/, '');
};
