/** An expected failure of an operation: a code of the contract's table, and what the caller may know about it. */
import type { FieldError, ProblemCode } from '@bot-directory/contract';

/** Members of a problem besides its code and detail. */
export type FailureExtras = {
  readonly errors?: readonly FieldError[];
  readonly id?: string;
  readonly slug?: string;
  readonly url?: string;
  /** Why: the category of a failed ping, or the operator's reason for removing a bot. */
  readonly reason?: string;
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
}
