/** A directory that is gone, or much smaller, without a removal: it is reported, and never served as an empty one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

const redis = useStarted(startTestRedis);
const provider = useStarted(startProvider);
let client: Redis;
beforeAll(() => {
  client = new Redis(redis.url).on('error', () => undefined);
});
// Both are empty: what Redis holds, and the file that it reads when it comes back.
beforeEach(async () => {
  await client.flushall();
  await client.save();
});
afterAll(() => client.disconnect());

const start = async (settings: Record<string, string> = {}): Promise<ServerProcess> => {
  const server = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    WRITE_RATE_LIMIT: '0',
    ...settings,
  });
  onTestFinished(async () => void (await server.stop()));
  return server;
};
const publish = async (server: ServerProcess, count: number): Promise<number[]> => {
  const statuses = [];
  for (let i = 0; i < count; i += 1) {
    const link = `https://${templateHost}/bot/${provider.template({ name: `Bot ${i}` })}`;
    statuses.push((await server.post('/api/bots/submit', { link })).status);
  }
  return statuses;
};
const operator = () => operatorOf(redis.url);

const served = (server: ServerProcess, count: number): Promise<void> =>
  until('it is served', async () => {
    const { status, body } = await server.get<Bot[]>('/api/bots');
    return status === 200 && body.length === count;
  });

const lostIn = async (server: ServerProcess): Promise<string | undefined> =>
  /^directory_lost_entries (\d+)$/m.exec((await server.get<string>('/metrics')).body)?.[1];

const paths = ['/api/bots', '/api/feed', '/api/events', '/api/categories', '/', '/feed', '/bots.atom'];

const statusesOf = (server: ServerProcess): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await server.get(path)).status));

/** As while the store is away. */
const refused = paths.map((path) => (path === '/api/events' ? 503 : 500));
const numbers = (had: number): RegExp =>
  new RegExp(`"level":"error".*the directory is empty, and had ${had} bots and posts`);

it('after FLUSHALL, no process serves it, until the operator accepts that it is empty', async () => {
  const { attempt, run } = operator();
  const first = await start();
  expect(await publish(first, 3)).toEqual([200, 200, 200]);
  await served(first, 3);
  expect(await lostIn(first)).toBe('0');
  await client.flushall();

  // The first that comes is a write: it must not begin another directory.
  expect(await publish(first, 1)).toEqual([503]);
  expect(await statusesOf(first)).toEqual(refused);
  await until('the log says so', () => numbers(3).test(first.output()));
  expect((await first.get('/readyz')).status).toBe(200);
  expect((await first.get('/healthz/store')).status).toBe(503);
  expect(await lostIn(first)).toBe('3');
  // It remembers nothing, but the others do.
  const later = await start();
  expect(await statusesOf(later)).toEqual(refused);
  await until('the log says so', () => numbers(3).test(later.output()));
  expect((await attempt('check')).code).toBe(2);

  expect((await attempt('accept-empty')).output).toMatch(/has 0 bots and posts, and had 3.*--yes/);
  expect(await run('accept-empty')).toEqual({ had: 3, has: 0 });
  for (const server of [first, later]) await served(server, 0);
  expect([await lostIn(first), (await attempt('check')).code]).toEqual(['0', 0]);
  expect(await publish(later, 1)).toEqual([200]);
  for (const server of [first, later]) await served(server, 1);
  expect(first.output().match(/"level":"error"/g)).toHaveLength(1);
});

/** What Redis holds: the names of keys, and of the note's fields, but for what the directory had. */
const written = async (): Promise<string[]> => {
  const names = [...(await client.keys('*')), ...(await client.hkeys(keys.note))];
  return names.filter((name) => ![keys.note, 'had', 'acceptance'].includes(name));
};

it.each([
  ['GET', '/api/webhooks/keys', undefined],
  ['POST', '/api/webhooks/bots', { url: 'https://8.8.8.8/hook' }],
  ['POST', '/api/feed', { url: 'https://x.com/ada/status/1' }],
  ['POST', '/bots/bot-0/install', undefined],
  ['POST', '/api/bots/bot-0/reports', { reason: 'spam' }],
] as const)('after FLUSHALL, %s %s as the first request writes nothing', async (method, path, body) => {
  const server = await start({ ROLE: 'web', WRITE_RATE_LIMIT: '10/1m' });
  await publish(server, 1);
  await served(server, 1);
  await client.flushall();
  const { status } = await server.api(method, path, body === undefined ? {} : { body });
  expect([status, await written()]).toEqual([503, []]);
});

