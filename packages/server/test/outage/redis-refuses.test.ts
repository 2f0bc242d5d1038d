import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import type { Bot, Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { failSnapshots } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let redis: Redis;
const service = useStarted(() => startService({ settings: { WRITE_RATE_LIMIT: '1000/1m' } }));
beforeAll(async () => {
  redis = new Redis(service.redis?.url ?? '');
  await service.publish('First');
});
afterAll(() => {
  redis.disconnect();
});

const names = async (): Promise<string[]> => (await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name);

it.each([
  [
    'is full',
    { list: 200 },
    async () => redis.config('SET', 'maxmemory', '1'),
    async () => redis.config('SET', 'maxmemory', '0'),
  ],
  [
    // What it holds may be old.
    'is a replica since a failover',
    { list: 500 },
    async () => redis.replicaof('127.0.0.1', 1),
    async () => redis.replicaof('NO', 'ONE'),
  ],
])('answers writes with 503 while Redis %s, and lists with %j', async (state, { list }, begin, end) => {
  const id = service.provider.template({ name: state });
  const before = await names();
  await begin();
  const writes = [
    ['/api/bots/submit', { link: service.link(id) }],
    ['/api/bots/first/integrations', { integrations: [state] }],
    ['/api/feed', { url: 'https://x.com/jo/status/1' }],
  ] as const;
  for (const [path, body] of writes) {
    const answer = await service.post<Problem>(path, body);
    expect([path, answer.status, answer.body.code]).toEqual([path, 503, 'store_unavailable']);
  }
  expect((await service.post('/api/feed', { url: 'x' })).status).toBe(400);
  expect((await service.get('/api/bots')).status).toBe(list);
  await end();
  await until('lists are answered', async () => (await service.get('/api/bots')).status === 200);
  expect(await names()).toEqual(before);
  expect((await service.get<Bot[]>('/api/bots')).body.every(({ integrations }) => integrations.length === 0)).toBe(
    true,
  );
  expect((await service.post('/api/bots/submit', { link: service.link(id) })).status).toBe(200);
  expect(await names()).toEqual([state, ...before]);
});

/** What Prometheus has of a store. */
const figures = async () => {
  const { body } = await service.get<string>('/metrics');
  const failed = (reason: string) =>
    Number(new RegExp(`^store_errors_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(body)?.[1] ?? 0);
  return { isUp: body.includes('\nstore_up 1\n'), refused: failed('refused'), unreachable: failed('unreachable') };
};

it.each([
  ['MISCONF', () => failSnapshots(redis)],
  [
    'OOM',
    async () => {
      await redis.config('SET', 'maxmemory', '1');
      return () => redis.config('SET', 'maxmemory', '0');
    },
  ],
  [
    'NOREPLICAS',
    async () => {
      await redis.config('SET', 'min-replicas-to-write', '1');
      return () => redis.config('SET', 'min-replicas-to-write', '0');
    },
  ],
])('reports %s as a refusal, and lets everybody read', async (code, begin) => {
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-export-'));
  const operator = operatorOf(service.redis?.url ?? '');
  const before = await figures();
  const end = await begin();
  const started = await Promise.all(
    ['web', 'worker'].map((ROLE) =>
      startProcess({ REDIS_URL: service.redis?.url ?? '', TEMPLATE_HOST: templateHost, ROLE }),
    ),
  );
  try {
    for (const { get } of started) await until('it is ready', async () => (await get('/readyz')).status === 200);
    for (const { get } of [service, ...started]) {
      const health = await get<{ status: string; reason: string }>('/healthz/store');
      expect([health.status, health.body.status]).toEqual([503, 'unavailable']);
      expect(health.body.reason).toMatch(new RegExp(`^${code} `));
    }
    expect((await service.post('/api/feed', { url: 'https://x.com/jo/status/1' })).status).toBe(503);
    const { isUp, refused, unreachable } = await figures();
    expect([isUp, unreachable, refused > before.refused]).toEqual([true, before.unreachable, true]);
    expect((await service.get('/api/bots')).status).toBe(200);
    expect(await operator.run('bots')).not.toEqual([]);
    expect(await operator.attempt('export', '--file', join(folder, code))).toMatchObject({ code: 0 });
  } finally {
    await end();
    rmSync(folder, { recursive: true });
  }
  for (const { get, stop } of started) {
    expect((await get('/healthz/store')).status).toBe(200);
    await stop();
  }
});

it('answers 503 to what its user may not do, and logs no URL of a webhook', async () => {
  await redis.call('ACL', 'SETUSER', 'limited', 'on', '>hunter2', '~bots:{[dk]*', '&*', '+@all');
  const url = `redis://limited:hunter2@${new URL(service.redis?.url ?? '').host}`;
  const server = await startProcess({ REDIS_URL: url, TEMPLATE_HOST: templateHost, LOG_LEVEL: 'trace' });
  const answer = await server.api<Problem>('DELETE', '/api/webhooks/bots', {
    body: { url: 'https://hooks.acme.com/secret-path' },
  });
  expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
  await server.stop();
  expect(server.output()).toMatch(/NOPERM|ACL failure|The user executing/);
  expect(server.output()).not.toMatch(/secret-path|hunter2/);
});

it('answers 500 to a store that holds something else, and logs it once, without the URL', async () => {
  const server = await startProcess({
    REDIS_URL: service.redis?.url ?? '',
    TEMPLATE_HOST: templateHost,
    LOG_LEVEL: 'trace',
    ROLE: 'web',
  });
  expect(await redis.keys('bots:{webhooks-*}:*')).toEqual([]);
  for (let i = 0; i < 16; i += 1) await redis.set(`bots:{webhooks-${i}}:urls`, 'no hash');
  const answer = await server.api<Problem>('DELETE', '/api/webhooks/bots', {
    body: { url: 'https://hooks.acme.com/secret-path' },
  });
  expect([answer.status, answer.body.code]).toEqual([500, 'internal_error']);
  expect(answer.body.detail).not.toContain('WRONGTYPE');
  await server.stop();
  const bugs = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  expect(bugs).toHaveLength(1);
  expect(bugs[0]).toContain('WRONGTYPE');
  expect(bugs[0]).toContain(answer.body.request_id);
  expect(server.output()).not.toContain('secret-path');
});
