/** A webhook with a filter, or with events of its own, gets exactly those, in order; the others get what they got. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys, partitions } from '../../src/store/keys.ts';

let redis: Redis;
const test = useStarted(() => startDelivery({ world: { pollMs: 50 } }));
beforeAll(() => {
  redis = new Redis(test.redis?.url ?? '');
});
afterAll(() => {
  redis.disconnect();
});

const last = async (): Promise<number> => Number(await redis.hget(keys.state, 'events'));
/** Waits until every webhook is asleep at the last event, and lacks nothing. */
const untilAsleep = async (count: number): Promise<void> =>
  until('the webhooks with subscriptions are asleep', async () => {
    const sleeping = await Promise.all(partitions.map(({ asleep }) => redis.zcard(asleep)));
    const passed = await Promise.all(
      partitions.map(
        async ({ asleep, watermark: key }) => [await redis.zcard(asleep), Number(await redis.get(key))] as const,
      ),
    );
    const head = await last();
    return sleeping.reduce((sum, n) => sum + n) === count && passed.every(([n, number]) => n === 0 || number === head);
  });
const types = (path: string): string[] =>
  test.receiver.received.flatMap(({ path: at, headers }) =>
    at === path && headers['x-service-event'] !== 'ping' ? [String(headers['x-service-event'])] : [],
  );

it('sends each webhook the events of the bots that its filter selects', async () => {
  const filters = {
    '/seo': { category: ['seo', 'Marketing'] },
    '/slack-and-gmail': { integration: ['Slack', 'gmail'] },
    '/ada': { author: 'ADA' },
    '/words': { q: 'wéek rep' },
    '/all-of-it': { category: ['SEO'], integration: ['slack'], author: '@ada', q: 'report' },
    '/any': {},
  };
  for (const [path, filter] of Object.entries(filters)) await test.register(path, { filter });
  await test.register('/everything');
  const report = await test.publish('Weekly report', {
    categories: ['SEO'],
    integrations: ['slack', 'gmail'],
    author: 'Ada',
  });
  const slack = await test.publish('Slack only', { integrations: ['slack'], author: 'bob' });
  const marketing = await test.publish('Reports, weekly', { categories: ['Marketing'], author: 'ada' });
  const none = await test.publish('Nothing');
  const expected = {
    '/seo': [report, marketing],
    '/slack-and-gmail': [report],
    '/ada': [report, marketing],
    '/words': [report, marketing],
    '/all-of-it': [report],
    '/any': [report, slack, marketing, none],
    '/everything': [report, slack, marketing, none],
  };
  for (const [path, slugs] of Object.entries(expected))
    await until(`${path} has ${slugs.length}`, () => test.slugs(path).length >= slugs.length);
  await untilAsleep(5);
  for (const [path, slugs] of Object.entries(expected)) expect(test.slugs(path), path).toEqual(slugs);
  expect(await test.status('/all-of-it')).toMatchObject({
    events: ['bot.created'],
    filter: { category: ['SEO'], integration: ['slack'], author: '@ada', q: 'report' },
    pending_events: 0,
  });
  expect(await test.status('/any')).toMatchObject({ events: ['bot.created'], filter: null });
});

it('sends the types of events that a webhook names, and compares a bot as it is, or not at all if nothing is left', async () => {
  const { run } = operatorOf(test.redis?.url ?? '', test.url);
  await test.register('/all-types', { events: ['bot.restored', 'bot.removed', 'bot.updated', 'bot.created'] });
  await test.register('/ends-of-gmail', {
    events: ['bot.removed', 'bot.restored'],
    filter: { integration: ['gmail'] },
  });
  await test.register('/ends-of-hubspot', { events: ['bot.removed'], filter: { integration: ['hubspot'] } });
  const slug = await test.publish('Short life', { integrations: ['gmail'] });
  const steps = [['edit', '--category', 'SEO'], ['hide'], ['restore'], ['remove', '--reason', 'spam']] as const;
  for (const [i, [command, ...options]] of steps.entries()) {
    // What is not true any more is not sent.
    await until('the last event came', () => types('/all-types').length === i + 1);
    await run(command, slug, ...options);
  }
  const all = ['bot.created', 'bot.updated', 'bot.removed', 'bot.restored', 'bot.removed'];
  await until('all types came', () => types('/all-types').length >= all.length);
  await untilAsleep(8);
  expect(types('/all-types')).toEqual(all);
  expect(types('/ends-of-gmail')).toEqual(['bot.removed', 'bot.restored', 'bot.removed']);
  expect(types('/ends-of-hubspot')).toEqual(['bot.removed']);
  expect((await test.status('/all-types')).events).toEqual([
    'bot.created',
    'bot.updated',
    'bot.removed',
    'bot.restored',
  ]);
});
