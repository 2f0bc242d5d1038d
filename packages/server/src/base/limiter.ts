/** Decides when jobs run: how many at once, in whose turn, and which callers share one. */

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

/** Runs a job of a key when its turn comes. Rejects with what `tooLate` makes if it waited too long. */
export type Turns = <T>(key: string, job: () => Promise<T>) => Promise<T>;

/**
 * Makes turns: `atOnce` jobs run, and in each tick of the event loop at most one of a key starts. So a key with
 * any number of jobs delays the others, and everything else in the process, by one job at a time.
 */
export const createTurns = (limits: { atOnce: number; waitMs: number; tooLate: () => Error }): Turns => {
  const queues = new Map<string, Set<() => void>>();
  let running = 0;
  let isDue = false;

  const startNext = (): void => {
    isDue = false;
    for (const [key, jobs] of [...queues].slice(0, limits.atOnce - running)) {
      queues.delete(key);
      const [start] = jobs;
      // It goes behind the other keys.
      if (jobs.size > 1) queues.set(key, jobs);
      start?.();
    }
    schedule();
  };
  const schedule = (): void => {
    if (isDue || running >= limits.atOnce || queues.size === 0) return;
    isDue = true;
    setImmediate(startNext);
  };
  const turnOf = (key: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const jobs = queues.get(key) ?? new Set();
      const start = (): void => {
        clearTimeout(timer);
        jobs.delete(start);
        running += 1;
        resolve();
      };
      const timer = setTimeout(() => {
        jobs.delete(start);
        reject(limits.tooLate());
      }, limits.waitMs);
      queues.set(key, jobs.add(start));
      schedule();
    });
  return async (key, job) => {
    await turnOf(key);
    return job().finally(() => {
      running -= 1;
      schedule();
    });
  };
};

/** Runs one job after the other, as long as callers wait. All that wait when a job begins share its result. */
export const sharedByWaiters = <T>(job: () => Promise<T>): (() => Promise<T>) => {
  let waiting: Promise<T> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = (): Promise<T> => {
    waiting = undefined;
    return job();
  };
  return () => {
    if (waiting === undefined) {
      waiting = last.then(() => new Promise<void>((resolve) => setImmediate(resolve))).then(begin);
      last = waiting.catch(() => undefined);
    }
    return waiting;
  };
};

/** Runs at most one job for a key at a time. Callers that come while it runs share its result. */
export const sharedByKey = <T>(): ((key: string, job: () => Promise<T>) => Promise<T>) => {
  const running = new Map<string, Promise<T>>();
  return (key, job) => {
    let result = running.get(key);
    if (result === undefined) running.set(key, (result = job().finally(() => running.delete(key))));
    return result;
  };
};

/** Runs a job when a caller needs its result. Callers that come while it runs share the result. */
export const sharedWhileRunning = <T>(job: () => Promise<T>): (() => Promise<T>) => {
  const share = sharedByKey<T>();
  return () => share('', job);
};
