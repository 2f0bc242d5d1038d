/** The first webhooks that get an event do not wait for the claims of the others. */
import { expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { monitor } from '@bot-directory/testing/monitor';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy } from '@bot-directory/testing/redis-proxy';
import { until } from '@bot-directory/testing/until';
import { partitions } from '../../src/store/keys.ts';

const latencyMs = 100;
/** The time of the store, and the partition, of a claim. */
const claim = /^\+([\d.]+) .* "8" "(\S+:cursor)"/;

it('claims one partition alone while nothing is under way', async () => {
  const redis = await startTestRedis();
  const proxy = await startRedisProxy(redis.url);
  const claimedMs = new Map<string, number>();
  const end = await monitor(redis.url, (_command, text) => {
    const [, seconds, key = ''] = claim.exec(text) ?? [];
    if (seconds !== undefined && !claimedMs.has(key)) claimedMs.set(key, Number(seconds) * 1_000);
  });
  await proxy.slowDown({ latencyMs });
  const test = await startDelivery({ redis: null, settings: { REDIS_URL: proxy.url } });
  await until('all are claimed', () => claimedMs.size === partitions.length);
  const [first = 0, second = 0] = claimedMs.values();
  // A little less: the two clocks are not the same.
  expect(second - first).toBeGreaterThan(latencyMs * 0.9);

  end();
  await test.stop();
  await proxy.stop();
  await redis.stop();
});
