/**
 * With WRITE_REPLICAS a write is acknowledged only when the replicas have it, and what was acknowledged survives a
 * failover.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { untilReplicated } from '@bot-directory/testing/replication';
import { startSentinels } from '@bot-directory/testing/sentinel';
import { noPatience, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { keys } from '../../src/store/keys.ts';

let primary: TestRedis;
let replica: TestRedis;
let proxy: Awaited<ReturnType<typeof startRedisProxy>>;
let service: Service;
let [onPrimary, onReplica]: Redis[] = [];

beforeAll(async () => {
  [primary, replica] = [await startTestRedis(), await startTestRedis()];
  [onPrimary, onReplica] = [new Redis(primary.url), new Redis(replica.url)];
  await onReplica.replicaof('127.0.0.1', new URL(primary.url).port);
  // The link of a replica is up before its primary counts it.
  await untilReplicated(onPrimary);
  proxy = await startRedisProxy(primary.url);
  const settings = { REDIS_URL: proxy.url, WRITE_REPLICAS: '1' };
  service = await startService({ redis: null, settings, world: noPatience });
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  for (const client of [onPrimary, onReplica]) client?.disconnect();
  await Promise.all([primary.stop(), replica.stop()]);
});

const post = (id: number) => service.post<Problem>('/api/feed', { url: `https://x.com/jo/status/${id}` });

/**
 * Publishes bots. Returns the slugs of those that were acknowledged. On a busy machine a replica may be later than the
 * service waits: the caller gets a 503, and nothing was promised.
 */
const acknowledged = async ({ publish }: Pick<Service, 'publish'>): Promise<string[]> => {
  const published = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => publish(`Kept ${i}`)));
  const slugs = published.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(slugs).not.toEqual([]);
  return slugs;
};

describe('a write', () => {
  it('that a replica has is acknowledged', async () => {
    expect((await post(1)).status).toBe(200);
    expect(await onReplica?.hexists('bots:{directory}:statuses', '1')).toBe(1);
  });

  it('that no replica gets is a 503 that says so, while reads go on', async () => {
    process.kill(replica.pid, 'SIGSTOP');
    try {
      const answers = await Promise.all([post(2), service.get<Bot[]>('/api/bots')]);
      expect(answers.map(({ status }) => status)).toEqual([503, 200]);
      expect(answers[0].body.code).toBe('store_unavailable');
    } finally {
      process.kill(replica.pid, 'SIGCONT');
    }
    await until('a replica takes writes again', async () => (await post(3)).status !== 503);
    // It was in the primary all the time, so a retry finds it.
    expect((await post(2)).status).toBe(409);
  });

  it('by a refresh waits for a replica, too', async () => {
    const { provider, link } = service;
    const id = provider.template({ name: 'Before' });
    const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link: link(id) });
    provider.template({ name: 'After' }, id);
    process.kill(replica.pid, 'SIGSTOP');
    try {
      expect((await service.post(`/api/bots/${body.slug}/refresh`, {})).status).toBe(503);
    } finally {
      process.kill(replica.pid, 'SIGCONT');
    }
    await until('a replica takes writes again', async () => (await post(4)).status !== 503);
  });

  it('that was acknowledged survives a failover immediately after it', async () => {
    const slugs = await acknowledged(service);
    process.kill(primary.pid, 'SIGSTOP');
    await onReplica?.replicaof('NO', 'ONE');
    await proxy.leadNewTo(replica.url);
    await until('the promoted replica is read', async () => (await service.get('/api/bots')).status === 200);
    const listed = (await service.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);
    expect(listed).toEqual(expect.arrayContaining(slugs));
    process.kill(primary.pid, 'SIGCONT');
  });
});

/**
 * Several servers. The replica of the directory's primary can be stopped, and promoted after the primary is killed.
 */
type Group = {
  readonly url: string;
  readonly replicaPid: number;
  failOver: () => Promise<unknown>;
  stop: () => Promise<unknown>;
};

const cluster = async (): Promise<Group> => {
  const nodes = await startCluster({ withReplicas: true });
  const [master, ofMaster] = [await nodes.nodeOf(keys.state), await nodes.replicaOf(keys.state)];
  return {
    url: nodes.url,
    replicaPid: ofMaster?.pid() ?? 0,
    failOver: async () => {
      await master?.kill();
      await ofMaster?.client.cluster('FAILOVER', 'TAKEOVER');
    },
    stop: () => nodes.stop(),
  };
};

const sentinels = async (): Promise<Group> => {
  const group = await startSentinels();
  const [first, second] = group.servers;
  return {
    url: group.url,
    replicaPid: second?.pid() ?? 0,
    failOver: async () => {
      await first?.kill();
      await until('it is promoted', async () => (await group.primary()) === second, 30_000);
    },
    stop: () => group.stop(),
  };
};

it.each([
  ['a cluster', cluster],
  ['Sentinels', sentinels],
])(
  'with %s a write is acknowledged only if a replica has it, and survives a failover',
  async (_of, start) => {
    const group = await start();
    const settings = { REDIS_URL: group.url, WRITE_REPLICAS: '1' };
    const test = await startDelivery({ redis: null, settings, world: noPatience });
    const add = (id: number) => test.post<Problem>('/api/feed', { url: `https://x.com/jo/status/${id}` });
    await until('writes are taken', async () => (await add(1)).status !== 503);
    await test.register();
    process.kill(group.replicaPid, 'SIGSTOP');
    const [refused, list] = await Promise.all([add(2), test.get('/api/bots')]);
    process.kill(group.replicaPid, 'SIGCONT');
    expect([refused.status, refused.body.code, list.status]).toEqual([503, 'store_unavailable', 200]);
    await until('the replica takes writes again', async () => (await add(3)).status !== 503);

    const slugs = await acknowledged(test);
    await group.failOver();
    await until('the list is answered', async () => (await test.get('/api/bots')).status === 200);
    const listed = (await test.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);
    expect(listed).toEqual(expect.arrayContaining(slugs));
    await until('all are delivered', () => slugs.every((slug) => test.slugs().includes(slug)));
    // The promoted replica has no replica of its own.
    expect((await add(4)).status).toBe(503);
    await test.stop();
    await group.stop();
  },
  60_000,
);
