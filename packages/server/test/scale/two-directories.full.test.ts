/**
 * Two directories in one Cluster, whose keys begin differently: neither sees anything of the other. Each runs as a user
 * that may touch its own keys alone, so that Redis itself refuses a key without the prefix, and keys of two slots.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, DirectoryEvent, Post } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { scripts } from '../../src/redis/scripts.ts';
import { findRedis } from '../../../../scripts/find-redis.mjs';

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');
/** The permissions that the manual gives to a user, apart from its keys. */
const permissions = (/'~bots:\*' ((?:.*\\\n)*.*)$/m.exec(page('OPERATIONS.md'))?.[1] ?? '')
  .replaceAll(/[\\']/g, '')
  .split(/\s+/);
const cli = (findRedis() ?? '').replace(/server$/, 'cli');

const dayMs = 86_400_000;
let days = 0;
const world = { offsetMs: () => days * dayMs, pollMs: 20 };

useStarted(() => startNames((name) => (name.endsWith('.hooks.example.com') ? ['127.0.0.1'] : [])));
const store = useStarted(startCluster);
let nodes: Redis[];
let folder: string;

/** Permits a user the keys of one directory. Returns the settings of its processes. */
const settingsOf = async (user: string, prefix: string, more: Record<string, string> = {}) => {
  for (const node of nodes) await node.acl('SETUSER', user, 'reset', 'on', '>any', `~${prefix}bots:*`, ...permissions);
  return {
    REDIS_URL: store.url.replaceAll('//', `//${user}:any@`),
    REDIS_KEY_PREFIX: prefix,
    BOT_CATEGORIES: 'SEO,Marketing',
    WRITE_RATE_LIMIT: '1000/1m',
    ...more,
  };
};
const commandsOf = (settings: Record<string, string>, baseUrl?: string) =>
  operatorOf(settings.REDIS_URL ?? '', baseUrl, { REDIS_KEY_PREFIX: settings.REDIS_KEY_PREFIX ?? '' });

type Directory = DeliveryTest & { readonly settings: Record<string, string> } & ReturnType<typeof operatorOf>;
const start = async (user: string, prefix: string): Promise<Directory> => {
  // Nobody is there: an attempt suffices.
  const settings = await settingsOf(user, prefix, {
    TEMPLATE_RECHECK: '24h',
    OPERATOR_WEBHOOK: 'https://127.0.0.1:1024/',
  });
  const test = await startDelivery({ redis: null, settings, world });
  return { ...test, settings, ...commandsOf(settings, test.url) };
};

beforeAll(() => {
  nodes = store.url.split(',').map((url) => new Redis(url));
  folder = mkdtempSync(join(tmpdir(), 'two-directories-'));
});
afterAll(() => {
  for (const node of nodes) node.disconnect();
  rmSync(folder, { recursive: true });
});
const production = useStarted(() => start('production', ''));
const staging = useStarted(() => start('staging', 'staging:'));

const onNodes = <T>(use: (node: Redis) => Promise<T>): Promise<T[]> => Promise.all(nodes.map(use));

/** The scripts that ran since `SCRIPT FLUSH`: those with a moved clock have other texts, but are in the metrics. */
const ranOf = async (directory: Directory): Promise<ReadonlySet<string>> => {
  const names = Object.keys(scripts) as (keyof typeof scripts)[];
  const shas = names.map((name) => scripts[name].sha);
  const loaded = (await onNodes((node) => node.script('EXISTS', ...shas))) as number[][];
  const { body } = await directory.get<string>('/metrics');
  const measured = [...body.matchAll(/^store_operation_duration_seconds_count\{operation="([\w-]+)"/gm)];
  return new Set([
    ...names.filter((_, i) => loaded.some((found) => found[i] === 1)),
    ...measured.map(([, name = '']) => name),
  ]);
};

const expectOk = async (answer: Promise<{ readonly status: number }>): Promise<void> =>
  expect([200, 303]).toContain((await answer).status);

/** What clients do with a bot and a post. Returns their names. */
const useBot = async (directory: Directory, name: string) => {
  const { get, post } = directory;
  await directory.register('/all');
  await directory.register('/some', { filter: { category: ['Marketing'] } });
  const slug = await directory.publish(`${name} one`, { categories: ['Marketing'], author: '@ada' });
  await until('it is delivered', () => ['/all', '/some'].every((path) => directory.slugs(path).includes(slug)));
  await expectOk(post(`/api/bots/${slug}/integrations`, { integrations: ['slack'] }));
  await expectOk(post(`/api/bots/${slug}/reports`, { reason: 'spam' }));
  await expectOk(post(`/api/bots/${slug}/refresh`, {}));
  await expectOk(directory.install(slug));
  const { id } = (await post<Post>('/api/feed', { url: 'https://x.com/ada/status/1' })).body;
  const [event] = (await get<DirectoryEvent[]>('/api/events')).body;
  for (const path of [`/api/events?after=${event?.id}`, '/api/webhooks/keys', '/healthz/store', '/api/categories'])
    await expectOk(get(path));
  return { slug, id };
};

/** A webhook stops, is resumed, and another one is removed. */
const stopWebhook = async (directory: Directory, name: string): Promise<void> => {
  const { receiver } = directory;
  receiver.respond(({ path }, res) => res.writeHead(path === '/all' ? 500 : 204).end());
  await directory.publish(`${name} two`);
  await until('one stops', async () => (await directory.status('/all')).state === 'stopped');
  receiver.respond(204);
  expect(await directory.run('webhooks', 'resume', '--stopped-since', '2020-01-01')).toEqual({ resumed: 1 });
  await until('it has all', async () => (await directory.status('/all')).pending_events === 0);
  await directory.register('/left');
  await expectOk(directory.api('DELETE', '/api/webhooks/bots', { body: { url: receiver.url('/left') } }));
};

/** A template is lost, and comes back. Time passes, hour by hour, so that workers read it. */
const loseTemplate = async ({ provider, get, post, link }: Directory, name: string): Promise<void> => {
  const id = provider.template({ name });
  const { slug } = (await post<Bot>('/api/bots/submit', { link: link(id) })).body;
  const becomes = (status: number): Promise<void> =>
    until(`it is ${status}`, async () => {
      days += 1 / 24;
      return (await get(`/api/bots/${slug}`)).status === status;
    });
  provider.template((_req, res) => void res.writeHead(410).end(), id);
  await becomes(404);
  provider.template({ name: `${name} again` }, id);
  await becomes(200);
};

/** Another process starts, where a category has another name. */
const startMore = async (directory: Directory): Promise<void> => {
  const settings: Record<string, string> = {
    ...directory.settings,
    BOT_CATEGORIES: 'SEO,Growth=Marketing',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    ROLE: 'web',
  };
  const later = await startService({ redis: null, settings, world });
  await until('it is ready', async () => (await later.get('/readyz')).status === 200);
  expect((await later.get<Bot[]>('/api/bots')).body).toHaveLength(3);
  await later.stop();
};

/** Does everything that there is to do in a directory. */
const live = async (directory: Directory, name: string): Promise<void> => {
  const { slug, id } = await useBot(directory, name);
  await stopWebhook(directory, name);
  await loseTemplate(directory, `${name} three`);
  for (const words of [
    ['hide', slug, '--reason', 'Review.'],
    ['restore', slug],
    ['edit', slug, '--author', '@grace'],
    ['posts', 'hide', id, '--reason', 'Review.'],
    ['block', 'words', 'casino'],
    ['unblock', 'words', 'casino'],
    ['block', 'words', 'poker'],
    ['reports', 'close', slug],
    ['submissions', 'on'],
    ['deliveries', 'pause'],
    ['deliveries', 'resume'],
    ['webhooks'],
    ['bots'],
    ['rebuild'],
    ['accept-empty'],
    ['export', '--file', join(folder, `${name}.ndjson`), '--with-keys'],
  ])
    await directory.run(...words);
  await startMore(directory);
  await directory.run('remove', slug, '--reason', 'Spam.');
  await until('old things are cleared away', async () => (await ranOf(directory)).has('expire-reports'));
};

/** All that a directory shows, to anybody. */
const shown = async ({ get, run }: Directory): Promise<unknown[]> => {
  const paths = ['/api/bots', '/api/feed', '/api/events', '/api/categories', '/bots.atom'];
  const lists = [['webhooks'], ['audit'], ['reports'], ['block'], ['bots'], ['posts'], ['settings']];
  return [
    ...(await Promise.all(paths.map(async (path) => (await get(path)).body))),
    ...(await Promise.all(lists.map((words) => run(...words)))),
  ];
};
const denied = async (): Promise<unknown[]> => (await onNodes((node) => node.acl('LOG'))).flat();

it('Redis refuses a key of another directory', async () => {
  const client = new Redis((staging.settings.REDIS_URL ?? '').split(',')[0] ?? '');
  await expect(client.get('bots:{directory}:state')).rejects.toThrow('NOPERM');
  client.disconnect();
  expect(await denied()).toHaveLength(1);
  await onNodes((node) => node.acl('LOG', 'RESET'));
});

it('one does everything with its own keys, and the other shows nothing of it', async () => {
  await useBot(production, 'production');
  const before = await shown(production);
  const received = production.receiver.received.length;
  await onNodes((node) => node.script('FLUSH'));
  await live(staging, 'staging');
  // A start runs begin-epoch before anything is measured.
  await until('all others ran', async () => {
    const ran = await ranOf(staging);
    return Object.keys(scripts).every((script) => ran.has(script) || script === 'begin-epoch');
  });
  expect(await denied()).toEqual([]);
  expect((await staging.get('/metrics')).body).toContain('store_lacks{lack="info"} 0');
  expect(await staging.run('check')).toEqual([]);
  expect(await shown(production)).toEqual(before);
  expect(production.receiver.received).toHaveLength(received);
});

it('webhooks of every partition get every event', async () => {
  const { receiver } = production;
  const urls = Array.from({ length: 40 }, (_, i) => `https://w${i}.hooks.example.com:${receiver.port}/${i}`);
  for (const url of urls) expect((await production.post('/api/webhooks/bots', { url })).status).toBe(200);
  const slugs: string[] = [];
  for (let i = 0; i < 3; i += 1) slugs.push(await production.publish(`Event ${i}`));
  await until('every webhook has all', () => urls.every((_url, i) => receiver.events(`/${i}`).length === 3));
  for (const [i] of urls.entries()) expect(production.slugs(`/${i}`)).toEqual(slugs);
});

it('limits, switches and settings are those of one', async () => {
  await staging.run('deliveries', 'pause');
  await staging.run('submissions', 'off', '--reason', 'Review.');
  const left = async (directory: Directory): Promise<number> => {
    const { headers } = await directory.post('/api/bots/none/refresh', {});
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  const before = await left(staging);
  for (let i = 0; i < 5; i += 1) await left(production);
  expect(await left(staging)).toBe(before - 1);
  const slug = await production.publish('production open');
  await until('it is delivered', () => production.slugs('/all').includes(slug));
  expect(staging.receiver.received.some(({ body }) => body.toString().includes('production'))).toBe(false);
  const baseUrlOf = async ({ run }: Directory): Promise<string | undefined> =>
    (await run<{ setting: string; value: string }[]>('settings')).find(({ setting }) => setting === 'BASE_URL')?.value;
  expect(await baseUrlOf(production)).not.toBe(await baseUrlOf(staging));
});

it('a backup of one is restored under another prefix', async () => {
  const copy = commandsOf(await settingsOf('copy', 'copy.'));
  const from = join(folder, 'from.ndjson');
  const to = join(folder, 'to.ndjson');
  await staging.run('export', '--with-keys', '--file', from);
  await copy.run('import', from, '--resume', '--with-keys');
  await copy.run('export', '--with-keys', '--file', to);
  expect(readFileSync(to, 'utf8')).toBe(readFileSync(from, 'utf8'));
  expect(await copy.run('check')).toEqual([]);
  expect((await copy.carryOut('import', from)).error).toContain('not empty');
  expect(await denied()).toEqual([]);
});

it('a wrong prefix is noticed as any other store without the directory', async () => {
  const settings = await settingsOf('wrong', 'wrong_', { EMPTY_STORE: 'refuse' });
  const lost = await startService({ redis: null, settings });
  expect((await lost.get('/api/bots')).status).toBe(500);
  expect(JSON.stringify((await lost.get('/healthz/store')).body)).toContain('correct REDIS_URL or REDIS_KEY_PREFIX');
  await commandsOf(settings).run('accept-empty');
  await until('it is served', async () => (await lost.get('/api/bots')).status === 200);
  await lost.stop();
});

it('the keys of one go by the commands of the manual: it notices, and the other has everything', async () => {
  const before = await shown(production);
  const [, commands = ''] = /^```sh\n(redis-cli .*unlink[^]*?)^```$/m.exec(page('SETTINGS.md')) ?? [];
  for (const url of store.url.split(',')) {
    const { stderr } = spawnSync('sh', ['-c', commands.replaceAll('redis-cli', cli)], {
      env: { ...process.env, REDIS_ADMIN_URL: url },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
  }
  await until('it notices', async () => (await staging.get('/api/bots')).status === 500);
  expect(JSON.stringify((await staging.get('/healthz/store')).body)).toMatch(/is empty, and had \d+ bots and posts/);
  expect(await shown(production)).toEqual(before);
});
