import type { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { publishMany } from '@bot-directory/testing/many-events';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { keys } from '../../src/store/keys.ts';

const quickUntilTheLast = [...Array.from({ length: 8 }, () => '40ms'), '1h'].join(',');
/** How many unknown endpoints of one domain are called at once. */
const unknownAtOnce = 64;

let offsetMs: number;
let redis: TestRedis;
let client: Redis;
let test: DeliveryTest;
beforeEach(async () => {
  offsetMs = 0;
  redis = await startTestRedis();
  client = new Redis(redis.url);
  client.on('error', () => undefined);
  await client.set(keys.paused, '1');
  const settings = { WEBHOOK_RETRY_DELAYS: quickUntilTheLast, WEBHOOK_TIMEOUT: '5s', WEBHOOK_LEASE: '10s' };
  test = await startDelivery({ redis, settings, world: { offsetMs: () => offsetMs } });
});
afterEach(async () => {
  client.disconnect();
  await test.stop();
  await redis.stop();
});

/** Reads those of the queue, without `webhook_` or `webhooks_`: name, labels included → value. */
const metrics = async (): Promise<Record<string, number>> => {
  const { body } = await test.get<string>('/metrics');
  return Object.fromEntries(
    [...body.matchAll(/^webhooks?_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
};
const untilMetric = (name: string, value: number): Promise<void> =>
  until(`${name} is ${value}`, async () => (await metrics())[name] === value);
/** Waits for values: a process counts a result only after saving it, so a status or another count may show it first. */
const untilMetrics = (expected: Readonly<Record<string, unknown>>): Promise<void> =>
  vi.waitFor(async () => expect(await metrics()).toMatchObject(expected), { timeout: 120_000 });

/** The age of an event that is a minute old by the shifted clock. */
const ageOfOld = {
  asymmetricMatch: (value: unknown): boolean => typeof value === 'number' && value >= 60 && value < 120,
};

it('show where every webhook is, and how its attempts went, from paused to delivered or stopped', async () => {
  const held: ServerResponse[] = [];
  let calls = 0;
  await test.register('/good');
  await test.register('/bad');
  test.receiver.respond(({ path }, res) => {
    if (path === '/good') return void held.push(res);
    if ((calls += 1) <= 5) res.destroy();
    else res.writeHead(500).end();
  });
  await test.publish('Old');
  offsetMs = 60_000;
  await test.publish('New');
  expect(await metrics()).toMatchObject({
    registered: 2,
    behind: 2,
    leased: 0,
    waiting: 0,
    stopped: 0,
    events: 2,
    oldest_undelivered_seconds: ageOfOld,
  });

  await client.del(keys.paused);
  await until('the bad one has failed nine times', async () => (await test.status('/bad')).failures_in_a_row === 9);
  await untilMetrics({
    registered: 2,
    behind: 0,
    leased: 1,
    deliveries_in_flight: 1,
    waiting: 1,
    stopped: 0,
    oldest_undelivered_seconds: ageOfOld,
  });
  expect(await test.status('/good')).toMatchObject({ state: 'active', pending_events: 2, next_attempt_at: null });
  test.receiver.respond(({ path }, res) => void res.writeHead(path === '/good' ? 204 : 500).end());
  for (const res of held) res.writeHead(204).end();
  await untilMetric('leased', 0);
  await untilMetrics({
    'attempts_total{outcome="delivered"}': 2,
    'attempts_total{outcome="connect"}': 5,
    'attempts_total{outcome="status"}': 4,
    behind: 0,
    waiting: 1,
    stops_total: 0,
  });

  offsetMs += 2 * 3_600_000;
  await untilMetric('stopped', 1);
  await untilMetrics({
    registered: 2,
    behind: 0,
    leased: 0,
    waiting: 0,
    stopped: 1,
    stops_total: 1,
    'attempts_total{outcome="status"}': 5,
    events_skipped_total: 0,
    duplicates_avoided_total: 0,
    oldest_undelivered_seconds: 0,
  });
});

it('count an event that an endpoint refuses while it takes the later ones', async () => {
  const later = 40;
  await test.register();
  let refused = 0;
  test.receiver.respond(({ body }, res) => {
    const isPoison = body.includes('Poison');
    if (isPoison) refused += 1;
    res.writeHead(isPoison ? 422 : 204).end();
  });
  await test.publish('Poison');
  await publishMany(redis.url, { count: later, descriptionBytes: 1 });
  await client.del(keys.paused);
  await untilMetrics({
    events_skipped_total: 1,
    'attempts_total{outcome="delivered"}': later,
    stops_total: 0,
    behind: 0,
  });
  // Six in a row, and those of the proof.
  expect(refused).toBeGreaterThan(6);
  await untilMetric('attempts_total{outcome="status"}', refused);
});

// It registers a few more webhooks than may be called at once, each with a ping.
it('count leases that ran out before they could begin, and are given up', async () => {
  const paths = Array.from({ length: unknownAtOnce + 6 }, (_, i) => `/${i}`);
  const held: ServerResponse[] = [];
  for (const path of paths) await test.register(path);
  test.receiver.respond((_received, res) => void held.push(res));
  const slug = await test.publish('Late');
  await client.del(keys.paused);
  await untilMetric('leased', paths.length);
  await until('as many are called as may be at once', () => held.length === unknownAtOnce);
  offsetMs = 20_000;
  test.receiver.respond(204);
  for (const res of held) res.writeHead(204).end();
  await until('all have it', () => paths.every((path) => test.slugs(path).includes(slug)));
  await untilMetric('leased', 0);
  await untilMetrics({ duplicates_avoided_total: 6, behind: 0, waiting: 0 });
});

it('leave out what only Redis knows while it is away', async () => {
  await test.register();
  await untilMetrics({ registered: 1 });
  await redis.kill();
  await until('Redis is away', async () => (await test.get('/healthz/store')).status === 503);
  expect(Object.keys(await metrics())).toEqual([
    ...['host', 'address', 'path', 'client', 'domain'].map((limit) => `registrations_refused_total{limit="${limit}"}`),
    'stops_total',
    'events_skipped_total',
    'duplicates_avoided_total',
    'settlements_unsaved_total',
    'own_outage',
    'deliveries_in_flight',
  ]);
});
