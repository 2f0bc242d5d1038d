/** A promise about time that a busy machine cannot break. */
import { afterStallMs, stallMs } from '../../src/store/redis.ts';

const tickMs = 20;
/** Of a write: the count of its sender's writes, the script by its SHA-1, and by its source. */
const roundTrips = 3;

/**
 * Resolves as `work` does. Throws if it took more than `ms` of this process's own time: a moment in which nothing ran
 * here, because the processors were taken, counts as two ticks at most, and what the store's deadlines then grant does
 * not count.
 */
export const within = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  let [ownMs, lastMs, grantedMs] = [0, performance.now(), 0];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    ownMs += Math.min(nowMs - lastMs, 2 * tickMs);
    if (nowMs - lastMs > stallMs) grantedMs = roundTrips * afterStallMs;
    lastMs = nowMs;
  }, tickMs);
  try {
    const result = await work();
    const mostMs = ms + grantedMs;
    if (ownMs > mostMs) throw new Error(`took ${Math.round(ownMs)} ms, which is more than ${mostMs} ms`);
    return result;
  } finally {
    clearInterval(timer);
  }
};

/** What is documented of reads and writes while the store is away. */
export const withinTwoSeconds = <T>(ask: () => Promise<T>): Promise<T> => within(2_000, ask);
