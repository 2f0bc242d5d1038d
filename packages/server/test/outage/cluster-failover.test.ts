/** A node of a cluster falls silent or dies, and its replica takes its place: without a restart, and with nothing lost where writes wait for replicas. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { keys } from '../../src/store/keys.ts';
import { startCluster, type ClusterNode, type TestCluster } from '../support/cluster.ts';
import { startDelivery, type DeliveryTest } from '../support/delivery.ts';
import { until } from '../support/until.ts';

let cluster: TestCluster;
let test: DeliveryTest;
let master: ClusterNode;
let replica: ClusterNode;
beforeEach(async () => {
  cluster = await startCluster({ withReplicas: true });
  const [of, by] = [await cluster.nodeOf(keys.state), await cluster.replicaOf(keys.state)];
  if (of === undefined || by === undefined) throw new Error('there is no such node');
  [master, replica] = [of, by];
}, 60_000);
afterEach(async () => {
  await test.stop();
  await cluster.stop();
});

const start = async (settings: Record<string, string> = {}): Promise<void> => {
  const resolve = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
  test = await startDelivery({ redis: null, settings: { ...settings, REDIS_URL: cluster.url }, world: { resolve } });
};
const names = async (): Promise<string[]> => (await test.get<Bot[]>('/api/bots')).body.map(({ name }) => name);
const isListed = async (): Promise<boolean> => (await test.get('/api/bots')).status === 200;
const readiness = async (): Promise<number> => (await test.get('/readyz')).status;
const post = (id: number) => test.post<Problem>('/api/feed', { url: `https://x.com/jo/status/${id}` });

it('goes on with the replica of a node that is silent, and is not ready until then', async () => {
  await start();
  // Of several partitions.
  const urls = Array.from({ length: 8 }, (_, i) => `https://w${i}.hooks.example.com:${test.receiver.port}/${i}`);
  for (const url of urls) expect((await test.post('/api/webhooks/bots', { url })).status).toBe(200);
  const slugs = [await test.publish('Before')];
  await until('the replica has it', async () => (await master.client.wait(1, 1_000)) === 1);
  process.kill(master.pid(), 'SIGSTOP');
  expect(await readiness()).toBe(503);
  await until('the list is answered', isListed);
  expect([await readiness(), await names()]).toEqual([200, ['Before']]);
  slugs.push(await test.publish('After'));
  const haveAll = (): boolean => urls.every((_, i) => test.slugs(`/${i}`).length >= slugs.length);
  await until('all have both', haveAll);
  // It wakes, still takes itself for the master, and is told that it no longer is.
  process.kill(master.pid(), 'SIGCONT');
  await until('it is a replica', async () => (await master.client.info('replication')).includes('role:slave'));
  slugs.push(await test.publish('After it woke'));
  await until('all have it', haveAll);
  for (const [i] of urls.entries()) expect(test.slugs(`/${i}`)).toEqual(slugs);
  expect(await names()).toEqual(['After it woke', 'After', 'Before']);
}, 60_000);

it('acknowledges with WRITE_REPLICAS what survives a failover at once after it, and nothing that no replica has', async () => {
  await start({ WRITE_REPLICAS: '1' });
  await test.register();
  expect((await post(1)).status).toBe(200);
  process.kill(replica.pid(), 'SIGSTOP');
  const [refused, list] = await Promise.all([post(2), test.get('/api/bots')]);
  expect([refused.status, refused.body.code, list.status]).toEqual([503, 'store_unavailable', 200]);
  process.kill(replica.pid(), 'SIGCONT');
  await until('the replica takes writes again', async () => (await post(3)).status === 200);
  // It was in the master all the time: trying again finds it.
  expect((await post(2)).status).toBe(409);

  const slugs = await Promise.all(Array.from({ length: 20 }, (_, i) => test.publish(`Kept ${i}`)));
  await master.kill();
  await replica.client.cluster('FAILOVER', 'TAKEOVER');
  await until('the list is answered', isListed);
  expect((await test.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug).sort()).toEqual(slugs.sort());
  await until('all are delivered', () => new Set(test.slugs()).size === slugs.length);
  // The new master has no replica.
  expect((await post(4)).status).toBe(503);
}, 60_000);
