/** Both stores by one table: the memory one, and the Redis one with each client on a real Redis. */
import { Redis as IoRedis } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../scripts/port.mjs';
import { startRedis } from '../../../scripts/redis.mjs';
import { startSentinels } from '@bot-directory/testing/sentinel';
import { memoryDedupe } from './dedupe.ts';
import { redisDedupe } from './redis.ts';

const redis = await startRedis();
const ioredis = new IoRedis(redis.url);
const nodeRedis = await createClient({ url: redis.url }).connect();

/** A cluster of one node. */
const clustered = await startRedis({
  settings: { 'cluster-enabled': 'yes', 'cluster-port': String(await freePort()) },
});
const node = new IoRedis(clustered.url);
await node.cluster('ADDSLOTSRANGE', 0, 16_383);
await vi.waitUntil(async () => (await node.cluster('INFO')).includes('cluster_state:ok'), 10_000);
node.disconnect();
const nodeCluster = await createCluster({ rootNodes: [{ url: clustered.url }] }).connect();

const sentinels = await startSentinels({ servers: 1 });
const nodeSentinel = await createSentinel({
  name: 'directory',
  sentinelRootNodes: sentinels.sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
}).connect();
const pool = createClientPool({ url: redis.url });
await pool.connect();

afterAll(async () => {
  pool.destroy();
  await nodeSentinel.destroy();
  await sentinels.stop();
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
const leaseMs = 60_000;
const ttlMs = 60_000;

describe.each([
  ['memory', memoryDedupe()],
  ['ioredis', redisDedupe(ioredis, { prefix: 'io:' })],
  ['redis', redisDedupe(nodeRedis)],
  ['a cluster of redis', redisDedupe(nodeCluster)],
  ['a Sentinel of redis', redisDedupe(nodeSentinel)],
  ['a pool of redis', redisDedupe(pool, { prefix: 'pool:' })],
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

describe('a client that cannot be used is named at the start', () => {
  it.each<[string, unknown]>([
    ['none', undefined],
    ['one of another kind', { get: () => 'x', set: () => 'x', eval: () => 'x' }],
    ['one that takes callbacks, as redis 3 and the legacy mode of later versions', nodeRedis.legacy()],
  ])('%s', (_, client) => {
    expect(() => redisDedupe(client as never)).toThrow(
      /^redisDedupe takes a client of ioredis, or of redis 4 or newer; wrap any other as/,
    );
  });

  it('and one that returns nothing never counts as a lease', async () => {
    const [attempt] = attempts();
    const store = redisDedupe({ sendCommand: () => Promise.resolve(undefined) });
    await expect(store.begin(attempt, leaseMs)).rejects.toThrow('the client answered SET with undefined');
  });
});

it('uses the given prefix', async () => {
  await redisDedupe(ioredis, { prefix: 'hooks:' }).commit({ id: 'evt_x', token: 'a' }, ttlMs);
  expect(await ioredis.get('hooks:evt_x')).toBe('done');
  expect(await ioredis.pttl('hooks:evt_x')).toBeGreaterThan(ttlMs - 10_000);
});

it('in memory keeps a bounded number, the newest', () => {
  const store = memoryDedupe();
  for (let id = 0; id <= 100_000; id++) store.commit({ id: `${id}`, token: 'a' }, ttlMs);
  const begin = (id: string) => store.begin({ id, token: 'b' }, leaseMs);
  expect([begin('1'), begin('100000'), begin('0')]).toEqual(['done', 'done', 'new']);
});
