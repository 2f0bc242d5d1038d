import { afterAll, beforeAll, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import type { Bot, Problem } from '@bot-directory/contract';
import { startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
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
