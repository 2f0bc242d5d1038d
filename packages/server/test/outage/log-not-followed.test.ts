/** Events are read and delivered although nothing reports that the event log grows, and a log line says so. */
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deliverySettings, startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { listen } from '@bot-directory/testing/event-stream';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { startApp, type App } from '../../src/app/start-app.ts';
import { readConfig } from '../../src/config.ts';

let redis: TestRedis;
let client: Redis;
let test: DeliveryTest;
let apps: App[];
let lines: { msg?: string; reason?: string }[];
beforeEach(async () => {
  redis = await startTestRedis();
  client = new Redis(redis.url);
  // Publishes and registers, over a connection of its own that nothing is denied.
  test = await startDelivery({ redis, settings: { ROLE: 'web' } });
  [apps, lines] = [[], []];
});
afterEach(async () => {
  for (const app of apps) await app.stop();
  await test.stop();
  client.disconnect();
  await redis.stop();
});

/** Starts a process that serves and delivers, and collects what it logs. */
const startLogged = async (redisUrl: string): Promise<string> => {
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line) as object) });
  const settings = { ...test.environment, ...deliverySettings, PORT: '0', ROLE: 'all', REDIS_URL: redisUrl };
  const app = await startApp(readConfig(settings), log, { ca: test.receiver.ca });
  apps.push(app);
  return `http://127.0.0.1:${app.port}`;
};
const isWarnedOf = (reason: RegExp): boolean =>
  lines.some(
    (line) => line.msg?.startsWith('the event log cannot be followed') === true && reason.test(line.reason ?? ''),
  );

const expectAllToCome = async (url: string): Promise<void> => {
  const reader = await listen(`${url}/api/events/stream`);
  await test.register();
  const slugs: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    slugs.push(await test.publish(`Unheard ${i}`));
    await until('it is delivered', () => test.slugs().length === slugs.length);
    await until('it is streamed', () => reader.messages().length === slugs.length);
  }
  expect(test.slugs()).toEqual(slugs);
  await reader.stop();
};

it('delivers and streams where the Redis user may not wait for the log', async () => {
  await client.call('ACL', 'SETUSER', 'limited', 'on', '>pass', '~*', '&*', '+@all', '-xread');
  const url = await startLogged(`redis://limited:pass@${new URL(redis.url).host}`);
  await expectAllToCome(url);
  await until('it is warned of', () => isWarnedOf(/NOPERM/));
});

it('delivers and streams while Redis takes no further client, and follows the log again when it does', async () => {
  const url = await startLogged(redis.url);
  await until('the log is followed', async () => (await waiting()) === 1);
  const clients = (await client.client('LIST')) as string;
  await client.config('SET', 'maxclients', clients.trim().split('\n').length - 1);
  await client.call('CLIENT', 'KILL', 'ID', String(idOfBell(clients)));
  await expectAllToCome(url);
  await until('it is warned of', () => isWarnedOf(/./));
  await client.config('SET', 'maxclients', 10_000);
  await until('the log is followed again', async () => (await waiting()) === 1);
});

/** Counts the connections that wait for events. */
const waiting = async (): Promise<number> => Number(/^blocked_clients:(\d+)/m.exec(await client.info('clients'))?.[1]);
const idOfBell = (clients: string): string | undefined =>
  clients
    .split('\n')
    .flatMap((line) => (line.includes('cmd=xread') ? (/^id=(\d+)/.exec(line)?.[1] ?? []) : []))
    .at(-1);
