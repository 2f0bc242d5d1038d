/** An expected failure of an operation: one code of the contract's table, and what the caller may know of it. */
import type { FieldError, ProblemCode } from '@bot-directory/contract';

/** Members of a problem beyond its code and detail. */
export type FailureExtras = {
  readonly errors?: readonly FieldError[];
  readonly id?: string;
  readonly slug?: string;
  readonly url?: string;
  /** Why: the category of a failed ping, or what the operator says of a removed bot. */
  readonly reason?: string;
  /** When a removed bot was removed (ISO 8601), for its page. */
  readonly removedAt?: string;
  /** Seconds for `Retry-After`. */
  readonly retryAfterSec?: number;
  /** Methods for `Allow`. */
  readonly allow?: readonly string[];
  /** What lies behind it, for the log only. */
  readonly cause?: unknown;
};

/** Thrown by operations; `http/problems.ts` alone turns it into an answer. `detail` is words for the caller. */
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

/** The store gives no answer in time, or can't take the command now. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}
