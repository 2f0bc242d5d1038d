/** A node of a cluster falls silent, and its replica takes its place: without a restart. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startCluster, type ClusterNode, type TestCluster } from '@bot-directory/testing/cluster';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { untilReplicated } from '@bot-directory/testing/replication';
import { noPatience } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { keys } from '../../src/store/keys.ts';

let cluster: TestCluster;
let test: DeliveryTest;
let master: ClusterNode;
beforeEach(async () => {
  cluster = await startCluster({ withReplicas: true });
  const node = await cluster.nodeOf(keys.state);
  if (node === undefined) throw new Error('nobody serves the directory');
  master = node;
  const resolve = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
  test = await startDelivery({ redis: null, settings: { REDIS_URL: cluster.url }, world: { ...noPatience, resolve } });
});
afterEach(async () => {
  await test.stop();
  await cluster.stop();
});

const names = async (): Promise<string[]> => (await test.get<Bot[]>('/api/bots')).body.map(({ name }) => name);
const isListed = async (): Promise<boolean> => (await test.get('/api/bots')).status === 200;
const storeState = async (): Promise<number> => (await test.get('/healthz/store')).status;

it('goes on with the replica of a node that is silent, and reports the store as away until then', async () => {
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
  await untilReplicated(master.client);
  process.kill(master.pid(), 'SIGSTOP');
  expect(await storeState()).toBe(503);
  await until('the list is answered', isListed);
  expect([await storeState(), await names()]).toEqual([200, ['Before']]);
  slugs.push(await test.publish('After'));
  const haveAll = (): boolean => urls.every((_, i) => test.slugs(`/${i}`).length >= slugs.length);
  await until('all have both', haveAll);
  // It wakes, still believes that it is the master, and learns that it no longer is.
  process.kill(master.pid(), 'SIGCONT');
  await until('it is a replica', async () => (await master.client.info('replication')).includes('role:slave'));
  slugs.push(await test.publish('After it woke'));
  await until('all have it', haveAll);
  for (const [i] of urls.entries()) expect(test.slugs(`/${i}`)).toEqual(slugs);
  expect(await names()).toEqual(['After it woke', 'After', 'Before']);
});
