import { afterAll, beforeAll, expect, it } from 'vitest';
import { Pool } from 'undici';
import type { Bot } from '@bot-directory/contract';
import { publishMany } from '../support/many-events.ts';
import { startProcess, type ServerProcess } from '../support/process.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const count = 100_000;
const bots = 2_000;
/** Little more than what may be cached takes: reads that are remembered without a bound do not fit. */
const heapMb = 96;

let redis: TestRedis;
let server: ServerProcess;
beforeAll(async () => {
  redis = await startTestRedis();
  await publishMany(redis.url, { count: bots, descriptionBytes: 300 });
  server = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: 'templates.example.com',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
  });
});
afterAll(async () => {
  await server.stop();
  await redis.stop();
});

const long = (n: number): string => `category&`.repeat(90) + `q=${n}`;
/** What a stranger may think of to make us remember something: no two alike. */
const hostile: ((n: number) => string)[] = [
  (n) => `/api/bots?limit=5&q=${n}`,
  (n) => `/api/bots?limit=5&author=a${n}`,
  (n) => `/api/bots?limit=5&integration=i${n}`,
  (n) => `/api/bots?limit=5&sort=installs&_=${n}`,
  (n) => `/api/bots?limit=5&x=${'y'.repeat(12_000)}${n}`,
  (n) => `/api/bots?limit=0&page=${n}`,
  (n) => `/api/bots?cursor=${n}`,
  (n) => `/api/bots?${long(n)}`,
  (n) => `/api/bots?${'category&'.repeat(1_500)}${n}`,
  (n) => `/api/feed?limit=5&_=${n}`,
  (n) => `/api/bots/none-${n}`,
  (n) => `/api/bots?limit=5&q=m%20${n.toString(36)}`,
];

it('survives 100,000 different URLs in a small heap', async () => {
  const pool = new Pool(server.url, { connections: 16, pipelining: 8 });
  let next = 0;
  const statuses = new Set<number>();
  /** Asks once, and makes nothing of the body: what is measured is the server. */
  const askOnce = (n: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { 'accept-encoding': n % 2 === 0 ? 'br' : `gzip;q=0.${n}` };
      pool.dispatch(
        { method: 'GET', path: hostile[n % hostile.length]?.(n) ?? '/', headers },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_controller, status) => void statuses.add(status),
          onResponseData: () => undefined,
          onResponseEnd: () => resolve(),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  const ask = async (): Promise<void> => {
    while (next < count) await askOnce((next += 1));
  };
  await Promise.all(Array.from({ length: 128 }, ask));
  await pool.close();
  expect([...statuses].sort()).toEqual([200, 400, 404]);
  expect(server.hasExited()).toBe(false);
  const list = await server.get<Bot[]>('/api/bots');
  expect(list.body).toHaveLength(bots);
});
