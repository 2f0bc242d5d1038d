/**
 * In each state of Redis, responses are as documented and come within two seconds. Nothing is half done, and everything
 * recovers by itself.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { failSnapshots, startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy, type RedisProxy } from '@bot-directory/testing/redis-proxy';
import type { Answer } from '@bot-directory/testing/service';
import { noPatience } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { withinTwoSeconds } from '@bot-directory/testing/within';
import { keys } from '../../src/store/keys.ts';

let redis: TestRedis;
let client: Redis;
let proxy: RedisProxy;
let test: DeliveryTest;
beforeAll(async () => {
  // Loading takes a moment that a test can see.
  redis = await startTestRedis({ persist: true, settings: { 'key-load-delay': '250', 'busy-reply-threshold': '50' } });
  client = new Redis(redis.url, { retryStrategy: () => 25, maxRetriesPerRequest: null, enableReadyCheck: false });
  client.on('error', () => undefined);
  proxy = await startRedisProxy(redis.url);
  const settings = { REDIS_URL: proxy.url, WRITE_RATE_LIMIT: '10000/1m' };
  test = await startDelivery({ redis: null, settings, world: noPatience });
  await test.register();
  await test.publish('First');
});
afterAll(async () => {
  await test.stop();
  await proxy.stop();
  client.disconnect();
  await redis.stop();
});

type State = {
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  readonly list: 200 | 500;
  readonly write: 200 | 503;
};

let restarting: Promise<unknown> = Promise.resolve();
let writeSnapshots: () => Promise<unknown> = () => Promise.resolve();
/** The value of a script that never ends, until it is killed. */
let endless: Promise<unknown> = Promise.resolve();

const states: Record<string, State> = {
  BUSY: {
    begin: async () => {
      const caller = new Redis(redis.url);
      endless = caller.eval('while true do end', 0).catch(() => caller.disconnect());
      await until('it is busy', () =>
        client.ping().then(
          () => false,
          () => true,
        ),
      );
    },
    end: async () => {
      await client.script('KILL');
      await endless;
    },
    list: 500,
    write: 503,
  },
  LOADING: {
    begin: async () => {
      // While it loads, Redis serves its clients only once in a thousand commands.
      const ballast = client.pipeline();
      for (let i = 0; i < 12_000; i += 1) ballast.set(`ballast:${i}`, i);
      await ballast.exec();
      await redis.kill();
      restarting = redis.restart();
      await until('it loads', () =>
        client.ping().then(
          () => false,
          (error: unknown) => String(error).includes('LOADING'),
        ),
      );
    },
    end: () => restarting,
    list: 500,
    write: 503,
  },
  MISCONF: {
    begin: async () => {
      writeSnapshots = await failSnapshots(client);
    },
    end: () => writeSnapshots(),
    list: 200,
    write: 503,
  },
  OOM: {
    begin: () => client.config('SET', 'maxmemory', '1'),
    end: () => client.config('SET', 'maxmemory', '0'),
    list: 200,
    write: 503,
  },
  READONLY: {
    begin: () => client.replicaof('127.0.0.1', 1),
    end: () => client.replicaof('NO', 'ONE'),
    list: 500,
    write: 503,
  },
  NOREPLICAS: {
    begin: () => client.config('SET', 'min-replicas-to-write', '1'),
    end: () => client.config('SET', 'min-replicas-to-write', '0'),
    list: 200,
    write: 503,
  },
  'a round trip of a quarter of a second': {
    begin: async () => {
      // Redis knows the scripts, as it does once each was run since its start.
      await test.post('/api/bots/first/integrations', { integrations: ['warm'] });
      // A busy machine may need half a second more.
      await proxy.slowDown({ latencyMs: 250 });
    },
    end: () => proxy.slowDown({}),
    list: 200,
    write: 200,
  },
};

const names = async (): Promise<string[]> => (await test.get<Bot[]>('/api/bots')).body.map(({ name }) => name);

it.each(Object.entries(states))(
  '%s',
  async (state, { begin, end, list, write }) => {
    const before = await names();
    const submit = { link: test.link(test.provider.template({ name: `Bot at ${state}` })) };
    await begin();
    const inTime = write === 200 ? (ask: () => Promise<Answer<Problem>>) => ask() : withinTwoSeconds;
    const answers = await Promise.all([
      withinTwoSeconds(() => test.get<Problem>('/api/bots')),
      withinTwoSeconds(() => test.get<Problem>('/api/bots/first')),
      inTime(() => test.post<Problem>('/api/bots/submit', submit)),
      inTime(() => test.post<Problem>('/api/bots/first/integrations', { integrations: [`at-${state}`] })),
      inTime(() => test.post<Problem>('/api/feed', { url: 'https://x.com/jo/status/1' })),
    ]);
    expect([state, ...answers.map(({ status }) => status)]).toEqual([state, list, list, write, write, write]);
    if (list === 500) expect(answers[0].body.code).toBe('directory_unavailable');
    if (write === 503) for (const { body } of answers.slice(2)) expect(body.code).toBe('store_unavailable');
    await end();
    await until('the store is back', async () => (await test.get('/healthz/store')).status === 200);
    if (write === 503) {
      expect(await names()).toEqual(before);
      expect((await test.get<Bot>('/api/bots/first')).body.integrations).toEqual([]);
      expect((await test.post('/api/bots/submit', submit)).status).toBe(200);
    }
    expect((await names())[0]).toBe(`Bot at ${state}`);
    expect(await client.zcard(keys.bots)).toBe(before.length + 1);
    await until('it is delivered', () => new Set(test.slugs()).size === before.length + 1);
  },
  60_000,
);
