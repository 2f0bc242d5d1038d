import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds } from '../../base/ids.ts';
import { createDeliveries } from './deliveries.ts';
import { partitionOf } from '../keys.ts';
import type { Store } from '../../redis/redis.ts';

/** More than Lua's `unpack` can give to one command. */
const count = 9_000;
const partition = partitionOf('hooks.example.com');
const { cursor, leased, waiting, yielded } = partition;

let store: Store;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url);
});
beforeEach(() => store.call((client) => client.flushall()));
afterAll(async () => {
  await store.close();
});

it.each(
  Object.entries({
    behind: cursor,
    'whose lease expired': leased,
    'whose wait ended': waiting,
    'that yielded': yielded,
  }),
)(`a claim leases ${count} webhooks at once %s, and again when it had no reply`, async (_state, key) => {
  const { webhook } = createIds(Date.now);
  const ids = Array.from({ length: count }, webhook);
  await store.call(async (client) => {
    await client.zadd(key, ...ids.flatMap((id) => [1, id]));
    await client.hset(partition.targets, ...ids.flatMap((id) => [id, `https://hooks.example.com/${id}`]));
    if (key !== cursor) await client.hset(partition.taken, ...ids.flatMap((id) => [id, '1']));
  });
  const { claim } = createDeliveries(store, { leaseMs: 1_000_000, steadyMs: () => 0 });
  const request = { head: 2, most: count, mostBacklog: count, token: 'token' };
  for (const isRepeated of [false, true]) {
    const { leases } = await claim(partition, { ...request, isRepeated });
    const found = new Map(leases.map(({ id, url, progress }) => [id, [url, progress.cursor]]));
    expect(found).toEqual(new Map(ids.map((id) => [id, [`https://hooks.example.com/${id}`, 1]])));
  }
});
