/** The store loses what it acknowledged: nobody mistakes something later for what was lost. */
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { Bot, EventMap, WebhookStatus } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { startDelivery } from '@bot-directory/testing/delivery';
import { listen } from '@bot-directory/testing/event-stream';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { untilReplicated } from '@bot-directory/testing/replication';
import { startSentinels } from '@bot-directory/testing/sentinel';
import { noPatience, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { keys } from '../../src/store/keys.ts';

/** A store that can lose what is written between `mark` and `lose`. */
type Rewindable = {
  readonly url: string;
  mark: () => Promise<unknown>;
  lose: () => Promise<unknown>;
  stop: () => Promise<unknown>;
};

const clientOf = (url: string): Redis => new Redis(url).on('error', () => undefined);

const laggingReplica = async (user?: string): Promise<Rewindable> => {
  const [primary, other] = [await startTestRedis(), await startTestRedis()];
  const proxy = await startRedisProxy(primary.url);
  const [onPrimary, onReplica] = [clientOf(primary.url), clientOf(other.url)];
  // As at some managed services, this user may not read INFO. The clients of this test may.
  for (const client of [onPrimary, onReplica])
    await client.acl('SETUSER', 'uninformed', 'on', 'nopass', '~*', '&*', '+@all', '-info');
  return {
    url: user === undefined ? proxy.url : proxy.url.replace('//', `//${user}:any@`),
    mark: async () => {
      await onReplica.replicaof('127.0.0.1', new URL(primary.url).port);
      await untilReplicated(onPrimary);
      await onReplica.replicaof('NO', 'ONE');
    },
    lose: () => proxy.leadTo(other.url),
    stop: async () => {
      for (const client of [onPrimary, onReplica]) client.disconnect();
      await proxy.stop();
      await Promise.all([primary.stop(), other.stop()]);
    },
  };
};

const snapshot = async (): Promise<Rewindable> => {
  const redis = await startTestRedis();
  const client = clientOf(redis.url);
  return {
    url: redis.url,
    mark: () => client.save(),
    lose: async () => {
      await redis.kill();
      await redis.restart();
    },
    stop: async () => {
      client.disconnect();
      await redis.stop();
    },
  };
};

/** With `appendfsync everysec`, what was written within a second of a power loss is in no file. */
const powerLoss = async (): Promise<Rewindable> => {
  const redis = await startTestRedis({ persist: true });
  const client = clientOf(redis.url);
  const [, home = ''] = await client.config('GET', 'dir');
  const folder = join(home, 'appendonlydir');
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.incr.aof')) ?? '');
  let bytes = 0;
  return {
    url: redis.url,
    mark: () => Promise.resolve((bytes = statSync(file).size)),
    lose: async () => {
      await redis.kill();
      truncateSync(file, bytes);
      await redis.restart();
    },
    stop: async () => {
      client.disconnect();
      await redis.stop();
    },
  };
};

/** Only the node of the directory rewinds: the cursors of webhooks, which are on all three, stay ahead of its log. */
const clusterNode = async (): Promise<Rewindable> => {
  const cluster = await startCluster({ withReplicas: true });
  const [master, replica] = [await cluster.nodeOf(keys.state), await cluster.replicaOf(keys.state)];
  return {
    url: cluster.url,
    mark: async () => {
      if (master !== undefined) await untilReplicated(master.client);
      // The primary refuses it from now on, so it lags.
      await replica?.client.config('SET', 'masterauth', 'wrong');
      await master?.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
      await until('it lags', async () => /slaves:0/.test((await master?.client.info('replication')) ?? ''));
    },
    lose: async () => {
      await master?.kill();
      await replica?.client.cluster('FAILOVER', 'TAKEOVER');
    },
    stop: () => cluster.stop(),
  };
};

const sentinels = async (): Promise<Rewindable> => {
  const group = await startSentinels();
  const [primary, replica] = group.servers;
  return {
    url: group.url,
    mark: async () => {
      if (primary !== undefined) await untilReplicated(primary.client);
      // The primary refuses it from now on, so it lags.
      await replica?.client.config('SET', 'masterauth', 'wrong');
      await primary?.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
      await until('it lags', async () => /slaves:0/.test((await primary?.client.info('replication')) ?? ''));
    },
    lose: async () => {
      await primary?.kill();
      await until('it is promoted', async () => (await group.primary()) === replica, 30_000);
    },
    stop: () => group.stop(),
  };
};

const rewindable: readonly (readonly [how: string, start: () => Promise<Rewindable>])[] = [
  ['a replica is promoted that missed the last writes', () => laggingReplica()],
  ['the same happens where INFO is refused', () => laggingReplica('uninformed')],
  ['an older snapshot is put back', snapshot],
  ['the power is lost before the last writes are on the disk', powerLoss],
  ['a replica of the directory’s node of a cluster is promoted that missed the last writes', clusterNode],
  ['Sentinels promote a replica that missed the last writes', sentinels],
];

/** Each selects all bots of this test. */
const filters = [null, { author: '@ada' }];

const names = async (service: Service): Promise<string[]> =>
  (await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name);

it.each(rewindable)(
  'when %s, lists, tags, deliveries and streams go on with what is there',
  async (_how, start) => {
    const store = await start();
    const settings = { REDIS_URL: store.url };
    const resolve = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
    const test = await startDelivery({ redis: null, settings, world: { ...noPatience, resolve } });
    const { provider } = test;
    const web = { redis: null, provider, settings: { ...settings, ROLE: 'web' }, world: noPatience };
    const other = await startService(web);
    const reader = await listen(`${other.url}/api/events/stream`);
    // They are in several partitions.
    const urls = Array.from({ length: 6 }, (_, i) => `https://w${i}.hooks.example.com:${test.receiver.port}/${i}`);
    for (const [i, url] of urls.entries())
      expect((await test.post('/api/webhooks/bots', { url, filter: filters[i % 2] })).status).toBe(200);
    const publish = (name: string): Promise<string> => test.publish(name, { author: 'Ada' });
    const areDelivered = (slug: string): Promise<void> =>
      until(`${slug} is delivered`, () => urls.every((_, i) => test.slugs(`/${i}`).includes(slug)));
    const pendingOf = async (url: string): Promise<number> =>
      (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body.pending_events;

    const kept = await publish('Kept');
    await areDelivered(kept);
    for (const url of urls) await until('the delivery is saved', async () => (await pendingOf(url)) === 0);
    await store.mark();
    const lost = [await publish('Lost 1'), await publish('Lost 2'), await publish('Lost 3')];
    await areDelivered('lost-3');
    await until('they are streamed', () => reader.messages().length === 4);
    const [lostId = ''] = reader
      .messages()
      .slice(-1)
      .map(({ id }) => id);
    const lostTags = [
      (await test.get('/api/bots')).headers.get('etag'),
      (await other.get('/api/bots')).headers.get('etag'),
    ];
    await store.lose();

    for (const service of [test, other])
      await until('lists are answered', async () => (await service.get('/api/bots')).status === 200);
    // A process that starts now agrees with the others: the manual once prescribed a restart.
    const fresh = await startService(web);
    const services = [test, other, fresh];
    const expectList = async (listed: string[]): Promise<void> => {
      for (const service of services) {
        expect(await names(service)).toEqual(listed);
        for (const tag of lostTags)
          expect((await service.get('/api/bots', { 'If-None-Match': tag ?? '' })).status).toBe(200);
      }
    };
    await expectList(['Kept']);

    const later = [await publish('Later 1'), await publish('Later 2'), await publish('Later 3')];
    await areDelivered('later-3');
    for (const [i] of urls.entries()) expect(test.slugs(`/${i}`)).toEqual([kept, ...lost, ...later]);
    await until('later ones are streamed', () => reader.messages().length === 7);
    await expectList(['Later 3', 'Later 2', 'Later 1', 'Kept']);

    // A reader that resumes after a lost event misses nothing, and gets again what came shortly before it.
    const resumed = await listen(`${fresh.url}/api/events/stream`, { 'Last-Event-ID': lostId });
    await until('it goes on', () => resumed.messages().length === 4);
    const goesOn = await fresh.get<EventMap['bot.created'][]>(`/api/events?after=${lostId}`);
    expect(resumed.messages().map(({ id }) => id)).toEqual(goesOn.body.map(({ id }) => id));
    expect(goesOn.body.map(({ data }) => data.slug)).toEqual([kept, ...later]);

    for (const stream of [reader, resumed]) await stream.stop();
    for (const service of [fresh, other, test]) await service.stop();
    await store.stop();
  },
  60_000,
);

it('when the store is emptied, and that is accepted, all processes publish one signing key, and lists are empty', async () => {
  const redis = await startTestRedis();
  const client = new Redis(redis.url);
  const settings = { REDIS_URL: redis.url };
  const old = await startService({ redis: null, settings });
  await old.publish('Gone');
  expect((await old.get('/api/webhooks/keys')).status).toBe(200);
  await client.flushall();
  await operatorOf(redis.url).run('accept-empty');
  const fresh = await startService({ redis: null, provider: old.provider, settings });
  const keyOf = async (service: Service): Promise<unknown> => (await service.get('/api/webhooks/keys')).body;
  const made = JSON.stringify(await keyOf(fresh));
  expect(await names(old)).toEqual([]);
  await until('they agree', async () => JSON.stringify(await keyOf(old)) === made);
  await old.publish('New');
  expect([await names(old), await names(fresh)]).toEqual([['New'], ['New']]);
  expect([await keyOf(old), await keyOf(fresh)].map((key) => JSON.stringify(key))).toEqual([made, made]);
  await fresh.stop();
  await old.stop();
  client.disconnect();
  await redis.stop();
});
