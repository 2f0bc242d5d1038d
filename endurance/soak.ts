/**
 * The soak: mixed load and random kills for as long as you like. `npm run endurance soak -- [minutes]`. Prints heap,
 * handles, keys and memory of Redis ten times; exits with 1 when the second half grew by more than what was published
 * in it explains, or when a webhook missed an event.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { deliverySettings } from '@bot-directory/testing/delivery';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startTestRedis } from '@bot-directory/testing/redis';
import { callers } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { startServer } from '../bench/support/server.ts';

const minutes = Number(process.argv[2] ?? 10);
const readers = 4;
const writeEveryMs = 250;
const killEveryMs = 15_000;
const samples = 10;
/** More than a bot, its event and its representations take, in a process and in Redis. */
const heapPerBot = 20_000;
const redisPerBot = 10_000;
const noiseBytes = 8_000_000;

const home = mkdtempSync(join(tmpdir(), 'bot-directory-soak-'));
const redis = await startTestRedis({ persist: true });
const client = new Redis(redis.url, { maxRetriesPerRequest: null });
client.on('error', () => undefined);
const provider = await startProvider();
const receiver = await startReceiver();
writeFileSync(join(home, 'ca.pem'), receiver.ca);
const arrived = new Set<string>();
receiver.respond(({ headers }, res) => {
  receiver.received.length = 0;
  if (headers['x-service-event'] === 'bot.created') arrived.add(String(headers['webhook-id']));
  res.writeHead(204).end();
});
const settings = { ...deliverySettings, NODE_EXTRA_CA_CERTS: join(home, 'ca.pem') };
const server = await startServer({
  probed: 'memory',
  sharing: { redisUrl: redis.url, templateOrigin: provider.origin },
  settings: { ...settings, ROLE: 'web', LOG_LEVEL: 'fatal' },
});
const startWorker = (): Promise<ServerProcess> =>
  startProcess({ ...settings, REDIS_URL: redis.url, TEMPLATE_HOST: templateHost, ROLE: 'worker', LOG_LEVEL: 'fatal' });
const workers = await Promise.all([startWorker(), startWorker()]);
const { api, get, post } = callers(server.baseUrl);
await until('it is ready', async () => (await get('/readyz')).status === 200);
await post('/api/webhooks/bots', { url: receiver.url('/stays') });

const endMs = performance.now() + minutes * 60_000;
/** A write is taken, or is there already, or the store is away. */
const fair = new Set([200, 409, 503]);
const unfair = new Set<string>();
const isOver = (): boolean => performance.now() >= endMs;
let requests = 0;
let published = 0;
let kills = 0;
const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];

const writes: readonly ((n: number) => Promise<{ status: number; body: unknown }>)[] = [
  async (n) => {
    const link = `https://${templateHost}/bot/${provider.template({ name: `Soaked ${n}` })}`;
    const answer = await post('/api/bots/submit', { link });
    if (answer.status === 200) published += 1;
    return answer;
  },
  (n) => post('/api/bots/soaked-0/integrations', { integrations: [`tool-${n % 20}`] }),
  (n) => post('/api/feed', { url: `https://x.com/jo/status/${1 + (n % 50)}` }),
  () => post('/api/bots/soaked-0/reports', { reason: 'spam' }),
  async (n) => {
    const body = { url: receiver.url(`/comes-and-goes/${n % 10}`) };
    const added = await post('/api/webhooks/bots', body);
    return added.status === 503 || added.status === 400 ? added : api('DELETE', '/api/webhooks/bots', { body });
  },
];
const paths = [
  '/api/bots',
  '/api/bots?limit=20',
  '/api/feed',
  '/api/categories',
  '/api/bots/soaked-0',
  '/',
  '/api/events',
];

