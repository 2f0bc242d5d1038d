/**
 * The five ways a call can fail. `instanceof` works across copies of this package (ESM and CommonJS, two versions):
 * it checks a brand, not the prototype. Only `ApiError` has a status, and it is the server's.
 */
import type { Problem, ProblemCode } from './types.gen.ts';

/** The codes of errors that this version knows, and others that a later API may add. */
export type ErrorCode = ProblemCode | 'http' | 'network' | 'timeout' | 'aborted' | 'decode' | (string & {});

/** Problems of the address, not of the operation: they mean that `baseUrl` is wrong. */
export const addressCodes = /^(not_found|method_not_allowed)$/;
const addressHint = ' (is baseUrl right? It has no /api)';

const brand = Symbol.for('@bot-directory/sdk.error');

/** Which call failed, and after how many requests. */
export interface ErrorContext {
  /** What was called: a method of the client, such as `bots.submit`, or a function, such as `submitBot`. */
  operation: string;
  /** Attempts begun, including this one. */
  attempts: number;
}

/** The base class of every error of this package. */
export class BotDirectoryError extends Error {
  /** The class's name, which a bundler's renaming does not change. */
  static get kind(): string {
    return 'BotDirectoryError';
  }

  /** Checks the brand, so that it holds across copies of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // Where classes are compiled to functions, a constructor checks its instance before the instance has a brand.
    if (super[Symbol.hasInstance](value)) return true;
    const { [brand]: kind } = Object(value) as { [brand]?: unknown };
    const isOurs = Reflect.ownKeys(this).includes('kind');
    return isOurs && kind !== undefined && [kind, 'BotDirectoryError'].includes(this.kind);
  }

  /**
   * Stable and machine-readable: the problem's code for an `ApiError`, or `http` if it has no problem; otherwise
   * `network`, `timeout`, `aborted` or `decode`.
   */
  declare readonly code: ErrorCode;
  /** What was called: a method of the client, such as `bots.submit`, or a function, such as `submitBot`. */
  declare readonly operation: string;
  /** Attempts begun before the call gave up; 1 if its signal had aborted before the first was sent. */
  declare readonly attempts: number;

  /** `facts` become members of the error. */
  constructor({ operation, attempts }: ErrorContext, code: ErrorCode, message: string, facts?: object) {
    super(`${operation}: ${message}`, facts);
    const { kind } = new.target;
    Object.defineProperty(this, brand, { value: kind });
    Object.assign(this, { name: kind, code, operation, attempts }, facts);
  }
}

/** The server responded with an error status. */
export class ApiError extends BotDirectoryError {
  static override get kind(): string {
    return 'ApiError';
  }

  /** The response's HTTP status. */
  declare readonly status: number;
  /**
   * The error's body (RFC 9457); undefined when the response did not come from the API, but from a proxy, for example.
   */
  declare readonly problem: Problem | undefined;
  /** The request's id in the server's logs. */
  declare readonly requestId: string | undefined;
  /** How long the server asked the client to wait, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** The response. Its body has been read; use `text`. */
  declare readonly response: Response;
  /** The response's body as it was received. */
  declare readonly text: string;

  constructor(
    context: ErrorContext,
    answer: { problem: Problem | undefined; response: Response; text: string; retryAfterMs: number | undefined },
  ) {
    const { problem, response } = answer;
    const { status, statusText, headers } = response;
    const { code = 'http', request_id: ownId }: Partial<Problem> = problem ?? {};
    const message = problem ? `${code}: ${detailOf(problem)}` : statusText;
    const hint = (problem ? addressCodes.test(code) : status === 404) ? addressHint : '';
    const requestId = headers.get('x-request-id') ?? ownId;
    super(context, code, `${status} ${message}`.trimEnd() + hint, { status, requestId, ...answer });
  }
}

/** Returns the first refused field and its detail, which say more than the general detail. */
const detailOf = ({ detail, errors }: Problem): string => {
  const [first] = Array.isArray(errors) ? errors : [];
  return first === undefined ? detail : `${first.pointer}: ${first.detail}`;
};

/** An `ApiError` with a documented status, and the problem it has at that status. */
export type ApiErrorAt<Status, Body> = ApiError & {
  /** The response's HTTP status. */
  readonly status: Status;
  /** The error's body, as the API documents it for this status. */
  readonly problem: Body;
};

/** The members that are read from a thrown value, which may be anything. */
type Thrown = Partial<Record<string, unknown>>;

