/** Both stores by one table: the memory one, and the Redis one with each client on a real Redis. */
import { Redis as IoRedis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../../../scripts/redis.mjs';
import { memoryDedupe } from './dedupe.ts';
import { redisDedupe } from './redis.ts';

const redis = await startRedis();
const ioredis = new IoRedis(redis.url);
const nodeRedis = await createClient({ url: redis.url }).connect();

/** A cluster of one node. */
const clustered = await startRedis({ settings: { 'cluster-enabled': 'yes' } });
const node = new IoRedis(clustered.url);
await node.cluster('ADDSLOTSRANGE', 0, 16_383);
await vi.waitUntil(async () => (await node.cluster('INFO')).includes('cluster_state:ok'), 10_000);
node.disconnect();
const nodeCluster = await createCluster({ rootNodes: [{ url: clustered.url }] }).connect();

afterAll(async () => {
  nodeCluster.destroy();
  await clustered.stop();
  ioredis.disconnect();
  nodeRedis.destroy();
  await redis.stop();
});

let count = 0;
const attempts = () => {
  const id = `evt_${count++}`;
  return [
    { id, token: 'a' },
    { id, token: 'b' },
  ] as const;
};
const [leaseMs, ttlMs] = [60_000, 60_000];

describe.each([
  ['memory', memoryDedupe()],
  ['ioredis', redisDedupe(ioredis, { prefix: 'io:' })],
  ['redis', redisDedupe(nodeRedis)],
  ['a cluster of redis', redisDedupe(nodeCluster)],
])('%s', (_, store) => {
  it('lets one attempt begin', async () => {
    const [a, b] = attempts();
    expect(await Promise.all([store.begin(a, leaseMs), store.begin(b, leaseMs), store.begin(b, leaseMs)])).toEqual([
      'new',
      'pending',
      'pending',
    ]);
  });

  it('remembers what is done', async () => {
    const [a, b] = attempts();
    await store.begin(a, leaseMs);
    await store.commit(a, ttlMs);
    await store.rollback(a);
    expect(await store.begin(b, leaseMs)).toBe('done');
  });

  it('lets another attempt begin after a rollback', async () => {
    const [a, b] = attempts();
    await store.begin(a, leaseMs);
    await store.rollback(a);
    expect(await store.begin(b, leaseMs)).toBe('new');
  });

  it('lets another attempt begin when the lease is over, and keeps the late one from ending it', async () => {
    const [a, b] = attempts();
    await store.begin(a, 20);
    await expect.poll(() => store.begin(b, leaseMs)).toBe('new');
    await store.rollback(a);
    expect(await store.begin(a, leaseMs)).toBe('pending');
    await store.commit(a, ttlMs);
    await store.rollback(b);
    expect(await store.begin(b, leaseMs)).toBe('done');
  });

  it('forgets what is done after its time', async () => {
    const [a] = attempts();
    await store.begin(a, leaseMs);
    await store.commit(a, 20);
    await expect.poll(() => store.begin(a, leaseMs)).toBe('new');
  });
});

it('uses the given prefix', async () => {
  await redisDedupe(ioredis, { prefix: 'hooks:' }).commit({ id: 'evt_x', token: 'a' }, ttlMs);
  expect(await ioredis.get('hooks:evt_x')).toBe('done');
  expect(await ioredis.pttl('hooks:evt_x')).toBeGreaterThan(ttlMs - 10_000);
});

it('in memory keeps so many and no more, the newest', () => {
  const store = memoryDedupe();
  for (let id = 0; id <= 100_000; id++) store.commit({ id: `${id}`, token: 'a' }, ttlMs);
  const begin = (id: string) => store.begin({ id, token: 'b' }, leaseMs);
  expect([begin('1'), begin('100000'), begin('0')]).toEqual(['done', 'done', 'new']);
});
