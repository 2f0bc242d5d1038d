/**
 * A node of a Cluster that dies or falls silent: the store is away until the node is back, or until its replica takes
 * its place, without a restart.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startCluster, type ClusterNode } from '@bot-directory/testing/cluster';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { untilReplicated } from '@bot-directory/testing/replication';
import { noPatience, startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { withinTwoSeconds } from '@bot-directory/testing/within';
import { createLog } from '../../src/base/log.ts';
import { keys } from '../../src/store/keys.ts';
import { openStore } from '../../src/redis/open-store.ts';

useStarted(() => startNames(() => ['127.0.0.1']));
const cluster = useStarted(() => startCluster({ withReplicas: true }));

const isPrimary = async ({ client }: ClusterNode): Promise<boolean> =>
  (await client.info('replication')).includes('role:master');

/** The node of the directory that serves it now, and the one that follows that. */
const pair = async (): Promise<{ readonly primary: ClusterNode; readonly replica: ClusterNode }> => {
  const first = await cluster.nodeOf(keys.state);
  const second = await cluster.replicaOf(keys.state);
  if (first === undefined || second === undefined) throw new Error('nobody serves the directory');
  return (await isPrimary(first)) ? { primary: first, replica: second } : { primary: second, replica: first };
};

describe('without a replica that may take its place', () => {
  const service = useStarted(() =>
    startService({ redis: null, settings: { REDIS_URL: cluster.url }, world: noPatience }),
  );
  let node: ClusterNode;
  let replica: ClusterNode;
  beforeAll(async () => {
    ({ primary: node, replica } = await pair());
    await replica.client.config('SET', 'cluster-replica-no-failover', 'yes');
  });
  afterAll(() => replica.client.config('SET', 'cluster-replica-no-failover', 'no'));
  const statusUrl = 'https://x.com/jo/status/1';

  it('answers 500 and 503 while the node of the directory is dead, and recovers by itself with nothing lost', async () => {
    await service.publish('Before');
    await node.kill();
    for (let i = 0; i < 2; i += 1) {
      const list = await withinTwoSeconds(() => service.get<Problem>('/api/bots'));
      const write = await withinTwoSeconds(() => service.post<Problem>('/api/feed', { url: statusUrl }));
      expect([list.status, list.body.code, write.status, write.body.code]).toEqual([
        500,
        'directory_unavailable',
        503,
        'store_unavailable',
      ]);
    }
    expect((await service.post('/api/feed', { url: 'x' })).status).toBe(400);
    await node.restart();
    await until('the list answers', async () => (await service.get('/api/bots')).status === 200);
    await until('writes are taken', async () => (await service.post('/api/feed', { url: statusUrl })).status !== 503);
    expect((await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name)).toEqual(['Before']);
  });

  it('reports the store as away while that node is silent, and answers when it speaks again', async () => {
    process.kill(node.pid(), 'SIGSTOP');
    for (let i = 0; i < 3; i += 1) {
      expect((await withinTwoSeconds(() => service.get('/api/bots'))).status).toBe(500);
      expect((await withinTwoSeconds(() => service.get('/healthz/store'))).status).toBe(503);
    }
    process.kill(node.pid(), 'SIGCONT');
    await until('the store is back', async () => (await service.get('/healthz/store')).status === 200);
    expect((await service.get('/api/bots')).status).toBe(200);
  });
});

/** Opens a store, waits until the node of the directory answers, and closes it. */
const useStore = async (urls: readonly string[]): Promise<void> => {
  const store = openStore(urls, createLog('silent'));
  const answers = () =>
    store
      .call((redis) => redis.hlen(keys.state))
      .then(
        () => true,
        () => false,
      );
  try {
    await until('the store answers', answers, 30_000);
  } finally {
    await store.close();
  }
};

/** A label of more than 63 characters: no name server is asked for it. */
const unresolvable = `redis://${'x'.repeat(64)}.test:6379`;

it('needs no more than one seed whose name can be resolved', () => useStore([unresolvable, ...cluster.url.split(',')]));

/** Stops the node of the directory until the function has ended. */
const whileSilent = async <T>({ primary }: Awaited<ReturnType<typeof pair>>, run: () => Promise<T>): Promise<T> => {
  await untilReplicated(primary.client);
  process.kill(primary.pid(), 'SIGSTOP');
  return run().finally(() => process.kill(primary.pid(), 'SIGCONT'));
};
const untilFollows = (node: ClusterNode): Promise<void> =>
  until('it is a replica', async () => !(await isPrimary(node)));

// A connection picks the first node that it asks at random, so several are opened.
it('is connected to while a node is silent, as soon as the replica of that node is promoted', async () => {
  const nodes = await pair();
  await whileSilent(nodes, () => Promise.all(Array.from({ length: 16 }, () => useStore(cluster.url.split(',')))));
  await untilFollows(nodes.primary);
});

it('goes on with the replica of a node that is silent, and reports the store as away until then', async () => {
  const nodes = await pair();
  const settings = { REDIS_URL: cluster.url, REDIS_KEY_PREFIX: 'two:' };
  const test = await startDelivery({ redis: null, settings, world: noPatience });
  onTestFinished(() => test.stop());
  const names = async (): Promise<string[]> => (await test.get<Bot[]>('/api/bots')).body.map(({ name }) => name);
  const storeState = async (): Promise<number> => (await test.get('/healthz/store')).status;
  // They are in several partitions.
  const urls = Array.from({ length: 8 }, (_, i) => `https://w${i}.hooks.example.com:${test.receiver.port}/${i}`);
  for (const [i, url] of urls.entries()) {
    const events = i % 2 === 0 ? null : ['bot.created', 'bot.removed'];
    // On a busy machine the store may be late. If it took the write all the same, the next response is a 409.
    const isRegistered = async (): Promise<boolean> =>
      [200, 409].includes((await test.post('/api/webhooks/bots', { url, events })).status);
    await until('it is registered', isRegistered);
  }
  const slugs = [await test.publish('Before')];
  const haveAll = (): boolean => urls.every((_, i) => test.slugs(`/${i}`).length >= slugs.length);
  await whileSilent(nodes, async () => {
    expect(await storeState()).toBe(503);
    await until('the list is answered', async () => (await test.get('/api/bots')).status === 200);
    expect([await storeState(), await names()]).toEqual([200, ['Before']]);
    slugs.push(await test.publish('After'));
    await until('all have both', haveAll);
  });
  // It wakes, still believes that it is the master, and learns that it no longer is.
  await untilFollows(nodes.primary);
  slugs.push(await test.publish('After it woke'));
  await until('all have it', haveAll);
  for (const [i] of urls.entries()) expect(test.slugs(`/${i}`)).toEqual(slugs);
  expect(await names()).toEqual(['After it woke', 'After', 'Before']);
});
