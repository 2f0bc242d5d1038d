import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { publishMany } from '@bot-directory/testing/many-events';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy, type RedisProxy } from '@bot-directory/testing/redis-proxy';
import { noPatience } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { within } from '@bot-directory/testing/within';
import { scripts } from '../../src/redis/scripts.ts';

/** Nothing in a test lasts as long as a lease: what a fault orphans must be found again, or the test fails. */
const patient = { WEBHOOK_TIMEOUT: '10s', WEBHOOK_LEASE: '10m' };
const paths = Array.from({ length: 20 }, (_, i) => `/hook/${i}`);
let redis: TestRedis;
let proxy: RedisProxy;
let test: DeliveryTest;
beforeEach(async () => {
  redis = await startTestRedis();
  proxy = await startRedisProxy(redis.url);
  test = await startDelivery({
    redis,
    settings: { ...patient, REDIS_URL: proxy.url },
    world: { ...noPatience, pollMs: 200 },
  });
  for (const path of paths) await test.register(path);
});
afterEach(async () => {
  await test.stop();
  await proxy.stop();
  await redis.stop();
});

it('a claim whose reply is lost is found again, and delivered once', async () => {
  await test.publish('First');
  await until('all have it', () => paths.every((path) => test.slugs(path).length === 1));
  for (let i = 0; i < 2; i += 1) {
    test.receiver.received.length = 0;
    await proxy.loseReplyTo(scripts['claim-webhooks'].sha);
    // Not through the service: its connection ends once the reply has been missed for long enough.
    await publishMany(redis.url, { count: 1, descriptionBytes: 10 });
    await until('all have it', () => paths.every((path) => test.slugs(path).length > 0));
    for (const path of paths) expect(test.slugs(path)).toHaveLength(1);
  }
});

it('a settlement whose reply is lost holds, and any worker can claim the webhook again', async () => {
  const count = 2;
  for (let i = 0; i < count; i += 1) {
    await proxy.loseReplyTo(scripts['settle-webhooks'].sha);
    await publishMany(redis.url, { count: 1, descriptionBytes: 10 });
    await until('all have it', () => paths.every((path) => test.slugs(path).length > i), 10_000);
  }
  for (const path of paths) expect([test.slugs(path).length, new Set(test.slugs(path)).size]).toEqual([count, count]);
});

it('a stop does not last as long as a lease when Redis hangs', async () => {
  const held: (() => void)[] = [];
  test.receiver.respond((_received, res) => void held.push(() => res.writeHead(204).end()));
  await test.publish('In flight');
  await until('all are called', () => held.length === paths.length);
  await proxy.silenceNext(1_000);
  await proxy.freeze();
  for (const answer of held) answer();
  // It waits ten seconds for what is in flight. The lease lasts ten minutes.
  await within(18_000, () => test.stop());
  test = { ...test, stop: () => Promise.resolve() };
});
