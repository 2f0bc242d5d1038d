import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLimiter, createTurns, sharedByWaiters, sharedWhileRunning } from './limiter.ts';

it('never exceeds its limits of running and waiting jobs, and runs every job that it accepts', async () => {
  const rounds = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 6 });
  const property = async (atOnce: number, waiting: number, jobsOfRounds: readonly number[]): Promise<void> => {
    const limit = createLimiter({ atOnce, waiting });
    let running = 0;
    let most = 0;
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

it('continues after a job fails', async () => {
  const limit = createLimiter({ atOnce: 1, waiting: 1 });
  const failed = limit(() => Promise.reject(new Error('no')));
  const next = limit(() => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const tooLate = (): Error => new Error('too late');

it('lets keys take turns, however many jobs one has, and starts one job of each in a tick', async () => {
  const turns = createTurns({ atOnce: 4, waitMs: 10_000, tooLate });
  const started: string[] = [];
  const job = (name: string) => () => Promise.resolve(void started.push(name));
  const all = Array.from({ length: 100 }, () => turns('a', job('a')));
  all.push(turns('b', job('b')), turns('c', job('c')), turns('b', job('b')));
  for (let i = 1; i <= 7; i += 1) {
    await nextTick();
    expect(started.filter((name) => name === 'a').length).toBeLessThanOrEqual(i);
  }
  await Promise.all(all);
  expect(started.slice(0, 7).join('')).toBe('abcabaa');
  expect(started).toHaveLength(103);
});

it('runs no more jobs at once than its limit, and fails those that wait too long', async () => {
  const turns = createTurns({ atOnce: 2, waitMs: 20, tooLate });
  const ends: (() => void)[] = [];
  const job = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const all = [turns('a', job), turns('a', job), turns('a', job), turns('b', job)];
  const refused = await Promise.allSettled(all.slice(1, 3));
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ends).toHaveLength(2);
  const late = turns('a', () => Promise.reject(new Error('no')));
  for (const end of ends) end();
  await expect(late).rejects.toThrow('no');
  expect(await turns('a', () => Promise.resolve('yes'))).toBe('yes');
});

it('shares one run among the callers that waited when it began, and begins another for the others', async () => {
  let runs = 0;
  let end = (): void => undefined;
  const shared = sharedByWaiters(async () => {
    const run = (runs += 1);
    await new Promise<void>((resolve) => (end = resolve));
    if (run === 2) throw new Error('no');
    return run;
  });
  const first = [shared(), shared()];
  await nextTick();
  await nextTick();
  const second = [shared(), shared()];
  end();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await nextTick();
  await nextTick();
  const third = shared();
  end();
  for (const each of second) await expect(each).rejects.toThrow('no');
  await nextTick();
  await nextTick();
  end();
  expect(await third).toBe(3);
});

it('shares a run, or its failure, among callers that come while it runs, and begins another for the next', async () => {
  let runs = 0;
  const ask = sharedWhileRunning(() => {
    runs += 1;
    return runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve(runs);
  });
  expect((await Promise.allSettled([ask(), ask()])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
});