/** The innermost cause. */
const rootOf = (error: unknown, depth = 0): Thrown => {
  const thrown = (Object(error) === error ? error : { message: String(error) }) as Thrown;
  // An error may be its own cause.
  return thrown.cause instanceof Error && depth < 9 ? rootOf(thrown.cause, depth + 1) : thrown;
};

/** Returns the innermost cause's code if it has one, otherwise its message. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = rootOf(error);
  return [code, message].find((text) => typeof text === 'string') ?? 'unknown';
};

/** How the runtimes' `fetch` and its replacements name a connection that failed. */
const networkMessage =
  /^(the |a )?(fetch failed|failed to fetch|load failed|terminated|network|internet|error (s|r|in )|could not c|internal error; ref)|secure conn|hostname could/i;
const networkCode = /^(E(CONN|PIPE|PROTO|AI_|NOTFOUND|HOST|NET|TIMEDOUT)|UND_ERR|ERR_(NET|SSL|TLS|STREAM_PREM))/;

/**
 * Whether what `fetch` threw looks like a failure of the network. Anything else is the caller's, such as a wrong option
 * or an error of its own `fetch`, or a framework's: Next.js throws errors with a `digest` to control rendering.
 */
export const isNetworkFailure = (error: unknown): boolean => {
  const { digest, retryable, message, code } = Object(error) as Thrown;
  const root = rootOf(error);
  // Node wraps mistakes in its options the same way.
  const isMistake = root !== error && (root.name === 'TypeError' || /INVALID_ARG/.test(String(root.code)));
  if (digest !== undefined || isMistake) return false;
  return retryable === true || networkMessage.test(String(message)) || networkCode.test(String(code));
};

/** Whether an error is the server's response. */
export function isApiError(error: unknown): error is ApiError;
/** Whether an error is the server's response with this status. */
export function isApiError<const Status extends number>(
  error: unknown,
  status: Status,
): error is ApiError & { readonly status: Status };
/** Whether an error is the server's response with this problem code, which must be a known one if it is a literal. */
export function isApiError<const Code extends string>(
  error: unknown,
  code: Code & (string extends Code ? unknown : ProblemCode | 'http'),
): error is ApiError & { readonly code: Code; readonly problem: Problem };
export function isApiError(error: unknown, kind?: number | string): boolean {
  return error instanceof ApiError && [undefined, error.status, error.code].includes(kind);
}

/**
 * There was no response: no connection, a reset, a truncated body or a refused redirect. `cause` is the runtime's
 * error.
 */
export class NetworkError extends BotDirectoryError {
  static override get kind(): string {
    return 'NetworkError';
  }

  constructor(context: ErrorContext, cause: unknown) {
    super(context, 'network', `no answer (${reasonOf(cause)})`, { cause });
  }
}

/** The options that limit time. */
export type TimeLimit = 'timeoutMs' | 'deadlineMs' | 'idleTimeoutMs';

/** The response did not arrive in full within the limit. */
export class TimeoutError extends BotDirectoryError {
  static override get kind(): string {
    return 'TimeoutError';
  }

  /** The limit that was exceeded, in milliseconds. */
  declare readonly limitMs: number;

  constructor(context: ErrorContext, option: TimeLimit, limitMs: number) {
    super(context, 'timeout', `no whole answer within ${limitMs} ms (${option})`, { limitMs });
  }
}

/** The caller's `signal` aborted the call. `cause` is the signal's reason. */
export class AbortedError extends BotDirectoryError {
  static override get kind(): string {
    return 'AbortedError';
  }

  constructor(context: ErrorContext, cause: unknown) {
    super(context, 'aborted', 'aborted by the caller', { cause });
  }
}

/**
 * A successful response that is not what the operation returns: its body is not JSON, empty or of the wrong type, or
 * its page leads back to an earlier one.
 */
export class DecodeError extends BotDirectoryError {
  static override get kind(): string {
    return 'DecodeError';
  }

  /** The response. Its body has been read; use `text`. */
  declare readonly response: Response;
  /** The response's body as it was received. */
  declare readonly text: string;

  constructor(context: ErrorContext, answer: { response: Response; text: string; cause?: unknown }) {
    const hint = /^\s*</.test(answer.text) ? addressHint : '';
    super(context, 'decode', `${answer.response.status} with an unreadable body${hint}`, answer);
  }
}
