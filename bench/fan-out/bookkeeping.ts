/**
 * Webhooks per second when sending costs nothing: what the queue itself can do, ours and BullMQ's on the same Redis.
 */
import { nowMs } from '../support/statistics.ts';
import { manyOrigins } from './endpoints.ts';
import type { Fixture } from './fixture.ts';

export type Bookkeeping = { readonly ours: readonly number[]; readonly bullmq: readonly number[] };

const webhooks = 5_000;
const events = 4;
const rounds = 7;
/** The concurrency that BullMQ is quickest with when its jobs do nothing. */
const jobsAtOnce = 100;

/** Measures deliveries per second in each round, from the publish or the first job until all are saved. */
export const measureBookkeeping = async (fixture: Fixture): Promise<Bookkeeping> => {
  const { directory } = fixture;
  const targets = manyOrigins(fixture.port, webhooks);
  const urls = targets.map(({ url }) => url);
  const [worker, jobs] = await Promise.all([fixture.startWorker('none'), fixture.startJobs(jobsAtOnce)]);
  await directory.register(targets);
  const samples: { ours: number[]; bullmq: number[] } = { ours: [], bullmq: [] };
  for (let round = -1; round < rounds; round++) {
    const ours = await perSec(webhooks * events, async () => {
      const last = worker.call('expect', webhooks * events);
      for (let i = 0; i < events; i++) await directory.publish();
      await last;
      await directory.settled();
    });
    const bullmq = await perSec(webhooks, async () => {
      const last = jobs.call('expect', webhooks);
      await fixture.addJobs(urls, round);
      await last;
    });
    if (round < 0) continue;
    samples.ours.push(ours);
    samples.bullmq.push(bullmq);
  }
  await directory.unregister(targets);
  await Promise.all([worker.stop(), jobs.stop()]);
  return samples;
};

const perSec = async (count: number, run: () => Promise<void>): Promise<number> => {
  const startedAtMs = nowMs();
  await run();
  return (count / (nowMs() - startedAtMs)) * 1e3;
};
