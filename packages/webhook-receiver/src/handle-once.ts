/**
 * Handles an event once: takes its lease, runs the handler within the time limit, then marks the event done or releases
 * the lease. A handler that ignores the time limit keeps the lease until it expires. The lease is not renewed, so a
 * handler that hangs does not block the event forever.
 */
import { type Dedupe, memoryDedupe } from './dedupe.ts';
import { WebhookError } from './errors.ts';
import { timerMs } from './timer-ms.ts';

/** The response's status and code, and headers of its own. */
export interface Outcome {
  status: number;
  code: string;
  headers?: Record<string, string>;
}

/** How events are handled once. */
export interface OnceOptions {
  /**
   * Where handled events are stored.
   * @default memoryDedupe()
   */
  dedupe?: Dedupe | undefined;
  /**
   * Time limit for a handler or `enqueue`, including the store, in milliseconds. The service waits 10 seconds.
   * @default 9_000
   */
  timeoutMs?: number | undefined;
  /**
   * Lease of an attempt, in milliseconds. After it, another attempt may start although this one is still running.
   * @default 60_000
   */
  leaseMs?: number | undefined;
  /**
   * The current time, in milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
}

/** What a handler threw, in words. A class that does not set `name` has that of `Error`. */
const wordsOf = (cause: unknown): string[] => {
  if (!(cause instanceof Error)) return typeof cause === 'string' ? [cause] : [];
  const { name, message, constructor } = cause;
  return [(name === 'Error' && constructor.name) || name, message];
};

/** Longer than the service keeps events: when a URL is registered again, its deliveries resume where they stopped. */
const doneTtlMs = 35 * 86_400_000;

/**
 * Makes a function that handles each event once. It rejects with a `WebhookError` on every result but success,
 * duplicate and pending.
 */
export const createHandleOnce = (options: OnceOptions) => {
  const { dedupe = memoryDedupe(options), timeoutMs = 9_000, leaseMs = 60_000 } = options;
  /** `report` is called with a failure that came too late for the response. */
  return (
    { id, type = '' }: { id: string; type?: string },
    work: (signal: AbortSignal) => Promise<Outcome>,
    report: (error: unknown) => unknown,
  ): Promise<Outcome> => {
    const attempt = { id, token: crypto.randomUUID() };
    // Not AbortSignal.timeout: its timer lets Node exit during a handler, and keeps Deno from exiting afterwards.
    const deadline = new AbortController();
    /** The error code if the attempt fails at this point. */
    let code = 'store_unavailable';
    let cause: unknown;
    const failure = () => {
      const message = [`${type} ${id}`.trim(), ...wordsOf(cause)].join(': ');
      return new WebhookError(code, code === 'store_unavailable' ? 503 : 500, cause, message);
    };

    const run = async (): Promise<Outcome> => {
      const begun = await dedupe.begin(attempt, leaseMs);
      if (begun === 'done') return { status: 200, code: 'duplicate' };
      if (begun === 'pending') return { status: 409, code: begun, headers: { 'retry-after': '10' } };
      let outcome: Outcome;
      try {
        code = 'handler_timeout';
        // A lease that was granted too late is released.
        deadline.signal.throwIfAborted();
        outcome = await work(deadline.signal);
      } catch (error) {
        code = 'handler_failed';
        cause = error;
        await dedupe.rollback(attempt);
        throw error;
      }
      code = 'store_unavailable';
      await dedupe.commit(attempt, doneTtlMs);
      return outcome;
    };

    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(failure());
        deadline.abort();
      }, timerMs(timeoutMs));
      run()
        .then(resolve, (error: unknown) => {
          cause ??= error;
          // Once the response has been sent, `reject` has no effect.
          (deadline.signal.aborted ? report : reject)(failure());
        })
        .finally(() => clearTimeout(timer));
    });
  };
};
