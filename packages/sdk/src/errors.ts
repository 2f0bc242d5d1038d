/**
 * The five ways a call fails. `instanceof` holds across copies of this package (ESM beside CommonJS, two versions):
 * it reads a brand, not the prototype. No error invents a status: only `ApiError` has one, and it is the server's.
 */
import type { Problem } from './types.gen.ts';

const brand = Symbol.for('@bot-directory/sdk.error');

/** Which call failed, and how far it came. */
export interface ErrorContext {
  /** The operation's name, as in the API's contract: `submitBot`. */
  operation: string;
  /** Requests sent, this one included. */
  attempts: number;
}

/** What every error of this package is an instance of. */
export class BotDirectoryError extends Error {
  /** The class's own name, whatever a bundler renames it to. */
  static readonly kind: string = 'BotDirectoryError';

  static override [Symbol.hasInstance](this: { kind?: string }, value: unknown): boolean {
    if (!Object.hasOwn(this, 'kind')) return Function.prototype[Symbol.hasInstance].call(this, value);
    const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, brand) : undefined;
    return kind !== undefined && (this.kind === 'BotDirectoryError' || this.kind === kind);
  }

  /** Stable and machine-readable: the problem's code for an `ApiError`, else `network`, `timeout`, `aborted` or `decode`. */
  readonly code: string | undefined;
  /** The operation's name, as in the API's contract: `submitBot`. */
  readonly operation: string;
  /** Requests sent before the call was given up. */
  readonly attempts: number;

  constructor(kind: string, code: string | undefined, details: ErrorContext & { message: string; cause?: unknown }) {
    super(
      `${details.operation}: ${details.message}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = kind;
    this.code = code;
    this.operation = details.operation;
    this.attempts = details.attempts;
    Object.defineProperty(this, brand, { value: kind });
  }
}

/** The server answered with an error status. */
export class ApiError extends BotDirectoryError {
  static override readonly kind: string = 'ApiError';

  /** The HTTP status that came back. */
  readonly status: number;
  /** The error's body (RFC 9457), or undefined when the answer was not the API's own, as a proxy's is not. */
  readonly problem: Problem | undefined;
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The answer; its body has been read. */
  readonly response: Response;

  constructor(
    context: ErrorContext,
    answer: { problem: Problem | undefined; response: Response; retryAfterMs: number | undefined },
  ) {
    const { problem, response } = answer;
    const { status } = response;
    const message =
      problem === undefined
        ? `${status} ${response.statusText}`.trimEnd()
        : `${status} ${problem.code}: ${problem.detail}`;
    super('ApiError', problem?.code, { ...context, message });
    this.status = status;
    this.problem = problem;
    this.response = response;
    this.requestId = response.headers.get('x-request-id') ?? problem?.request_id;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** An error of a status that the API documents, with the body that it has at that status. */
export type ApiErrorAt<Status, Body> = ApiError & { readonly status: Status; readonly problem: Body };

/** No answer came: no connection, a reset, a body cut short, a refused redirect. `cause` is the runtime's error. */
export class NetworkError extends BotDirectoryError {
  static override readonly kind: string = 'NetworkError';

  constructor(context: ErrorContext, cause: unknown) {
    super('NetworkError', 'network', {
      ...context,
      message: `no answer (${cause instanceof Error ? cause.message : String(cause)})`,
      cause,
    });
  }
}

/** The answer, body included, was not there in time. */
export class TimeoutError extends BotDirectoryError {
  static override readonly kind: string = 'TimeoutError';

  /** The limit that ran out, in milliseconds. */
  readonly limitMs: number;

  constructor(context: ErrorContext, limitMs: number) {
    super('TimeoutError', 'timeout', { ...context, message: `no whole answer within ${limitMs} ms` });
    this.limitMs = limitMs;
  }
}

/** The caller's `signal` aborted the call. `cause` is the signal's reason. */
export class AbortedError extends BotDirectoryError {
  static override readonly kind: string = 'AbortedError';

  constructor(context: ErrorContext, cause: unknown) {
    super('AbortedError', 'aborted', { ...context, message: 'aborted by the caller', cause });
  }
}

/** A success whose body is not what the operation answers: no JSON, none at all, or of the wrong kind. */
export class DecodeError extends BotDirectoryError {
  static override readonly kind: string = 'DecodeError';

  /** The answer; its body has been read. */
  readonly response: Response;
  /** The body as it came. */
  readonly text: string;

  constructor(context: ErrorContext, answer: { response: Response; text: string; cause?: unknown }) {
    super('DecodeError', 'decode', {
      ...context,
      message: `${answer.response.status} with an unreadable body`,
      cause: answer.cause,
    });
    this.response = answer.response;
    this.text = answer.text;
  }
}
