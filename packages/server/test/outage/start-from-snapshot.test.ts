/** Processes of a directory that is large enough for a snapshot, on a Redis that restarts. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProvider, type Provider } from '@bot-directory/testing/provider';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { callers, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { keys } from '../../src/store/keys.ts';

const settings = { BASE_URL: 'https://bots.example.com' };
let redis: TestRedis;
let client: Redis;
let provider: Provider;
const running: Service[] = [];
/** Starts a process, and waits until it is ready. */
const start = async (): Promise<Service> => {
  const service = await startService({ redis, provider, settings, world: { snapshotFrom: 2 } });
  running.push(service);
  await until('it is ready', async () => (await fetch(`${service.url}/readyz`)).status === 200);
  return service;
};
beforeAll(async () => {
  redis = await startTestRedis({ persist: true });
  client = new Redis(redis.url, { retryStrategy: () => 25, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  provider = await startProvider();
});
afterAll(async () => {
  await Promise.all(running.map((service) => service.stop()));
  client.disconnect();
  await Promise.all([provider.stop(), redis.stop()]);
});

const pages = [
  '/api/bots',
  '/api/bots?q=mail',
  '/api/bots?sort=installs',
  '/api/feed',
  '/',
  '/categories/seo',
  '/bots/mail-0',
];
const served = ({ url }: Service) =>
  Promise.all(
    pages.map(async (path) => {
      const response = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': 'identity' } });
      return [path, response.status, response.headers.get('etag'), await response.text()];
    }),
  );
const epochOfSnapshot = async (): Promise<string | undefined> => {
  const head = await client.hget(keys.snapshot, 'head');
  return head === null ? undefined : (JSON.parse(head) as { epoch: string }).epoch;
};
const readsOfEntries = async (): Promise<number> =>
  Number(/cmdstat_hmget:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);

it('serves the same bytes under the same tags as the process that left it', async () => {
  const first = await start();
  for (let n = 0; n < 30; n += 1) await first.publish(`Mail ${n}`, { categories: ['SEO'] });
  await callers(first.url).post('/api/feed', { url: 'https://x.com/jo/status/1' });
  await served(first);
  await until('there is a snapshot', async () => (await epochOfSnapshot()) !== undefined);
  await first.publish('Mail since');

  const before = await readsOfEntries();
  const second = await start();
  // None of the thirty bots was read by its fields.
  expect((await readsOfEntries()) - before).toBeLessThan(30);
  expect(await served(second)).toEqual(await served(first));
});

it('reads everything after Redis was killed, and leaves a snapshot of the new epoch', async () => {
  const [first] = running;
  if (first === undefined) throw new Error('nothing runs');
  const old = await epochOfSnapshot();
  await redis.kill();
  await redis.restart();
  await client.del(keys.snapshotClaim);
  await until('the first serves again', async () => (await fetch(`${first.url}/api/bots`)).status === 200);
  const third = await start();
  expect(await served(third)).toEqual(await served(first));
  await until('there is a new snapshot', async () => ![old, undefined].includes(await epochOfSnapshot()));
  expect(await served(await start())).toEqual(await served(first));
});
