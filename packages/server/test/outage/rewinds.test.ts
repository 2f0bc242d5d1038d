/** What the store once acknowledged and then no longer has: nobody gets it in the place of something later. */
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startDelivery } from '../support/delivery.ts';
import { listen } from '../support/event-stream.ts';
import { startRedisProxy, type RedisProxy } from '../support/redis-proxy.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

type Rewind = { readonly lose: () => Promise<unknown>; readonly stop: () => Promise<unknown> };
type Parts = { readonly redis: TestRedis; readonly client: Redis; readonly proxy: RedisProxy };

/** Each is called when the store holds what is kept; what follows until `lose` is lost. */
const rewinds: readonly (readonly [how: string, prepare: (parts: Parts) => Promise<Rewind>])[] = [
  [
    'a replica is promoted that missed the last writes',
    async ({ redis, client, proxy }) => {
      const other = await startTestRedis();
      const replica = new Redis(other.url);
      await replica.replicaof('127.0.0.1', new URL(redis.url).port);
      await until('it has all', async () => (await client.wait(1, 1_000)) === 1);
      await replica.replicaof('NO', 'ONE');
      return {
        lose: () => {
          proxy.leadTo(other.url);
          return Promise.resolve();
        },
        stop: async () => {
          replica.disconnect();
          await other.stop();
        },
      };
    },
  ],
  [
    'an older snapshot is put back',
    async ({ redis, client }) => {
      await client.save();
      return {
        lose: async () => {
          await redis.kill();
          await redis.restart();
        },
        stop: () => Promise.resolve(),
      };
    },
  ],
];

const names = async (service: Service): Promise<string[]> =>
  (await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name);

it.each(rewinds)(
  'when %s, lists, tags, deliveries and streams go on with what is there',
  async (_how, prepare) => {
    const redis = await startTestRedis();
    const client = new Redis(redis.url);
    client.on('error', () => undefined);
    const proxy = await startRedisProxy(redis.url);
    const settings = { REDIS_URL: proxy.url };
    const test = await startDelivery({ redis: null, settings });
    const other = await startService({ redis: null, provider: test.provider, settings: { ...settings, ROLE: 'web' } });
    const reader = await listen(`${other.url}/api/events/stream`);
    await test.register();
    const kept = await test.publish('Kept');
    await until('it is delivered', () => test.slugs().includes(kept));
    await until('that is written down', async () => (await test.status()).pending_events === 0);

    const { lose, stop } = await prepare({ redis, client, proxy });
    const lost = [await test.publish('Lost 1'), await test.publish('Lost 2'), await test.publish('Lost 3')];
    await until('they are delivered', () => test.slugs().includes('lost-3'));
    await until('they are streamed', () => reader.messages().length === 4);
    const before = await other.get('/api/bots');
    await lose();
    for (const service of [test, other])
      await until('lists are answered', async () => (await service.get('/api/bots')).status === 200);
    expect([await names(test), await names(other)]).toEqual([['Kept'], ['Kept']]);

    const later = [await test.publish('Later 1'), await test.publish('Later 2'), await test.publish('Later 3')];
    await until('later ones are delivered', () => test.slugs().includes('later-3'));
    expect(test.slugs()).toEqual([kept, ...lost, ...later]);
    await until('later ones are streamed', () => reader.messages().length === 7);
    const listed = ['Later 3', 'Later 2', 'Later 1', 'Kept'];
    expect([await names(test), await names(other)]).toEqual([listed, listed]);
    for (const service of [test, other]) {
      const headers = { 'If-None-Match': before.headers.get('etag') ?? '' };
      expect((await service.get('/api/bots', headers)).status).toBe(200);
    }

    await reader.stop();
    await other.stop();
    await test.stop();
    client.disconnect();
    await proxy.stop();
    await stop();
    await redis.stop();
  },
  60_000,
);

it('when the store is emptied, all processes publish one signing key, and lists are empty', async () => {
  const redis = await startTestRedis();
  const client = new Redis(redis.url);
  const settings = { REDIS_URL: redis.url };
  const old = await startService({ redis: null, settings });
  await old.publish('Gone');
  expect((await old.get('/api/webhooks/keys')).status).toBe(200);
  await client.flushall();
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
