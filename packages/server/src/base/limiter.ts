/** Limits how many jobs run at once, and how many wait. */

/** Runs a job when its turn comes; `undefined` if too many are waiting already. */
export type Limiter = <T>(job: () => Promise<T>) => Promise<T> | undefined;

/** Makes a limiter that lets `atOnce` jobs run and `waiting` more wait. */
export const createLimiter = ({ atOnce, waiting }: { atOnce: number; waiting: number }): Limiter => {
  const queue: (() => void)[] = [];
  let running = 0;
  const end = (): void => {
    const start = queue.shift();
    // The next job takes the place of the one that has ended.
    if (start === undefined) running -= 1;
    else start();
  };
  return (job) => {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve().then(job).finally(end);
    }
    if (queue.length >= waiting) return undefined;
    return new Promise<void>((resolve) => queue.push(resolve)).then(job).finally(end);
  };
};
