/** A category has another name than when bots were saved: lists, filters, feeds and links follow; no event is lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, CategoryCount, WebhookStatus } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { startProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost, type Provider } from '@bot-directory/testing/provider';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { runAdmin } from '../../src/admin/run-admin.ts';

const before = 'SEO,Marketing,Sales';
const after = 'SEO,Growth=Marketing,Sales';
const without = 'SEO,Sales';
const [redis, provider]: [TestRedis, Provider] = await Promise.all([
  startTestRedis({ persist: true }),
  startProvider(),
]);
const start = (categories: string, role: string): Promise<DeliveryTest> =>
  startDelivery({ redis, provider, settings: { BOT_CATEGORIES: categories, ROLE: role }, world: { pollMs: 50 } });

let old: DeliveryTest;
let service: DeliveryTest;
/** A webhook whose filter has the old name, on the receiver of the service with the new one. */
let url: string;
beforeAll(async () => {
  // Nothing is delivered yet, so that events wait whose bots were saved under the old name.
  [old, service] = [await start(before, 'web'), await start(after, 'web')];
  url = service.receiver.url('/filtered');
  const events = ['bot.created', 'bot.updated', 'bot.removed'];
  const body = { url, filter: { category: ['Marketing'] }, events };
  expect((await old.post('/api/webhooks/bots', body)).status).toBe(200);
  for (let i = 0; i < 3; i += 1)
    await old.publish(`Bot ${i}`, { categories: i === 2 ? ['SEO'] : ['SEO', 'Marketing'] });
  await old.publish('Gone', { categories: ['Marketing'] });
  await operatorOf(redis.url).run('--yes', 'remove', 'gone', '--reason', 'Spam.');
});
afterAll(async () => {
  for (const one of [old, service]) await one.stop();
  await provider.stop();
  await redis.stop();
});

const admin = async (categories: string, ...words: string[]) => {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const settings = { REDIS_URL: redis.url, BASE_URL: old.url, BOT_CATEGORIES: categories };
  const screen = { out: print, error: print, progress: () => undefined };
  return { code: await runAdmin(['--json', ...words], screen, settings), output: lines.join('\n') };
};

it('is in the log of a process that starts without it, with the number of its bots, and is found by check', async () => {
  const settings = { REDIS_URL: redis.url, BASE_URL: old.url, TEMPLATE_HOST: templateHost, ROLE: 'web' };
  const process = await startProcess({ ...settings, BOT_CATEGORIES: without });
  await until('it warns', () => /"categories":\{"Marketing":2\}.*BOT_CATEGORIES/.test(process.output()));
  await process.stop();
  expect(await admin(without, 'check')).toEqual({
    code: 2,
    output: expect.stringContaining('2 bots have the category Marketing, which BOT_CATEGORIES does not have'),
  });
});

it('has its new name wherever it is read', async () => {
  await service.publish('Between', { categories: ['Growth'] });
  const listed = (await service.get<Bot[]>('/api/bots?category=Growth')).body;
  expect(listed.map(({ slug, categories }) => [slug, categories])).toEqual([
    ['between', ['Growth']],
    ['bot-1', ['SEO', 'Growth']],
    ['bot-0', ['SEO', 'Growth']],
  ]);
  expect((await service.get<CategoryCount[]>('/api/categories')).body).toContainEqual({ name: 'Growth', count: 3 });
  const status = await service.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`);
  expect(status.body.filter?.category).toEqual(['Growth']);
  const events = (await service.get<{ data: Partial<Bot> }[]>('/api/events')).body;
  expect(events.map(({ data }) => data.categories)).not.toContainEqual(expect.arrayContaining(['Marketing']));
});

it.each(['Growth', 'Marketing'])('is the same to the operator under the name %s', async (name) => {
  const bots = JSON.parse((await admin(after, 'bots', '--category', name)).output) as Record<string, string>[];
  expect(bots.map(({ slug, categories }) => [slug, categories])).toEqual([
    ['between', 'Growth'],
    ['bot-1', 'SEO,Growth'],
    ['bot-0', 'SEO,Growth'],
  ]);
  expect(JSON.parse((await admin(after, 'categories')).output)).toContainEqual({
    category: 'Growth',
    bots: 3,
    configured: true,
  });
});

it('makes another representation: a client that has the old name gets the new one', async () => {
  const tag = (await fetch(`${old.url}/api/bots/bot-0`)).headers.get('etag') ?? '';
  const again = await fetch(`${service.url}/api/bots/bot-0`, { headers: { 'If-None-Match': tag } });
  expect([again.status, ((await again.json()) as Bot).categories]).toEqual([200, ['SEO', 'Growth']]);
});

it('loses no event of a filter, under whichever name', async () => {
  const worker = await start(after, 'worker');
  const next = await service.publish('Next', { categories: ['Growth'] });
  await until('it has what follows', () => service.slugs('/filtered').includes(next));
  expect(
    service.receiver.received
      .filter(({ path, headers }) => path === '/filtered' && headers['x-service-event'] !== 'ping')
      .map(({ body }) => JSON.parse(body.toString()) as { type: string; data: { slug: string } })
      .map(({ type, data }) => `${type} ${data.slug}`),
  ).toEqual(['bot.created bot-0', 'bot.created bot-1', 'bot.removed gone', 'bot.created between', 'bot.created next']);
  await worker.stop();
  expect(await admin(after, 'check')).toEqual({ code: 0, output: '[]' });
});

it('leaves its old name to links, feeds and clients', async () => {
  expect((await service.get<Bot[]>('/api/bots?category=marketing')).body).toHaveLength(4);
  const page = await fetch(`${service.url}/categories/marketing?sort=installs`, { redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([308, '/categories/growth?sort=installs']);
  const feed = await (await fetch(`${service.url}/bots.atom?category=Marketing`)).text();
  expect(feed).toContain('category=Growth');
  expect(await service.publish('By an old client', { categories: ['Marketing'] })).toBe('by-an-old-client');
  expect((await service.get<Bot>('/api/bots/by-an-old-client')).body.categories).toEqual(['Growth']);
});