it('after FLUSHALL, workers and processes that start write nothing until the operator accepts it', async () => {
  const first = await start({ TEMPLATE_RECHECK: '1h' });
  await publish(first, 2);
  await served(first, 2);
  await client.flushall();
  await until('the worker notices', () => numbers(2).test(first.output()));
  const later = await start({ TEMPLATE_RECHECK: '1h' });
  await until('the log says so', () => numbers(2).test(later.output()));
  expect((await later.get('/api/webhooks/keys')).status).toBe(503);
  expect(await written()).toEqual([]);
  await operator().run('accept-empty');
  for (const server of [first, later]) await served(server, 0);
  expect((await later.get('/api/webhooks/keys')).status).toBe(200);
});

it('after FLUSHALL, a process that came before another one noticed writes nothing once that one did', async () => {
  const first = await start({ ROLE: 'web' });
  await publish(first, 1);
  await served(first, 1);
  await client.flushall();
  const later = await start({ ROLE: 'web' });
  await until('the first notices', async () => (await first.get('/api/bots')).status === 500);
  const { status } = await later.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  expect([status, await client.exists(keys.posts)]).toEqual([503, 0]);
});

it('after Redis came back without its data, an import ends it', async () => {
  const { run } = operator();
  const server = await start();
  await publish(server, 2);
  const folder = mkdtempSync(join(tmpdir(), 'emptied-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await run('export', '--file', join(folder, 'backup.ndjson'));
  await publish(server, 2);
  await served(server, 4);
  await redis.kill();
  await redis.restart();
  await until('the log says so', async () => {
    await server.get('/api/bots');
    return numbers(4).test(server.output());
  });
  expect(await statusesOf(server)).toEqual(refused);
  // It runs, and has written its note into the empty store.
  await run('import', join(folder, 'backup.ndjson'));
  await served(server, 2);
  expect(await lostIn(server)).toBe('0');
});

it('with EMPTY_STORE=refuse, a process that remembers nothing serves no store without a directory', async () => {
  const { run } = operator();
  const server = await start({ EMPTY_STORE: 'refuse' });
  expect(await statusesOf(server)).toEqual(refused);
  expect(await publish(server, 1)).toEqual([503]);
  expect((await server.get('/readyz')).status).toBe(503);
  await run('accept-empty');
  await served(server, 0);
  expect(await publish(server, 1)).toEqual([200]);
});

it('after the node of a Cluster that has the directory came back empty, another node remembers', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const settings = { REDIS_URL: cluster.url };
  const before = await start(settings);
  await publish(before, 2);
  await served(before, 2);
  await before.stop();
  await (await cluster.nodeOf(keys.state))?.client.flushall();
  const after = await start(settings);
  expect(await statusesOf(after)).toEqual(refused);
  await until('the log says so', () => numbers(2).test(after.output()));
  await operatorOf(cluster.url).run('accept-empty');
  await served(after, 0);
});

it('a directory that has shrunk without a removal is served, and reported with both numbers', async () => {
  const { run } = operator();
  const server = await start();
  await publish(server, 5);
  await client.save();
  await publish(server, 5);
  await run('hide', 'bot-0', 'bot-1');
  await served(server, 8);
  expect(await lostIn(server)).toBe('0');
  await redis.kill();
  await redis.restart();
  await until('it is served', async () => (await server.get('/api/bots')).status === 200);
  await served(server, 5);
  expect(await lostIn(server)).toBe('5');
  const isReported = /"level":"error".*"had":10,"has":5.*the directory has lost bots or posts/;
  expect(server.output()).toMatch(isReported);
  // A process that starts now remembers nothing, but the note does, and stays as it is.
  const later = await start();
  await served(later, 5);
  expect([later.output(), await lostIn(later)]).toEqual([expect.stringMatching(isReported), '5']);
  expect(await run('accept-empty')).toEqual({ had: 10, has: 5 });
  for (const one of [server, later]) {
    await served(one, 5);
    await until('it is accepted', async () => (await lostIn(one)) === '0');
  }
});

it('once an emptied store is accepted, all processes publish one signing key, and lists are empty', async () => {
  const settings = { REDIS_URL: redis.url };
  const old = await startService({ redis: null, provider, settings });
  await old.publish('Gone');
  expect((await old.get('/api/webhooks/keys')).status).toBe(200);
  await client.flushall();
  await operator().run('accept-empty');
  const fresh = await startService({ redis: null, provider, settings });
  const names = async (service: Service): Promise<string[]> =>
    (await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name);
  const keyOf = async (service: Service): Promise<unknown> => (await service.get('/api/webhooks/keys')).body;
  const made = JSON.stringify(await keyOf(fresh));
  expect(await names(old)).toEqual([]);
  await until('they agree', async () => JSON.stringify(await keyOf(old)) === made);
  await old.publish('New');
  expect([await names(old), await names(fresh)]).toEqual([['New'], ['New']]);
  expect([await keyOf(old), await keyOf(fresh)].map((key) => JSON.stringify(key))).toEqual([made, made]);
  await fresh.stop();
  await old.stop();
});
