/**
 * Handles one event once: takes its lease, does the work in the time there is, and marks it done or gives it back.
 * Work that ignores its time-out keeps the lease until it ends, so that the next attempt does not run beside it.
 */
import type { Attempt, Begun, Dedupe } from './dedupe.ts';
import { HandlerFailedError, HandlerTimeoutError, StoreUnavailableError, type WebhookError } from './errors.ts';

/** What becomes of a request. */
export interface Outcome {
  status: number;
  code: string;
  retryAfterSec?: number;
}

interface SettlerOptions {
  dedupe: Dedupe;
  timeoutMs: number;
  leaseMs: number;
  /** Hears of what fails after the answer. */
  report: (error: unknown) => void;
}

/** Longer than the service keeps events: a URL that is registered again picks up where its deliveries stopped. */
const doneTtlMs = 35 * 86_400_000;

/** Makes the one that settles. It rejects with a `WebhookError` for every end but success, duplicate and pending. */
export const createSettler = ({ dedupe, timeoutMs, leaseMs, report }: SettlerOptions) => {
  const rollback = (attempt: Attempt): Promise<unknown> => stored(() => dedupe.rollback(attempt)).catch(report);

  const begin = async (attempt: Attempt, { inTime }: Deadline): Promise<Begun> => {
    let overdue = false;
    const begun = stored(() => dedupe.begin(attempt, leaseMs));
    // A lease that comes too late is nobody's.
    begun.then((state) => overdue && state === 'new' && rollback(attempt), () => {});
    return inTime(begun, () => {
      overdue = true;
      return storeOverdue();
    });
  };

  const finish = (attempt: Attempt, work: () => unknown, { inTime }: Deadline): Promise<unknown> => {
    let overdue = (): WebhookError => new HandlerTimeoutError(`${attempt.id}: not done within ${timeoutMs} ms`);
    let late = false;
    const finished = Promise.resolve()
      .then(work)
      .then(
        () => {
          overdue = storeOverdue;
          return stored(() => dedupe.commit(attempt, doneTtlMs));
        },
        async (cause: unknown) => {
          const failure = new HandlerFailedError(`${attempt.id}: the handler failed`, { cause });
          overdue = () => failure;
          await rollback(attempt);
          throw failure;
        },
      );
    finished.catch((error: unknown) => late && report(error));
    return inTime(finished, () => {
      late = true;
      return overdue();
    });
  };

  return async (id: string, work: (signal: AbortSignal) => unknown, success: Outcome): Promise<Outcome> => {
    const attempt = { id, token: crypto.randomUUID() };
    const deadline = startDeadline(timeoutMs);
    try {
      const begun = await begin(attempt, deadline);
      if (begun === 'done') return { status: 200, code: 'duplicate' };
      if (begun === 'pending') return { status: 409, code: 'in_progress', retryAfterSec: Math.ceil(timeoutMs / 1_000) };
      await finish(attempt, () => work(deadline.signal), deadline);
      return success;
    } finally {
      deadline.end();
    }
  };
};

const stored = async <T>(ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (cause) {
    throw new StoreUnavailableError('the store of handled events failed', { cause });
  }
};

const storeOverdue = () => new StoreUnavailableError('the store of handled events did not answer in time');

interface Deadline {
  signal: AbortSignal;
  /** Rejects with `overdue()` when the time is up first. */
  inTime: <T>(work: Promise<T>, overdue: () => WebhookError) => Promise<T>;
  end: () => void;
}

const startDeadline = (timeoutMs: number): Deadline => {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const expired = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  return {
    signal,
    inTime: (work, overdue) => Promise.race([work, expired.then(() => Promise.reject(overdue()))]),
    end: () => clearTimeout(timer),
  };
};
