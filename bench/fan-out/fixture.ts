/**
 * What every measurement of the fan-out needs: a Redis of its own, the receivers, and the contenders in processes of
 * their own.
 */
import { Queue } from 'bullmq';
import { startRedis } from '../../scripts/redis.mjs';
import { startChild, type Calls, type Child } from '../support/child.ts';
import { openDirectory } from '../support/directory.ts';
import type { BareCalls } from './bare.ts';
import { queueName, type DeliveryJob, type JobCalls } from './jobs.ts';
import type { Keeping, Post } from './post.ts';
import type { ReceiverCalls } from './receivers.ts';
import type { WorkerCalls } from './worker.ts';

export type Fixture = Awaited<ReturnType<typeof startFixture>>;

/** Jobs in one bulk command: BullMQ is quickest with some thousand. */
const bulk = 1_000;

/** Starts Redis and the receivers; each measurement starts its own contenders. */
export const startFixture = async () => {
  const redis = await startRedis({ persist: true });
  const directory = openDirectory(redis.url);
  const children: { stop(): Promise<void> }[] = [];
  const start = <C extends Calls>(name: string): Child<C> => {
    const child = startChild<C>(new URL(`./${name}.ts`, import.meta.url));
    children.push(child);
    return child;
  };
  const receivers = start<ReceiverCalls>('receivers');
  const { port, ca } = await receivers.call('start', undefined);
  const connection = { host: '127.0.0.1', port: Number(new URL(redis.url).port) };
  const queue = new Queue<DeliveryJob>(queueName, { connection });

  return {
    redis,
    directory,
    receivers,
    port,
    ca,
    queue,
    startWorker: async (
      transport: 'https' | 'none',
      settings: Record<string, string> = {},
    ): Promise<Child<WorkerCalls>> => {
      const worker = start<WorkerCalls>('worker');
      await worker.call('start', {
        settings: { REDIS_URL: redis.url, ...settings },
        ...(transport === 'https' ? { ca } : {}),
      });
      return worker;
    },
    startBare: async (post: Post, keeping: Keeping = {}): Promise<Child<BareCalls>> => {
      const bare = start<BareCalls>('bare');
      await bare.call('start', { ca, post, ...keeping });
      return bare;
    },
    startJobs: async (concurrency: number, post?: Post): Promise<Child<JobCalls>> => {
      const jobs = start<JobCalls>('jobs');
      await jobs.call('start', {
        redis: connection,
        concurrency,
        ...(post === undefined ? {} : { post: { ca, post } }),
      });
      return jobs;
    },
    ...jobsOf(queue),
    stop: async (): Promise<void> => {
      await queue.close();
      await Promise.all(children.map((child) => child.stop()));
      await directory.close();
      await redis.stop();
    },
  };
};

/** The contender's jobs. */
const jobsOf = (queue: Queue<DeliveryJob>) => ({
  /**
   * Adds one job per delivery, with what an application needs: ten attempts, kept until it succeeds, then removed.
   */
  addJobs: async (urls: readonly string[], event: number): Promise<void> => {
    const opts = { attempts: 10, backoff: { type: 'exponential', delay: 5_000 }, removeOnComplete: true };
    for (let i = 0; i < urls.length; i += bulk) {
      await queue.addBulk(urls.slice(i, i + bulk).map((url) => ({ name: 'deliver', data: { url, event }, opts })));
    }
  },
  /** Waits until no job is left. */
  jobsDone: async (): Promise<void> => {
    while ((await queue.getJobCountByTypes('wait', 'active', 'delayed')) > 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
  },
});
