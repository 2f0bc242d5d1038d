import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createIds } from '../base/ids.ts';
import { until } from '../../test/support/until.ts';
import { startTestRedis, type TestRedis } from '../../test/support/redis.ts';
import { openTestStore } from '../../test/support/store.ts';
import { Directory } from './directory.ts';
import { createPostStore } from './post-store.ts';
import { arrayPiece } from './selected.ts';
import type { Store } from './redis.ts';

let redis: TestRedis;
let store: Store;
beforeAll(async () => {
  redis = await startTestRedis();
  store = await openTestStore(redis.url);
});
afterAll(async () => {
  await store.close();
  await redis.stop();
});

let checks = 0;
let beforeAnswer: () => Promise<void>;
/** The store, whose answers can be held up or lost on their way. */
const slowStore = (): Store => ({
  ...store,
  script: async (...command) => {
    const answer = await store.script(...command);
    checks += 1;
    await beforeAnswer();
    return answer;
  },
});
beforeEach(() => {
  checks = 0;
  beforeAnswer = () => Promise.resolve();
});

const ids = createIds(Date.now);
const addPost = (statusId: string) =>
  createPostStore(store).add({ id: ids.post(), statusId, url: `https://x.com/jo/status/${statusId}` });
const createDirectory = () => new Directory({ store: slowStore(), baseUrl: 'http://localhost' });

const postsOf = ({ posts }: Directory): string =>
  arrayPiece(posts.page({ limit: 100, after: undefined }), 0, 100).toString();

it('does not take a check that was answered before a write for one that saw it', async () => {
  const directory = createDirectory();
  await directory.fresh();
  const idle = (): void => undefined;
  let release = idle;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  beforeAnswer = () => released;
  const early = directory.fresh();
  await until('the check is answered', () => checks === 2);
  await addPost('1');
  const late = directory.fresh();
  release();
  await early;
  await late;
  expect(postsOf(directory)).toContain('https://x.com/jo/status/1');
});

it('asks once for all requests of one tick', async () => {
  const directory = createDirectory();
  await directory.fresh();
  checks = 0;
  await Promise.all(Array.from({ length: 500 }, () => directory.fresh()));
  expect(checks).toBe(1);
});

it('asks again after a check that failed', async () => {
  const directory = createDirectory();
  beforeAnswer = () => Promise.reject(new Error('lost'));
  const [first, second] = await Promise.allSettled([directory.fresh(), directory.fresh()]);
  expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
  beforeAnswer = () => Promise.resolve();
  await addPost('2');
  await directory.fresh();
  expect(postsOf(directory)).toContain('/status/2');
});

it('sends the next check before it answers those of the last, and answers nobody by one that was under way', async () => {
  const order: string[] = [];
  const idle = (): void => undefined;
  let release = idle;
  const recording: Store = {
    ...store,
    script: async (...command) => {
      order.push('check');
      const answer = await store.script(...command);
      if (order.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return answer;
    },
  };
  const directory = new Directory({ store: recording, baseUrl: 'http://localhost' });
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

it('makes a search wait until the words are indexed', async () => {
  const directory = createDirectory();
  await directory.freshToSearch();
  const { bots } = directory;
  bots.index.deferWords();
  const facts = { author: null, source_url: null, categories: [], integrations: [], install_count: 0, created_at: '' };
  for (let seq = 1; seq <= 5_000; seq += 1) {
    const name = `bot-${seq}`;
    bots.putBot(
      { ...facts, id: name, slug: name, name, url: '', description: 'Sorts mail' },
      { id: name, seq, version: seq, changedAtMs: 0 },
    );
  }
  bots.indexWords();
  expect(bots.searchable).toBeInstanceOf(Promise);
  await directory.freshToSearch();
  expect(bots.searchable).toBeUndefined();
});
