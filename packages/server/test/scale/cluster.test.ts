import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, Post, WebhookStatus } from '@bot-directory/contract';
import { startCluster } from '@bot-directory/testing/cluster';
import { startNames } from '@bot-directory/testing/name-server';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let cluster: Awaited<ReturnType<typeof startCluster>>;
let receiver: Receiver;
let service: Service;
useStarted(() => startNames((name) => (name.endsWith('.hooks.example.com') ? ['127.0.0.1'] : [])));
beforeAll(async () => {
  cluster = await startCluster();
  receiver = await startReceiver();
  service = await startService({
    redis: null,
    settings: { REDIS_URL: cluster.url, WRITE_RATE_LIMIT: '1000/1m', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    world: { ca: receiver.ca },
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await cluster.stop();
});

it('publishes, merges, counts, posts and lists on a Redis Cluster', async () => {
  const slug = await service.publish('On a cluster', { integrations: ['slack'] });
  const [first, second] = await Promise.all([service.publish('Twin'), service.publish('Twin')]);
  expect([first, second].sort()).toEqual(['twin', 'twin-2']);
  const merged = await service.post(`/api/bots/${slug}/integrations`, { integrations: ['notion'] });
  expect(merged.headers.get('ratelimit')).toMatch(/r=\d+/);
  expect((await service.get<Bot>(`/api/bots/${slug}`)).body.integrations).toEqual(['slack', 'notion']);
  expect((await service.install(slug)).status).toBe(303);
  const post = await service.post<Post>('/api/feed', { url: 'https://x.com/jo/status/1' });
  expect((await service.get('/api/feed')).body).toEqual([post.body]);
  expect((await service.get<Bot[]>('/api/bots')).body).toHaveLength(3);
});

it('delivers to webhooks of every partition', async () => {
  const urls = Array.from({ length: 40 }, (_, i) => `https://w${i}.hooks.example.com:${receiver.port}/${i}`);
  for (const url of urls) expect((await service.post('/api/webhooks/bots', { url })).status).toBe(200);
  for (let i = 0; i < 3; i += 1) await service.publish(`Event ${i}`);
  await until('every webhook has all', () => urls.every((_url, i) => receiver.events(`/${i}`).length === 3));
  for (const [i] of urls.entries())
    expect(receiver.events(`/${i}`).map(({ data }) => data.slug)).toEqual(['event-0', 'event-1', 'event-2']);
  const status = await service.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(urls[0] ?? '')}`);
  expect(status.body).toMatchObject({ state: 'active', failures_in_a_row: 0 });
  expect((await service.get<unknown[]>('/api/events')).body).toHaveLength(6);
  for (const url of urls)
    expect((await service.api('DELETE', '/api/webhooks/bots', { body: { url } })).status).toBe(200);
});