const reading = async (): Promise<void> => {
  while (!isOver()) {
    const path = `${pick(paths)}`;
    const query = path === '/api/bots?limit=20' ? `&q=soaked+${Math.floor(Math.random() * 500)}` : '';
    await (await fetch(`${server.baseUrl}${path}${query}`)).arrayBuffer();
    requests += 1;
    await sleep(5);
  }
};
const streaming = async (): Promise<void> => {
  while (!isOver()) {
    const stream = await fetch(`${server.baseUrl}/api/events/stream`).catch(() => undefined);
    await sleep(Math.random() * 2_000);
    await stream?.body?.cancel();
  }
};
const writing = async (): Promise<void> => {
  await writes[0]?.(0);
  for (let n = 1; !isOver(); n += 1) {
    const answer = await pick(writes)?.(n);
    if (answer !== undefined && !fair.has(answer.status)) unfair.add(`${answer.status} ${JSON.stringify(answer.body)}`);
    requests += 1;
    await sleep(writeEveryMs);
  }
};
const killing = async (): Promise<void> => {
  for (;;) {
    await sleep(Math.min(killEveryMs * (0.5 + Math.random()), Math.max(0, endMs - performance.now())));
    if (isOver()) return;
    kills += 1;
    const victim = Math.floor(Math.random() * (workers.length + 1));
    if (victim < workers.length) {
      await workers[victim]?.kill();
      workers[victim] = await startWorker();
    } else {
      await redis.kill();
      await redis.restart();
    }
  }
};

type Sample = Awaited<ReturnType<typeof sample>>;
const sample = async () => {
  await until('the store is back', async () => (await get('/healthz/store')).status === 200, 60_000);
  const { heapUsed, external, rss } = await server.vitals({ collected: true });
  const metrics = String((await get('/metrics')).body);
  const handles = [...metrics.matchAll(/^nodejs_active_handles\{.*\} (\d+)/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  const memory = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  return { heap: heapUsed + external, rss, handles, keys: await client.dbsize(), memory, published, requests, kills };
};

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
const print = (minute: number, s: Sample): void => {
  const cells = [
    minute.toFixed(1),
    s.requests,
    s.published,
    s.kills,
    mb(s.heap),
    mb(s.rss),
    s.handles,
    s.keys,
    mb(s.memory),
  ];
  console.log(`| ${cells.join(' | ')} |`);
};

const taken: Sample[] = [];
const sampling = async (): Promise<void> => {
  console.log('| minute | requests | bots | kills | heap MB | RSS MB | handles | keys | Redis MB |');
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (let i = 1; i <= samples; i += 1) {
    await sleep((minutes * 60_000) / samples);
    const one = await sample();
    taken.push(one);
    print((i * minutes) / samples, one);
  }
};

try {
  await Promise.all([sampling(), writing(), killing(), streaming(), ...Array.from({ length: readers }, reading)]);
  const log = (await client.xrange('bots:{directory}:events', '-', '+')).map(
    ([, fields]) => fields[fields.indexOf('id') + 1] ?? '',
  );
  const missing = (): number => log.filter((id) => !arrived.has(id)).length;
  await until('all are delivered', () => missing() === 0, 60_000).catch(() => undefined);
  const middle = taken[Math.floor(samples / 2) - 1];
  const last = taken.at(-1);
  const bots = (last?.published ?? 0) - (middle?.published ?? 0);
  const grown = { heap: (last?.heap ?? 0) - (middle?.heap ?? 0), memory: (last?.memory ?? 0) - (middle?.memory ?? 0) };
  const isFlat =
    grown.heap < noiseBytes + bots * heapPerBot &&
    grown.memory < noiseBytes + bots * redisPerBot &&
    (last?.handles ?? 0) - (middle?.handles ?? 0) < 50;
  if (unfair.size > 0) console.log(`writes were answered with ${[...unfair].join(', ')}`);
  console.log(
    `second half: ${bots} bots, heap ${mb(grown.heap)} MB, Redis ${mb(grown.memory)} MB; ${missing()} events missing; ${isFlat ? 'flat' : 'NOT FLAT'}`,
  );
  process.exitCode = isFlat && missing() === 0 && unfair.size === 0 ? 0 : 1;
} finally {
  await Promise.all(workers.map((worker) => worker.stop()));
  await server.stop();
  client.disconnect();
  await Promise.all([provider.stop(), receiver.stop()]);
  await redis.stop();
  rmSync(home, { recursive: true, force: true });
}
