import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds } from '../base/ids.ts';
import { Directory } from './directory.ts';
import { createPostStore } from '../store/posts/post-store.ts';
import type { Store } from '../redis/redis.ts';

let store: Store;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url);
});
afterAll(async () => {
  await store.close();
});

let checks = 0;
let beforeReply: () => Promise<void>;
/** The store, whose replies can be held up or lost on their way. */
const slowStore = (): Store => ({
  ...store,
  script: async (...command) => {
    const reply = await store.script(...command);
    checks += 1;
    await beforeReply();
    return reply;
  },
});
beforeEach(() => {
  checks = 0;
  beforeReply = () => Promise.resolve();
});

const ids = createIds(Date.now);
const addPost = (statusId: string) =>
  createPostStore(store).add({ id: ids.post(), statusId, url: `https://x.com/jo/status/${statusId}` }, 0);
const createDirectory = () => new Directory({ store: slowStore(), form: { baseUrl: 'http://localhost' } });

const postsOf = ({ posts }: Directory): string => Buffer.concat(posts.segments.pieces()).toString();

it('does not count a check whose reply came before a write as one that saw it', async () => {
  const directory = createDirectory();
  await directory.fresh();
  const idle = (): void => undefined;
  let release = idle;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  beforeReply = () => released;
  const early = directory.fresh();
  await until('the check is replied to', () => checks === 2);
  await addPost('1');
  const late = directory.fresh();
  release();
  await early;
  await late;
  expect(postsOf(directory)).toContain('https://x.com/jo/status/1');
});

it('sends one check for all requests of one tick', async () => {
  const directory = createDirectory();
  await directory.fresh();
  checks = 0;
  await Promise.all(Array.from({ length: 500 }, () => directory.fresh()));
  expect(checks).toBe(1);
});

it('sends another check after one that failed', async () => {
  const directory = createDirectory();
  beforeReply = () => Promise.reject(new Error('lost'));
  const [first, second] = await Promise.allSettled([directory.fresh(), directory.fresh()]);
  expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
  beforeReply = () => Promise.resolve();
  await addPost('2');
  await directory.fresh();
  expect(postsOf(directory)).toContain('/status/2');
});

it('sends the next check before it serves the callers of the last, and serves none by an earlier check', async () => {
  const order: string[] = [];
  const idle = (): void => undefined;
  let release = idle;
  const recording: Store = {
    ...store,
    script: async (...command) => {
      order.push('check');
      const reply = await store.script(...command);
      if (order.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return reply;
    },
  };
  const directory = new Directory({ store: recording, form: { baseUrl: 'http://localhost' } });
  order.push('start');
  await directory.fresh();
  order.length = 0;
  const first = directory.fresh().then(() => order.push('first'));
  await until('the check is under way', () => order.length === 1);
  const second = directory.fresh().then(() => order.push('second'));
  await until('its reply is held', () => release !== idle);
  release();
  await Promise.all([first, second]);
  expect(order).toEqual(['check', 'check', 'first', 'second']);
});
