import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { publishMany } from '@bot-directory/testing/many-events';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startTestRedis } from '@bot-directory/testing/redis';
import { useStarted } from '@bot-directory/testing/use-started';
import { openConnection } from '../../../../bench/support/connection.ts';

/** So many show only how each kind is answered: `npm run endurance strangers` sends enough to fill the heap. */
const count = Number(process.env.HOSTILE_URLS ?? 12_000);
const bots = 2_000;
/** Little more than what may be cached takes: reads that are remembered without a bound do not fit. */
const heapMb = 96;

let server: ServerProcess;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
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
});

/**
 * What a stranger may think of to make us remember something, and the status of the response. `{n}` stands for a number
 * that is in no other request.
 */
const hostile: readonly (readonly [path: string, status: number])[] = [
  ['/api/bots?limit=5&q={n}', 200],
  ['/api/bots?limit=5&author=a{n}', 200],
  ['/api/bots?limit=5&integration=i{n}', 200],
  ['/api/bots?limit=5&sort=installs&_={n}', 200],
  [`/api/bots?limit=5&x=${'y'.repeat(12_000)}{n}`, 200],
  ['/api/bots?limit=0&page={n}', 400],
  ['/api/bots?cursor={n}', 400],
  [`/api/bots?${'category&'.repeat(90)}q={n}`, 400],
  [`/api/bots?${'category&'.repeat(1_500)}{n}`, 400],
  ['/api/feed?limit=5&_={n}', 200],
  ['/api/bots/none-{n}', 404],
  ['/api/bots?limit=5&q=m%20{n}', 200],
];
const encodings = ['br', 'gzip;q=0.{n}'];

it('gives each of many different URLs its status, in a small heap', async () => {
  const port = Number(new URL(server.url).port);
  const ofEach = Math.ceil(count / hostile.length / encodings.length);
  const ask = async (path: string, encoding: string, status: number): Promise<void> => {
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
    const connection = await openConnection({ port, request, statuses: [status] });
    let asked = 0;
    await connection.ask(() => (asked += 1) < ofEach);
    connection.close();
  };
  await Promise.all(hostile.flatMap(([path, status]) => encodings.map((encoding) => ask(path, encoding, status))));
  expect(server.hasExited()).toBe(false);
  const list = await server.get<Bot[]>('/api/bots');
  expect(list.body).toHaveLength(bots);
});
