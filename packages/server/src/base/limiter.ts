/** Work of which only so much is under way at once, and only so much waits. */

/** Runs a job when its turn comes; `undefined` when too many wait already. */
export type Limiter = <T>(job: () => Promise<T>) => Promise<T> | undefined;

/** One that lets `atOnce` jobs run and `waiting` more wait. */
export const createLimiter = ({ atOnce, waiting }: { atOnce: number; waiting: number }): Limiter => {
  const queue: (() => void)[] = [];
  let running = 0;
  const next = (): void => {
    running -= 1;
    queue.shift()?.();
  };
  return (job) => {
    if (running >= atOnce && queue.length >= waiting) return undefined;
    const turn =
      running < atOnce && queue.length === 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            queue.push(resolve);
          });
    if (running < atOnce) running += 1;
    return turn.then(job).finally(next);
  };
};
