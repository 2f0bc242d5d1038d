/** An expected failure of an operation: a code of the contract's table, and what the caller may know about it. */
import type { FieldError, OwnMembers, ProblemCode } from '@bot-directory/contract';

/** Members of a problem besides its code and detail, and what only its headers, its page and the log have. */
export type FailureExtras = OwnMembers & {
  readonly errors?: readonly FieldError[];
  /** When a removed bot was removed (ISO 8601), for its page. */
  readonly removedAt?: string;
  /** Seconds for `Retry-After`. */
  readonly retryAfterSec?: number;
  /** Methods for `Allow`. */
  readonly allow?: readonly string[];
  /** The underlying error, for the log only. */
  readonly cause?: unknown;
};

/** Thrown by operations; only `http/problems.ts` turns it into a response. `detail` is text for the caller. */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extras: FailureExtras = {},
  ) {
    super(`${code}: ${detail}`, extras.cause === undefined ? undefined : { cause: extras.cause });
  }
}

/** The store refuses a command because of what it holds, or because the command is wrong: a bug, or damaged data. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}

/** The store did not answer in time, or cannot take the command now. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
  /** `isReply`: it is the store's own answer, which says why it cannot. */
  constructor(
    message: string,
    readonly isReply = false,
  ) {
    super(message);
  }
}

/**
 * Returns why something failed, for a log; never an empty text. An AggregateError, and some errors of the system, have
 * no message: its parts' messages or its code are returned.
 */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return codeOf(error) || error.name;
};

/** The code of an error of Node, the system or a library; '' if it has none. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
