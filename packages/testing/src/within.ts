/** A promise about time that a busy machine cannot break. */

const tickMs = 20;

/**
 * Resolves as `work` does. Throws if it took more than `ms` of this process's own time: a moment in which nothing ran
 * here, because the processors were taken, counts as two ticks at most.
 */
export const within = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  let ownMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    ownMs += Math.min(nowMs - lastMs, 2 * tickMs);
    lastMs = nowMs;
  }, tickMs);
  try {
    const result = await work();
    if (ownMs > ms) throw new Error(`took ${Math.round(ownMs)} ms, which is more than ${ms} ms`);
    return result;
  } finally {
    clearInterval(timer);
  }
};

/** What is documented of reads and writes while the store is away. */
export const withinTwoSeconds = <T>(ask: () => Promise<T>): Promise<T> => within(2_000, ask);
