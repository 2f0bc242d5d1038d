/** At each connection, the service checks the store: it reports what is missing, and refuses what would lose data. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { operatorOf } from '@bot-directory/testing/operator';
import { runToEnd, startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { requireRedisCli } from '../../../../scripts/find-redis.mjs';

const manual = readFileSync(join(import.meta.dirname, '../../../../docs/OPERATIONS.md'), 'utf8');

let client: Redis;
useStarted(() => startNames(() => ['127.0.0.1']));
const redis = useStarted(startTestRedis);
beforeAll(() => {
  client = new Redis(redis.url);
});
beforeEach(async () => {
  await client.flushall();
  await client.config('SET', 'maxmemory-policy', 'noeviction');
});
afterAll(() => {
  client.disconnect();
});

const settings = (url: string, more: Record<string, string> = {}): Record<string, string> => ({
  REDIS_URL: url,
  TEMPLATE_HOST: templateHost,
  ...more,
});
const as = (user: string): string => redis.url.replace('//', `//${user}:any@`);
const allow = (user: string, ...rules: string[]) =>
  client.acl('SETUSER', user, 'reset', 'on', 'nopass', '~*', ...rules);

it('refuses to start while Redis may evict any key', async () => {
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const { code, output } = await runToEnd('main.js', settings(redis.url));
  expect([code, output]).toEqual([1, expect.stringContaining('maxmemory-policy allkeys-lru and would evict bots')]);
  // The operator can still save what is there.
  expect((await runToEnd('admin.js', settings(redis.url), ['export'])).code).toBe(0);
});

it('refuses to start with WRITE_REPLICAS if it may not WAIT', async () => {
  await allow('hasty', '+@all', '-wait');
  const { code, output } = await runToEnd('main.js', settings(as('hasty'), { WRITE_REPLICAS: '1' }));
  expect([code, output]).toEqual([1, expect.stringContaining('WRITE_REPLICAS needs the command WAIT')]);
});

it.each(['-evalsha', '-hget'])('refuses to start if its user has %s', async (missing) => {
  await allow('limited', '+@all', missing, '-eval');
  const { code, output } = await runToEnd('main.js', settings(as('limited')));
  expect([code, output]).toEqual([1, expect.stringContaining('needs more permissions, as in OPERATIONS.md')]);
});

it('names what puts data at risk in its log and in a gauge, until it is no longer the case', async () => {
  await client.config('SET', 'maxmemory-policy', 'volatile-lru');
  const server = await startProcess(settings(redis.url));
  const lacks = async (): Promise<string[]> =>
    [...String((await server.get('/metrics')).body).matchAll(/^store_lacks\{lack="(\w+)"\} 1$/gm)].map(
      ([, lack = '']) => lack,
    );
  await until('it is ready', async () => (await server.get('/readyz')).status === 200);
  expect(await lacks()).toEqual(['append_only_file', 'no_eviction']);
  const figure = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(String((await server.get('/metrics')).body))?.[1]);
  expect(await figure('store_memory_bytes')).toBeGreaterThan(100_000);
  expect([await figure('store_memory_limit_bytes'), await figure('store_evicted_keys')]).toEqual([0, 0]);
  await client.set('somebody’s', '', 'EX', 100);
  await client.config('SET', 'maxmemory', '1');
  await client.set('no room', '').catch(() => undefined);
  expect([await figure('store_memory_limit_bytes'), await figure('store_evicted_keys')]).toEqual([1, 1]);
  await client.config('SET', 'maxmemory', '0');
  expect(server.output()).toMatch(/append_only_file.*the store is at risk/);
  await client.config('SET', 'maxmemory-policy', 'noeviction');
  await client.config('SET', 'appendonly', 'yes');
  expect(await lacks()).toEqual(['fsync']);
  await client.config('SET', 'appendfsync', 'everysec');
  expect(await lacks()).toEqual([]);
  await client.config('SET', 'appendonly', 'no');
  await client.config('SET', 'appendfsync', 'no');
  await server.stop();
});

it('says so if its user may not run INFO', async () => {
  await allow('uninformed', '+@all', '-info');
  const server = await startProcess(settings(as('uninformed')));
  await until('it is ready', async () => (await server.get('/readyz')).status === 200);
  expect(server.output()).toContain('grant +info');
  await server.stop();
});

it('has the reason in the body of /healthz/store', async () => {
  const server = await startProcess(settings(redis.url));
  await until('it is ready', async () => (await server.get('/readyz')).status === 200);
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until('it is refused', async () => (await server.get('/api/bots')).status === 500);
  await until('it says why', async () =>
    JSON.stringify((await server.get('/healthz/store')).body).includes('the store has maxmemory-policy allkeys-lru'),
  );
  await server.stop();
});

it('names several servers that are no Cluster as the reason', async () => {
  const server = await startProcess(settings(`${redis.url},${redis.url}`));
  await until('it says why', () => /several servers that are no Cluster/.test(server.output()));
  await until('so does /readyz', async () =>
    JSON.stringify((await server.get('/readyz')).body).includes('several servers that are no Cluster'),
  );
  await server.stop();
});

it('opens the whole Cluster if REDIS_URL is one of its nodes', async () => {
  const cluster = await startCluster();
  const [url = ''] = cluster.url.split(',');
  const test = await startDelivery({ redis: null, settings: { REDIS_URL: url } });
  // They are in several partitions.
  const urls = Array.from({ length: 6 }, (_, i) => `https://w${i}.hooks.example.com:${test.receiver.port}/${i}`);
  for (const hook of urls) expect((await test.post('/api/webhooks/bots', { url: hook })).status).toBe(200);
  const slug = await test.publish('Everywhere');
  await until('all have it', () => urls.every((_, i) => test.slugs(`/${i}`).includes(slug)));
  expect(await operatorOf(url).run<Bot[]>('bots')).toHaveLength(1);
  await test.stop();
  await cluster.stop();
});

it('the permissions of the manual cover each command that stands in a script', async () => {
  const [, rule = ''] =
    /^redis-cli (-u "\$REDIS_ADMIN_URL" acl setuser bot-directory (?:.*\\\n)*.*)$/m.exec(manual) ?? [];
  const { stdout } = spawnSync('sh', ['-c', `${requireRedisCli()} ${rule}`], {
    env: { REDIS_ADMIN_URL: redis.url },
    encoding: 'utf8',
  });
  expect(stdout.trim()).toBe('OK');
  const folder = join(import.meta.dirname, '../../src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lua'));
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const names = new Set([...text.matchAll(/['"]([A-Z]{2,})['"]/g)].map(([, name = '']) => name));
  expect(names).toContain('ZADD');
  // Managed services refuse INFO in scripts, whatever the user may do.
  expect(names).not.toContain('INFO');
  for (const name of names) {
    const [info] = (await client.call('COMMAND', 'INFO', name)) as (readonly [string, number] | null)[];
    // It is another word in capitals, and no command.
    if (info === undefined || info === null) continue;
    const subcommand = new RegExp(`'${name}', '([A-Z]+)'`).exec(text)?.slice(1) ?? [];
    const args = [...subcommand, ...Array.from({ length: Math.abs(info[1]) - 1 }, () => 'bots:state')];
    expect([name, await client.call('ACL', 'DRYRUN', 'bot-directory', name, ...args)]).toEqual([name, 'OK']);
  }
});
