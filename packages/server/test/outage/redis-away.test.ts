import { expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProcess } from '@bot-directory/testing/process';
import { startTestRedis } from '@bot-directory/testing/redis';
import { noPatience, startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { withinTwoSeconds } from '@bot-directory/testing/within';

const service = useStarted(() => startService({ settings: { WRITE_RATE_LIMIT: '1000/1m' }, world: noPatience }));

const expectAway = async (): Promise<void> => {
  for (const path of [
    '/api/bots',
    '/api/bots?limit=3',
    '/api/feed',
    '/api/categories',
    '/api/integrations',
    '/api/bots/before',
  ]) {
    const list = await withinTwoSeconds(() => service.get<Problem>(path));
    expect([path, list.status, list.body.code]).toEqual([path, 500, 'directory_unavailable']);
  }
  const writes = [
    ['POST', '/api/bots/submit', { link: service.link('t') }],
    ['POST', '/api/bots/before/integrations', { integrations: ['slack'] }],
    ['POST', '/api/feed', { url: 'https://x.com/jo/status/1' }],
    ['POST', '/api/webhooks/bots', { url: 'https://hooks.example.com/' }],
    ['DELETE', '/api/webhooks/bots', { url: 'https://hooks.example.com/' }],
  ] as const;
  for (const [method, path, body] of writes) {
    const write = await withinTwoSeconds(() => service.api<Problem>(method, path, { body }));
    expect([path, write.status, write.body.code]).toEqual([path, 503, 'store_unavailable']);
    expect(Number(write.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.api(method, path, { body: {} })).status).toBe(400);
  }
  expect((await withinTwoSeconds(() => service.get('/healthz/store'))).status).toBe(503);
  expect((await service.get('/readyz')).status).toBe(200);
  expect((await service.get('/healthz')).status).toBe(200);
  expect((await service.get<string>('/metrics')).body).toContain('\nstore_up 0\n');
};

const back = (): Promise<void> =>
  until('the list answers again', async () => (await service.get('/api/bots')).status === 200);

it('answers 500 and 503 while Redis is dead, and recovers by itself with nothing lost', async () => {
  await service.publish('Before');
  await service.redis?.kill();
  await expectAway();
  await service.redis?.restart();
  await back();
  await service.publish('After');
  expect((await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name)).toEqual(['After', 'Before']);
});

it('logs an outage once, however many clients ask meanwhile', async () => {
  const redis = await startTestRedis();
  const server = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: 'templates.example.com',
    WRITE_RATE_LIMIT: '0',
  });
  try {
    await until('it serves', async () => (await server.get('/api/bots')).status === 200);
    await redis.kill();
    await until('it notices', async () => (await server.get('/api/bots')).status === 500);
    const linesBefore = server.output().split('\n').length;
    for (let hundred = 0; hundred < 5; hundred += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => server.get('/api/bots')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
    }
    await redis.restart();
    await until('the log says that it is over, and how many failed', () =>
      /"requests":5\d\d,.*no request fails like this/.test(server.output()),
    );
    // One for each cause, and what the connection itself reports.
    expect(server.output().split('\n').length - linesBefore).toBeLessThan(20);
  } finally {
    await server.kill();
    await redis.stop();
  }
});

it('answers the same while Redis hangs', async () => {
  process.kill(service.redis?.pid ?? 0, 'SIGSTOP');
  await expectAway();
  process.kill(service.redis?.pid ?? 0, 'SIGCONT');
  await back();
  await service.publish('After the hang');
});

it('answers every one of many requests that come while Redis hangs', async () => {
  process.kill(service.redis?.pid ?? 0, 'SIGSTOP');
  const answers = await withinTwoSeconds(() =>
    Promise.all(Array.from({ length: 200 }, () => service.get('/api/bots'))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
  process.kill(service.redis?.pid ?? 0, 'SIGCONT');
  await back();
});

it('needs no script that was loaded before', async () => {
  const redis = await import('ioredis').then(({ Redis }) => new Redis(service.redis?.url ?? ''));
  await redis.script('FLUSH');
  await service.publish('After a script flush');
  redis.disconnect();
});

it('shows an emptied store as empty once that is accepted, under another ETag', async () => {
  const before = await service.get('/api/bots');
  const redis = await import('ioredis').then(({ Redis }) => new Redis(service.redis?.url ?? ''));
  await redis.flushall();
  redis.disconnect();
  await operatorOf(service.redis?.url ?? '').run('accept-empty');
  expect((await service.get('/api/bots')).body).toEqual([]);
  for (let i = 0; i < 4; i += 1) await service.publish(`New life ${i}`);
  const after = await service.get<Bot[]>('/api/bots');
  expect(after.body).toHaveLength(4);
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
});

it('starts without Redis, says so, and serves when it comes', async () => {
  const redis = await startTestRedis({ persist: true });
  await redis.kill();
  const late = await startService({ redis, world: noPatience });
  expect((await late.get('/healthz')).status).toBe(200);
  expect((await late.get('/api/bots')).status).toBe(500);
  expect((await late.get('/readyz')).status).toBe(503);
  await redis.restart();
  await until('the list answers', async () => (await late.get('/api/bots')).status === 200);
  await until('it is ready', async () => (await late.get('/readyz')).status === 200);
  await late.publish('At last');
  expect((await late.get<string>('/metrics')).body).toContain('\nstore_up 1\n');
  await late.stop();
  await redis.stop();
});
