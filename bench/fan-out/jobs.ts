/** The peer: BullMQ, one job per delivery. */
import { Worker } from 'bullmq';
import { answerCalls } from '../support/child.ts';
import { createPost, type Post } from './post.ts';

export type JobCalls = typeof calls;

/** The data of a job: the least that a job per delivery needs. */
export type DeliveryJob = { readonly url: string; readonly event: number };

export const queueName = 'deliveries';

let workers: Worker<DeliveryJob>[] = [];
let done = 0;
let expected: { count: number; resolve: () => void } | undefined;

const calls = {
  /** Starts a worker. Without `post` its jobs do nothing. */
  start: ({
    redis,
    concurrency,
    post,
  }: {
    redis: { host: string; port: number };
    concurrency: number;
    post?: { ca: string; post: Post };
  }) => {
    const send = post === undefined ? undefined : createPost(post.ca, post.post);
    const worker = new Worker<DeliveryJob>(queueName, async ({ data }) => send?.(data.url), {
      connection: { ...redis, maxRetriesPerRequest: null },
      concurrency,
    });
    worker.on('completed', () => {
      if ((done += 1) === expected?.count) expected.resolve();
    });
    workers.push(worker);
    return worker.waitUntilReady().then(() => undefined);
  },
  /** Waits until `count` more jobs are completed. */
  expect: (count: number) => {
    done = 0;
    return new Promise<void>((resolve) => (expected = { count, resolve }));
  },
  close: async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
  },
  cpuMs: () => process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3,
};

answerCalls(calls);
