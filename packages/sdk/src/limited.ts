/** Time and cancellation around one piece of work. Whatever ends it, no timer and no listener is left behind. */

import { onAbort } from './on-abort.ts';

/** The longest a timer can be told to wait; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** What may end the work from outside. */
export interface Limit {
  ms: number;
  signal: AbortSignal | undefined;
}

/** The value of finished work, or what stopped it. */
export type Limited<T> = { value: T } | { stopped: 'time' | 'signal' };

/** Runs `work` until it settles, the time is up or the caller aborts; not at all when that is so already. The work's own signal tells it of both. */
export const limited = <T>({ ms, signal }: Limit, work: (signal: AbortSignal) => Promise<T>): Promise<Limited<T>> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return resolve({ stopped: 'signal' });
    if (ms <= 0) return resolve({ stopped: 'time' });
    const controller = new AbortController();
    const stop = (stopped: 'time' | 'signal') => {
      finish();
      resolve({ stopped });
      controller.abort();
    };
    const forget = onAbort(signal, () => stop('signal'));
    const timer = ms === Infinity ? undefined : setTimeout(stop, Math.min(ms, longestTimerMs), 'time');
    const finish = () => {
      clearTimeout(timer);
      forget();
    };
    // A fetch that ignores its signal can't hold the call up: the promise is settled before it is told.
    work(controller.signal)
      .finally(finish)
      .then((value) => resolve({ value }), reject);
  });

/** Waits. False when the caller aborted first. */
export const sleep = async (ms: number, signal: AbortSignal | undefined): Promise<boolean> => {
  const result = await limited({ ms, signal }, () => new Promise<never>(() => {}));
  return 'stopped' in result && result.stopped === 'time';
};
