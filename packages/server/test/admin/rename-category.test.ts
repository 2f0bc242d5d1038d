/** A category gets another name: bots, filters, feeds and links follow, no event is lost, and nothing else changes. */
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
const [redis, provider]: [TestRedis, Provider] = await Promise.all([
  startTestRedis({ persist: true }),
  startProvider(),
]);
const start = (categories: string, role: string): Promise<DeliveryTest> =>
  startDelivery({ redis, provider, settings: { BOT_CATEGORIES: categories, ROLE: role }, world: { pollMs: 50 } });

let old: DeliveryTest;
let service: DeliveryTest;
/** A webhook whose filter has the category, on the receiver of the service with the new name. */
let url: string;
beforeAll(async () => {
  // Nothing is delivered yet, so that events under the old name wait when the category is renamed.
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

it('is found by check, and by the bots that have it', async () => {
  expect(await admin(after, 'check')).toEqual({
    code: 2,
    output: expect.stringContaining('2 bots have the category Marketing, which BOT_CATEGORIES does not have'),
  });
  const bots = JSON.parse((await admin(after, 'bots', '--category', 'Marketing')).output) as { slug: string }[];
  expect(bots.map(({ slug }) => slug)).toEqual(['bot-1', 'bot-0']);
});

it('is in the log of a process that starts without it, with the number of its bots', async () => {
  const settings = { REDIS_URL: redis.url, BASE_URL: old.url, TEMPLATE_HOST: templateHost, ROLE: 'web' };
  const process = await startProcess({ ...settings, BOT_CATEGORIES: after });
  await until('it warns', () => /"categories":\{"Marketing":2\}.*BOT_CATEGORIES/.test(process.output()));
  await process.stop();
});

it.each([
  [after, 'Sales'],
  [before, 'SEO'],
])('is not renamed with %s to %s', async (categories, to) => {
  expect(await admin(categories, 'categories', 'rename', 'Marketing', to)).toEqual({
    code: 1,
    output: `BOT_CATEGORIES must have ${to}=Marketing, here and in all processes.`,
  });
});

it('is renamed in bots and filters by one command', async () => {
  await service.publish('Between', { categories: ['Growth'] });
  const { output } = await admin(after, 'categories', 'rename', 'Marketing', 'Growth');
  expect(JSON.parse(output)).toEqual({ from: 'Marketing', to: 'Growth', bots: 2, filters: 1 });
  const listed = (await service.get<Bot[]>('/api/bots?category=Growth')).body;
  expect(listed.map(({ slug, categories }) => [slug, categories])).toEqual([
    ['between', ['Growth']],
    ['bot-1', ['SEO', 'Growth']],
    ['bot-0', ['SEO', 'Growth']],
  ]);
  expect((await service.get<CategoryCount[]>('/api/categories')).body).toContainEqual({ name: 'Growth', count: 3 });
  const status = await service.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`);
  expect(status.body.filter?.category).toEqual(['Growth']);
  expect(await operatorOf(redis.url).run('check')).toEqual([]);
  const [line] = await operatorOf(redis.url).run<object[]>('audit');
  expect(line).toMatchObject({ action: 'rename-category', count: 2 });
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
  ).toEqual([
    'bot.created bot-0',
    'bot.created bot-1',
    'bot.removed gone',
    'bot.created between',
    'bot.updated bot-1',
    'bot.updated bot-0',
    'bot.created next',
  ]);
  await worker.stop();
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
