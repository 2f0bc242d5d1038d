/** Limits how many jobs run at once, and how many wait. */

/** Runs a job when its turn comes; `undefined` if too many are waiting already. */
export type Limiter = <T>(job: () => Promise<T>) => Promise<T> | undefined;

/** Makes a limiter that lets `atOnce` jobs run and `waiting` more wait. */
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
