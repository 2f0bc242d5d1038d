/** Time limit and cancellation for one piece of work. However it ends, no timer and no listener is left behind. */

import { onAbort } from './on-abort.ts';

/** The longest delay of a timer; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** What may stop the work from outside. */
export interface Limit {
  ms: number;
  signal: AbortSignal;
}

/** What may stop the work. */
export type Stop = 'time' | 'signal';

/**
 * Runs `work` until it settles, the time is up or the caller aborts; then `stopped` makes the result. It does not
 * start work when one of these already holds. The signal given to `work` aborts in both cases.
 */
export const limited = <T>(
  { ms, signal }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
  stopped: (by: Stop) => T | Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(stopped('signal'));
    if (ms <= 0) return resolve(stopped('time'));
    const controller = new AbortController();
    const stop = (by: Stop) => {
      finish();
      resolve(stopped(by));
      controller.abort();
    };
    const forget = onAbort(signal, () => stop('signal'));
    const timer = setTimeout(stop, Math.min(ms, longestTimerMs), 'time');
    const finish = () => {
      clearTimeout(timer);
      forget();
    };
    // The promise settles before the signal aborts, so a fetch that ignores its signal cannot delay the call.
    work(controller.signal).finally(finish).then(resolve, reject);
  });

/** Waits. Resolves to false when the caller aborts first. */
export const sleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  limited(
    { ms, signal },
    () => new Promise<never>(() => {}),
    (by) => by === 'time',
  );
