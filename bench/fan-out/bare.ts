/** The limit: a loop of `undici.request` over the same endpoints. No store, no order, no retries. */
import { Redis } from 'ioredis';
import { keys } from '../../packages/server/src/store/keys.ts';
import { answerCalls } from '../support/child.ts';
import { createPost, type Keeping, type Post } from './post.ts';

export type BareCalls = typeof calls;

let post: ReturnType<typeof createPost>;

const calls = {
  start: ({ ca, post: one, ...keeping }: { ca: string; post: Post } & Keeping) => {
    post = createPost(ca, one, keeping);
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
  /**
   * Posts every later event of the log to these URLs, one at a time to each: it reads the event, sends the store one
   * command, and posts.
   */
  follow: ({ redisUrl, urls }: { redisUrl: string; urls: string[] }) => {
    const redis = new Redis(redisUrl);
    const asking = new Redis(redisUrl);
    const last = urls.map(() => Promise.resolve());
    const send = async (eventId: string): Promise<void> => {
      await asking.ping();
      for (const [i, url] of urls.entries()) last[i] = (last[i] ?? Promise.resolve()).then(() => post(url, eventId));
    };
    const follow = async (): Promise<never> => {
      let seen = '$';
      for (;;) {
        const [[, entries] = ['', []]] = (await redis.xread('BLOCK', 0, 'STREAMS', keys.events, seen)) ?? [];
        for (const [entryId, fields] of entries) {
          seen = entryId;
          void send(fields[fields.indexOf('id') + 1] ?? '');
        }
      }
    };
    void follow();
  },
  cpuMs: () => process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3,
};

answerCalls(calls);
