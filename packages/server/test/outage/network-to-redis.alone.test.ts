import { expect, it } from 'vitest';
import type { Bot, Post, Problem } from '@bot-directory/contract';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { noPatience, startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { withinTwoSeconds } from '@bot-directory/testing/within';
import { StoreUnreachable } from '../../src/base/failure.ts';
import { createLog } from '../../src/base/log.ts';
import { firstLook } from '../../src/store/admission/admit.ts';
import { openStore } from '../../src/redis/open-store.ts';
import { waitForStore, type Store } from '../../src/redis/redis.ts';

const redis = useStarted(startTestRedis);
const proxy = useStarted(() => startRedisProxy(redis.url));
const service = useStarted(() => startService({ redis: null, settings: { REDIS_URL: proxy.url }, world: noPatience }));

const back = (): Promise<void> =>
  until('the list answers', async () => (await service.get('/api/bots')).status === 200);

it('recovers from a connection through which nothing passes any longer, though it never breaks', async () => {
  await service.publish('Before');
  await proxy.freeze();
  const list = await withinTwoSeconds(() => service.get<Problem>('/api/bots'));
  expect([list.status, list.body.code]).toEqual([500, 'directory_unavailable']);
  await back();
  expect(await service.publish('After')).toBe('after');
  expect((await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name)).toEqual(['After', 'Before']);
});

it('answers in time on a new connection to a Redis that is far away, too', async () => {
  // Opening a connection takes longer than a command may.
  await proxy.slowDown({ latencyMs: 450 });
  await proxy.cut();
  await until('the list answers', async () => {
    const { status } = await withinTwoSeconds(() => service.get('/api/bots'));
    return status === 200;
  });
  await proxy.slowDown({});
});

it('says that it does not know when a reply is lost, and does the write once', async () => {
  // The script is known to Redis from here on, so that its next run is one command.
  await service.post('/api/feed', { url: 'https://x.com/jo/status/1' });
  const url = 'https://x.com/jo/status/2';
  await proxy.loseReplyTo(url);
  const lost = await service.post<Problem>('/api/feed', { url });
  expect([lost.status, lost.body.code]).toEqual([503, 'store_unavailable']);
  await back();
  const again = await service.post<Problem>('/api/feed', { url });
  expect([again.status, again.body.code]).toEqual([409, 'post_exists']);
  const posts = (await service.get<Post[]>('/api/feed')).body.filter((post) => post.url === url);
  expect(posts.map(({ id }) => id)).toEqual([again.body.id]);
});

const openedStore = async (url = proxy.url): Promise<Store> => {
  const store = openStore([url], createLog('silent'));
  expect(await waitForStore(store, 5_000)).toBe(true);
  return store;
};

it('ends a connection that hangs once, however many commands wait on it', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  const store = await openedStore();
  await proxy.freeze();
  expect(await Promise.all(Array.from({ length: 20 }, () => store.ping()))).not.toContain(true);
  await until('the store answers', () => store.ping());
  await store.close();
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

it('ends no connection for a command that was lost with the one before', async () => {
  const store = await openedStore();
  await proxy.loseReplyTo('lost-key');
  const lost = store.call((redis) => redis.get('lost-key')).catch((error: unknown) => error);
  const ends: unknown[] = [];
  void lost.then((error) => ends.push(error));
  await until('the store answers', () => store.ping());
  // One of them is under way when the lost one has waited for long enough.
  while (ends.length === 0) expect(await store.call((redis) => redis.blpop('nothing-comes', 0.2))).toBeNull();
  expect(await lost).toBeInstanceOf(StoreUnreachable);
  await store.close();
});

it('gives up a new connection that never answers', async () => {
  const store = await openedStore();
  await proxy.silenceNext(2);
  await proxy.freeze();
  expect(await store.ping()).toBe(false);
  await until('the store answers', () => store.ping());
  await store.close();
});

it('keeps a healthy connection through a stall of our own event loop', async () => {
  // Not through the proxy: it would stall with us.
  const store = await openedStore(redis.url);
  const before = store.connection();
  const pending = store.call((redis) => redis.get('nothing'));
  const end = performance.now() + 1_000;
  while (performance.now() < end);
  expect(await pending).toBeNull();
  expect(store.connection()).toBe(before);
  await store.close();
});

it('starts although the store is lost between its first two commands, and serves when it is back', async () => {
  const store = await openedStore();
  // HMGET of the model, with which the check of a store begins.
  await proxy.loseReplyTo('model');
  expect(await firstLook(store, { forMs: 5_000 })).toBe(false);
  await until('the store answers', () => store.ping());
  expect(await firstLook(store, { forMs: 5_000 })).toBe(true);
  await store.close();
});
