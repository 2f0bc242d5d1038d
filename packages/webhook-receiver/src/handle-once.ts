/**
 * Handles one event once: takes its lease, does the work in the time there is, and marks it done or gives it back.
 * Work that ignores its time-out keeps the lease for as long as that lasts: it is not renewed, so that work that hangs
 * for ever does not keep the event from being handled.
 */
import { type Dedupe, memoryDedupe } from './dedupe.ts';
import { WebhookError } from './errors.ts';

/** What becomes of a request. */
export interface Outcome {
  status: number;
  code: string;
}

/** Where, and for how long. */
export interface OnceOptions {
  /**
   * Which events are handled.
   * @default memoryDedupe()
   */
  dedupe?: Dedupe | undefined;
  /**
   * For a handler or `enqueue`, the store included, in milliseconds. The service waits 10 seconds.
   * @default 9_000
   */
  timeoutMs?: number | undefined;
  /**
   * How long an event stays with an attempt that neither succeeds nor fails, in milliseconds. Work that overruns by
   * more may meet the next attempt.
   * @default 60_000
   */
  leaseMs?: number | undefined;
  /**
   * Milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
}

/** What is to be done with one event. */
interface Job {
  id: string;
  work: (signal: AbortSignal) => unknown;
  success: Outcome;
  /** Hears of a failure that came too late for an answer. */
  report: (error: unknown) => unknown;
}

/** Longer than the service keeps events: a URL that is registered again picks up where its deliveries stopped. */
const doneTtlMs = 35 * 86_400_000;

/** Makes what handles events once. It rejects with a `WebhookError` for every end but `success`, duplicate and pending. */
export const createHandleOnce = (options: OnceOptions) => {
  const { dedupe = memoryDedupe(options), timeoutMs = 9_000, leaseMs = 60_000 } = options;
  return ({ id, work, success, report }: Job): Promise<Outcome> => {
    const attempt = { id, token: crypto.randomUUID() };
    // Not AbortSignal.timeout: its timer lets Node exit while a handler is at work, and keeps Deno from exiting after.
    const deadline = new AbortController();
    /** What it is called if it ends here. */
    let code = 'store_unavailable';
    let cause: unknown;
    const failure = () => new WebhookError(code, code === 'store_unavailable' ? 503 : 500, cause, id);

    const run = async (): Promise<Outcome> => {
      const begun = await dedupe.begin(attempt, leaseMs);
      if (begun === 'done') return { status: 200, code: 'duplicate' };
      if (begun === 'pending') return { status: 409, code: begun };
      try {
        code = 'handler_timeout';
        // A lease that comes too late is given back.
        deadline.signal.throwIfAborted();
        await work(deadline.signal);
      } catch (error) {
        code = 'handler_failed';
        cause = error;
        await dedupe.rollback(attempt);
        throw error;
      }
      code = 'store_unavailable';
      await dedupe.commit(attempt, doneTtlMs);
      return success;
    };

    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(failure());
        deadline.abort();
      }, timeoutMs);
      run()
        .then(resolve, (error: unknown) => {
          cause ??= error;
          // Too late for an answer: reported here, as reject does nothing any more.
          if (deadline.signal.aborted) report(failure());
          reject(failure());
        })
        .finally(() => clearTimeout(timer));
    });
  };
};
