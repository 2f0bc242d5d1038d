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

  /** Reads the brand: true across copies of this package, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!Object.hasOwn(this, 'kind')) return super[Symbol.hasInstance](value);
    const kind: unknown = Reflect.get(Object(value) as object, brand);
    return kind !== undefined && [kind, 'BotDirectoryError'].includes(this.kind);
  }

  /** Stable and machine-readable: the problem's code for an `ApiError`, else `network`, `timeout`, `aborted` or `decode`. */
  readonly code: string | undefined;
  /** The operation's name, as in the API's contract: `submitBot`. */
  readonly operation: string;
  /** Requests sent before the call was given up. */
  readonly attempts: number;

  constructor(code: string | undefined, details: ErrorContext & { message: string; cause?: unknown }) {
    super(`${details.operation}: ${details.message}`, details);
    const { kind } = new.target;
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
  /** The body as it came. */
  readonly text: string;

  constructor(
    context: ErrorContext,
    answer: { problem: Problem | undefined; response: Response; text: string; retryAfterMs: number | undefined },
  ) {
    const { problem, response } = answer;
    const { status, statusText } = response;
    const message = problem === undefined ? statusText : `${problem.code}: ${detailOf(problem)}`;
    super(problem?.code, { ...context, message: `${status} ${message}`.trimEnd() });
    this.status = status;
    this.problem = problem;
    this.response = response;
    this.text = answer.text;
    this.requestId = response.headers.get('x-request-id') ?? problem?.request_id;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** The first refused field says more than that there is one. */
const detailOf = ({ detail, errors }: Problem): string => {
  const [first] = Array.isArray(errors) ? errors : [];
  return first === undefined ? detail : `${first.pointer}: ${first.detail}`;
};

/** An error of a status that the API documents, with the body that it has at that status. */
export type ApiErrorAt<Status, Body> = ApiError & {
  /** The HTTP status that came back. */
  readonly status: Status;
  /** The error's body, as the API documents it for this status. */
  readonly problem: Body;
};

/** The innermost cause: its code, which names it in a word, or else its message. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : error.message;
};

/** Whether an error is the server's answer. */
export function isApiError(error: unknown): error is ApiError;
/** Whether an error is the server's answer with this status. */
export function isApiError<const Status extends number>(
  error: unknown,
  status: Status,
): error is ApiError & { readonly status: Status };
/** Whether an error is the server's answer with this problem code. */
export function isApiError<const Code extends string>(
  error: unknown,
  code: Code,
): error is ApiError & { readonly code: Code; readonly problem: Problem };
export function isApiError(error: unknown, kind?: number | string): boolean {
  return error instanceof ApiError && [undefined, error.status, error.code].includes(kind);
}

/** No answer came: no connection, a reset, a body cut short, a refused redirect. `cause` is the runtime's error. */
export class NetworkError extends BotDirectoryError {
  static override readonly kind: string = 'NetworkError';

  constructor(context: ErrorContext, cause: unknown) {
    super('network', {
      ...context,
      message: `no answer (${reasonOf(cause)})`,
      cause,
    });
  }
}

/** The answer, body included, was not there in time. */
export class TimeoutError extends BotDirectoryError {
  static override readonly kind: string = 'TimeoutError';

  /** The limit that ran out, in milliseconds, as it was set. */
  readonly limitMs: number;

  constructor(context: ErrorContext, option: 'timeoutMs' | 'deadlineMs' | 'idleTimeoutMs', limitMs: number) {
    super('timeout', { ...context, message: `no whole answer within ${limitMs} ms (${option})` });
    this.limitMs = limitMs;
  }
}

/** The caller's `signal` aborted the call. `cause` is the signal's reason. */
export class AbortedError extends BotDirectoryError {
  static override readonly kind: string = 'AbortedError';

  constructor(context: ErrorContext, cause: unknown) {
    super('aborted', { ...context, message: 'aborted by the caller', cause });
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
    super('decode', { ...context, ...answer, message: `${answer.response.status} with an unreadable body` });
    this.response = answer.response;
    this.text = answer.text;
  }
}
