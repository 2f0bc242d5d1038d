/** What a caller may set, for a client or for one call, and the defaults. */
import type { BotDirectoryError } from './errors.ts';

/** What this package asks of `fetch`: every runtime's own satisfies it. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Headers;
    body?: string;
    redirect: 'follow' | 'manual';
    signal: AbortSignal;
  },
) => Promise<Response>;

/** Further options of `fetch`, as the runtime at hand knows them: `cache`, `credentials`, Node's `dispatcher`, `next` … */
export type FetchOptions = Record<string, unknown>;

/** A request about to be sent. */
export interface RequestEvent {
  /** The operation's name, as in the API's contract. */
  operation: string;
  /** 1 for the first. */
  attempt: number;
  /** The HTTP method. */
  method: string;
  /** Where it goes, query included. */
  url: string;
  /** May be changed: this very object is sent. */
  headers: Headers;
}

/** An answer, whatever its status. */
export interface ResponseEvent {
  /** The operation's name, as in the API's contract. */
  operation: string;
  /** 1 for the first. */
  attempt: number;
  /** Its body has been read. */
  response: Response;
  /** From sending to the last byte of the body. */
  durationMs: number;
}

/** A failed attempt that will be followed by another. */
export interface RetryEvent {
  /** The operation's name, as in the API's contract. */
  operation: string;
  /** The attempt that failed. */
  attempt: number;
  /** Why it failed. */
  error: BotDirectoryError;
  /** How long is waited before the next one. */
  delayMs: number;
}

/** A call that has failed for good. */
export interface FailureEvent {
  /** The operation's name, as in the API's contract. */
  operation: string;
  /** What the call rejects with. */
  error: BotDirectoryError;
}

/** Called as a call goes on, and awaited. What a hook throws rejects the call, unchanged. */
export interface Hooks {
  /** Before each attempt is sent. */
  onRequest?(event: RequestEvent): void | Promise<void>;
  /** After each response, whatever its status. */
  onResponse?(event: ResponseEvent): void | Promise<void>;
  /** Before the wait for another attempt. */
  onRetry?(event: RetryEvent): void | Promise<void>;
  /** Once, when a call has failed for good. */
  onError?(event: FailureEvent): void | Promise<void>;
}

/** Where to write what happens; `console` is one. No address and no body is ever written. */
export interface Logger {
  /** Each response. */
  debug(message: string): void;
  /** Each retry. */
  warn(message: string): void;
}

/** What can be set for a client and, over that, for one call. */
export interface SharedOptions {
  /**
   * Attempts after the first; 0 means none.
   * @default 2
   */
  retries?: number | undefined;
  /**
   * Limit of one attempt, the response's body included.
   * @default 15_000
   */
  timeoutMs?: number | undefined;
  /**
   * Limit of the whole call, with all attempts and the waits between them.
   * @default 60_000
   */
  deadlineMs?: number | undefined;
  /** Headers to send with each request. Mind that a browser asks the server first for all but a few. */
  headers?: Record<string, string> | undefined;
  /** Passed on to `fetch`. What this package sets itself (method, headers, body, redirect, signal) stays. */
  fetchOptions?: FetchOptions | undefined;
  /** Told of requests, responses, retries and failures: those of the client, then those of the call. */
  hooks?: Hooks | undefined;
}

/** Options of a client. */
export interface ClientOptions extends SharedOptions {
  /** The service's base address, such as `https://directory.example.com`. */
  baseUrl: string | URL;
  /**
   * Sends the requests.
   * @default the global `fetch` at the time of the call
   */
  fetch?: Fetch | undefined;
  /**
   * Where to write what happens.
   * @default nothing is written
   */
  logger?: Logger | undefined;
}

/** Options of one call. */
export interface CallOptions extends SharedOptions {
  /** Aborts the call; it then rejects with an `AbortedError`. */
  signal?: AbortSignal | undefined;
}

/** A client's settled options: what an operation is called with when it is imported on its own. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Sends the requests. */
  readonly fetch: Fetch;
  /** Attempts after the first. */
  readonly retries: number;
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  /** Limit of a whole call. */
  readonly deadlineMs: number;
  /** Sent with each request. */
  readonly headers: Record<string, string>;
  /** Passed on to `fetch`. */
  readonly fetchOptions: FetchOptions | undefined;
  /** Told before those of a call. */
  readonly hooks: Hooks;
  /** Where it is written what happens. */
  readonly logger: Logger | undefined;
}

/**
 * Settles a client's options. `createClient` does it itself; use it with single operations, to bundle nothing else.
 *
 * @throws TypeError when `baseUrl` is not an absolute http or https address.
 * @example
 * const connection = connect({ baseUrl });
 * const bots = await listBots(connection, { limit: 3 });
 */
export const connect = (options: ClientOptions): Connection => {
  return {
    baseUrl: baseOf(options.baseUrl),
    // Called bare: a browser's fetch refuses to be called as the method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    retries: options.retries ?? 2,
    timeoutMs: options.timeoutMs ?? 15_000,
    deadlineMs: options.deadlineMs ?? 60_000,
    headers: { ...userAgent(), ...options.headers },
    fetchOptions: options.fetchOptions,
    hooks: options.hooks ?? {},
    logger: options.logger,
  };
};

declare const __VERSION__: string;

/** A browser has an agent of its own, and would have to ask the server for leave to send another. */
const userAgent = (): Record<string, string> =>
  Reflect.get(globalThis, 'location') ? {} : { 'user-agent': `bot-directory-sdk/${__VERSION__}` };

const baseOf = (baseUrl: string | URL): string => {
  try {
    const { protocol, origin, pathname } = new URL(baseUrl);
    if (/^https?:$/.test(protocol)) return origin + pathname.replace(/\/+$/, '');
  } catch {
    // Told below, with the option's name.
  }
  throw new TypeError(`baseUrl: no http or https address: ${String(baseUrl)}`);
};
