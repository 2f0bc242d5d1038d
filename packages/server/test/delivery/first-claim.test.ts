/** The first webhooks that get an event do not wait for the claims of the others. */
import { expect, it } from 'vitest';
import { startDelivery } from '../support/delivery.ts';
import { monitor } from '../support/monitor.ts';
import { startRedisProxy } from '../support/redis-proxy.ts';
import { startTestRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
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
  proxy.slowDown({ latencyMs });
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
