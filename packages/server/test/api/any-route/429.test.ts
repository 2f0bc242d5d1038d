import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../../src/store/keys.ts';

const settings = { WRITE_RATE_LIMIT: '4/1m' };
const one = useStarted(() => startService({ settings }));
const two = useStarted(() =>
  startService({
    settings: { ...settings, TRUST_PROXY: 'loopback' },
    redis: one.redis,
    provider: one.provider,
  }),
);

const write = (service: Service, address?: string) =>
  service.api<Problem>('POST', '/api/feed', {
    body: { url: 'x' },
    headers: address === undefined ? {} : { 'X-Forwarded-For': address },
  });

describe('the rate limit', () => {
  it('counts writes per client over all processes, and says when to come back', async () => {
    expect((await write(one)).headers.get('ratelimit')).toMatch(/^"4-in-1min"; r=3; t=\d+$/);
    expect((await write(one)).headers.get('ratelimit-policy')).toMatch(/^"4-in-1min"; q=4; w=60/);
    expect([(await write(two)).status, (await write(two)).status]).toEqual([400, 400]);
    for (const service of [one, two]) {
      const refused = await write(service);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
  });

  it('never limits reads', async () => {
    for (let i = 0; i < 10; i += 1) expect((await one.get('/api/bots')).status).toBe(200);
  });

  it('believes X-Forwarded-For behind a trusted proxy only', async () => {
    expect((await write(two, '203.0.113.7')).status).toBe(400);
    expect((await write(one, '203.0.113.8')).status).toBe(429);
  });

  it('counts a client as one, whatever port its proxy writes', async () => {
    for (let port = 5_001; port <= 5_004; port += 1) expect((await write(two, `203.0.113.9:${port}`)).status).toBe(400);
    expect((await write(two, '203.0.113.9:5005')).status).toBe(429);
    expect((await write(two, '203.0.113.9')).status).toBe(429);
  });

  it('counts a network of IPv6 as one client', async () => {
    for (let i = 1; i <= 4; i += 1) expect((await write(two, `2001:db8:1:1::${i}`)).status).toBe(400);
    expect((await write(two, '2001:db8:1:1::99')).status).toBe(429);
    expect((await write(two, '2001:db8:2:1::1')).status).toBe(400);
  });

  it('refuses no write while the store is away, and counts again when it is back', async () => {
    await one.redis?.kill();
    const answers = [];
    for (let i = 0; i < 6; i += 1) answers.push((await write(one)).status);
    expect(answers).toEqual([400, 400, 400, 400, 400, 400]);
    await one.redis?.restart();
    await until('it counts again', async () => (await write(one)).status === 429);
  });

  it('forgets a count whose window is longer than any, as after a clock that was ahead', async () => {
    expect((await write(one)).status).toBe(429);
    const redis = new Redis(one.redis?.url ?? '');
    for (const key of await redis.keys(`${keys.rateLimitPrefix}*`)) await redis.expire(key, 31 * 86_400);
    redis.disconnect();
    const counted = await write(one);
    expect([counted.status, counted.headers.get('ratelimit')]).toEqual([400, '"4-in-1min"; r=3; t=60']);
  });

  it('is off with one setting', async () => {
    const unlimited = await startService({
      settings: { WRITE_RATE_LIMIT: '0' },
      redis: one.redis,
      provider: one.provider,
    });
    const { status, headers } = await write(unlimited);
    expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([400, null, null]);
    await unlimited.stop();
  });
});
