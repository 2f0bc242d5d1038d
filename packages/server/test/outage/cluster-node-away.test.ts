import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, Problem } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { noPatience, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { withinTwoSeconds } from '@bot-directory/testing/within';
import { keys } from '../../src/store/keys.ts';

let service: Service;
const cluster = useStarted(startCluster);
beforeAll(async () => {
  const settings = { REDIS_URL: cluster.url, WRITE_RATE_LIMIT: '1000/1m' };
  service = await startService({ redis: null, settings, world: noPatience });
});
afterAll(async () => {
  await service.stop();
});

const statusUrl = 'https://x.com/jo/status/1';

it('answers 500 and 503 while the node of the directory is dead, and recovers by itself with nothing lost', async () => {
  await service.publish('Before');
  const node = await cluster.nodeOf(keys.state);
  await node?.kill();
  for (let i = 0; i < 2; i += 1) {
    const list = await withinTwoSeconds(() => service.get<Problem>('/api/bots'));
    const write = await withinTwoSeconds(() => service.post<Problem>('/api/feed', { url: statusUrl }));
    expect([list.status, list.body.code, write.status, write.body.code]).toEqual([
      500,
      'directory_unavailable',
      503,
      'store_unavailable',
    ]);
  }
  expect((await service.post('/api/feed', { url: 'x' })).status).toBe(400);
  await node?.restart();
  await until('the list answers', async () => (await service.get('/api/bots')).status === 200);
  await until('writes are taken', async () => (await service.post('/api/feed', { url: statusUrl })).status !== 503);
  expect((await service.get<Bot[]>('/api/bots')).body.map(({ name }) => name)).toEqual(['Before']);
});

it('reports the store as away while the node of the directory is silent, and answers when it speaks again', async () => {
  const node = await cluster.nodeOf(keys.state);
  process.kill(node?.pid() ?? 0, 'SIGSTOP');
  for (let i = 0; i < 3; i += 1) {
    expect((await withinTwoSeconds(() => service.get('/api/bots'))).status).toBe(500);
    expect((await withinTwoSeconds(() => service.get('/healthz/store'))).status).toBe(503);
  }
  process.kill(node?.pid() ?? 0, 'SIGCONT');
  await until('the store is back', async () => (await service.get('/healthz/store')).status === 200);
  expect((await service.get('/api/bots')).status).toBe(200);
});
