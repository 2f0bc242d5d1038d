import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';

it('never lets more jobs run or wait than it may, and runs every job that it takes', async () => {
  const rounds = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 6 });
  const property = async (atOnce: number, waiting: number, jobsOfRounds: readonly number[]): Promise<void> => {
    const limit = createLimiter({ atOnce, waiting });
    let [running, most] = [0, 0];
    const job = async (): Promise<void> => {
      most = Math.max(most, (running += 1));
      await Promise.resolve();
      running -= 1;
    };
    for (const jobs of jobsOfRounds) {
      const taken = Array.from({ length: jobs }, () => limit(job)).filter((done) => done !== undefined);
      expect(taken).toHaveLength(Math.min(jobs, atOnce + waiting));
      await Promise.all(taken);
    }
    expect(most).toBe(Math.min(Math.max(...jobsOfRounds), atOnce));
  };
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }), rounds, property));
});

it('goes on after a job that fails', async () => {
  const limit = createLimiter({ atOnce: 1, waiting: 1 });
  const failed = limit(() => Promise.reject(new Error('no')));
  const next = limit(() => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
