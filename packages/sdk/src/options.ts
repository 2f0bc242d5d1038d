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

/** A request about to be sent. */
export interface RequestEvent {
  operation: string;
  /** 1 for the first. */
  attempt: number;
  method: string;
  url: string;
  /** May be changed: this very object is sent. */
  headers: Headers;
}

/** An answer, whatever its status. */
export interface ResponseEvent {
  operation: string;
  attempt: number;
  /** Its body has been read. */
  response: Response;
  /** From sending to the last byte of the body. */
  durationMs: number;
}

/** A failed attempt that will be followed by another. */
export interface RetryEvent {
  operation: string;
  /** The attempt that failed. */
  attempt: number;
  error: BotDirectoryError;
  delayMs: number;
}

/** A call that has failed for good. */
export interface FailureEvent {
  operation: string;
  error: BotDirectoryError;
}

/** Called as a call goes on, and awaited. What a hook throws rejects the call, unchanged. */
export interface Hooks {
  onRequest?(event: RequestEvent): void | Promise<void>;
  onResponse?(event: ResponseEvent): void | Promise<void>;
  onRetry?(event: RetryEvent): void | Promise<void>;
  onError?(event: FailureEvent): void | Promise<void>;
}

/** Where to write what happens; `console` is one. No address and no body is ever written. */
export interface Logger {
  debug(message: string): void;
  warn(message: string): void;
}

/** What can be set for a client and, over that, for one call. */
export interface SharedOptions {
  /** Attempts after the first; 0 means none. 2 unless given. */
  retries?: number | undefined;
  /** Limit of one attempt, answer's body included. 15 seconds unless given. */
  timeoutMs?: number | undefined;
  /** Limit of the whole call, with all attempts and the waits between them. 60 seconds unless given. */
  deadlineMs?: number | undefined;
  /** Headers to send with each request. Mind that a browser asks the server first for all but a few. */
  headers?: Record<string, string> | undefined;
  hooks?: Hooks | undefined;
}

/** Options of a client. */
export interface ClientOptions extends SharedOptions {
  /** The service's base address, such as `https://directory.example.com`. */
  baseUrl: string | URL;
  /** Used in place of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Silent unless given. */
  logger?: Logger | undefined;
}

/** Options of one call. */
export interface CallOptions extends SharedOptions {
  /** Aborts the call; it then rejects with an `AbortedError`. */
  signal?: AbortSignal | undefined;
}

/** A client's settled options: what an operation is called with when it is imported on its own. */
export interface Connection {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly headers: Record<string, string>;
  readonly hooks: Hooks;
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
    headers: options.headers ?? {},
    hooks: options.hooks ?? {},
    logger: options.logger,
  };
};

const baseOf = (baseUrl: string | URL): string => {
  try {
    const { protocol, origin, pathname } = new URL(baseUrl);
    if (/^https?:$/.test(protocol)) return origin + pathname.replace(/\/+$/, '');
  } catch {
    // Told below, with the option's name.
  }
  throw new TypeError(`baseUrl: '${String(baseUrl)}' is no absolute http or https address`);
};
