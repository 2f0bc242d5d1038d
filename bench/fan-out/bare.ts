/** The limit: a loop of `undici.request` over the same endpoints. No store, no order, no retries. */
import { answerCalls } from '../support/child.ts';
import { createPost, type Post } from './post.ts';

export type BareCalls = typeof calls;

let post: (url: string) => Promise<void>;

const calls = {
  start: (options: { ca: string; post: Post }) => {
    post = createPost(options.ca, options.post);
  },
  /** Posts `times` to every URL, `atOnce` at a time. */
  round: async ({ urls, times, atOnce }: { urls: string[]; times: number; atOnce: number }) => {
    const total = urls.length * times;
    let next = 0;
    const loop = async (): Promise<void> => {
      while (next < total) await post(urls[next++ % urls.length] ?? '');
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
  },
  cpuMs: () => process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3,
};

answerCalls(calls);
