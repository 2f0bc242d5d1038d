/** Entries follow their templates by themselves: in two processes, on the site, in the event log and in a mirror. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot, DirectoryEvent } from '@bot-directory/contract';
import { createClient } from '../../../sdk/dist/index.js';
import { mirror, type Mirror } from '../../../sdk/dist/mirror.js';
import { operatorOf } from '@bot-directory/testing/operator';
import type { TemplateHandler } from '@bot-directory/testing/provider';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import type { BotId } from '../../src/base/ids.ts';
import { keys } from '../../src/store/keys.ts';

const dayMs = 86_400_000;
let days = 0;
let one: Service;
let other: Service;
let worker: Service;
let copy: Mirror;
let redis: Redis;

beforeAll(async () => {
  const world = { offsetMs: () => days * dayMs, pollMs: 20 };
  one = await startService({ world, settings: { ROLE: 'web' } });
  const shared = { redis: one.redis, provider: one.provider, world };
  other = await startService({ ...shared, settings: { ROLE: 'web', BASE_URL: one.url } });
  const settings = { ROLE: 'worker', BASE_URL: one.url, TEMPLATE_RECHECK: '168h' };
  worker = await startService({ ...shared, settings });
  redis = new Redis(one.redis?.url ?? '');
  copy = mirror(createClient({ baseUrl: other.url }));
  await copy.ready;
});
afterAll(async () => {
  await copy.close();
  redis.disconnect();
  await worker.stop();
  await other.stop();
  await one.stop();
});

const gone: TemplateHandler = (_req, res) => void res.writeHead(410).end();

const publish = async (name: string) => {
  const id = one.provider.template({ name });
  const { body } = await one.post<{ slug: string }>('/api/bots/submit', { link: one.link(id) });
  const { slug } = body;
  const fetches = (): number => one.provider.requests.filter((asked) => asked === id).length;
  return {
    slug,
    now: (next: object | TemplateHandler): void => void one.provider.template(next, id),
    /** Lets so many days pass, and waits until the template was read once more and its result is known. */
    later: async (count: number): Promise<void> => {
      const before = fetches();
      days += count;
      await until(`${slug} is read`, () => fetches() > before);
      const key = keys.bot((await redis.hget(keys.slugs, slug)) as BotId);
      await until('its result is known', async () => (await redis.hexists(key, 'read_result')) === 1);
    },
    fetches,
  };
};
const statusOf = async (slug: string, from = other) => (await from.get(`/api/bots/${slug}`)).status;
const events = async (slug: string) =>
  (await other.get<DirectoryEvent[]>('/api/events')).body.filter(({ data }) => data.slug === slug);
const typesOf = async (slug: string) => (await events(slug)).map(({ type }) => type);

it('a rename is followed', async () => {
  const bot = await publish('Before');
  bot.now({ name: 'After', description: 'New text.' });
  await bot.later(8);
  await until('it is renamed', async () => (await other.get<Bot>(`/api/bots/${bot.slug}`)).body.name === 'After');
  expect((await one.get<Bot[]>('/api/bots?q=new+text')).body.map(({ slug }) => slug)).toEqual([bot.slug]);
  expect(await (await fetch(`${one.url}/bots/${bot.slug}`)).text()).toContain('After');
  expect(await typesOf(bot.slug)).toEqual(['bot.created', 'bot.updated']);
  await until('the mirror has it', () => copy.get(bot.slug)?.name === 'After');
});

it('a text that became a blocked one is not taken over, and is reported', async () => {
  const operator = operatorOf(one.redis?.url ?? '', one.url);
  await operator.run('block', 'words', 'casino');
  const bot = await publish('Harmless');
  bot.now({ name: 'Casino' });
  await bot.later(8);
  const reported = async () => (await operator.run<{ slug: string; reason: string }[]>('reports')).at(-1);
  await until('it is reported', async () => (await reported())?.slug === bot.slug);
  expect(await reported()).toMatchObject({ reason: 'blocked_text' });
  expect((await other.get<Bot>(`/api/bots/${bot.slug}`)).body.name).toBe('Harmless');
});

it('a template that is gone takes its bot along after three days, and brings it back as it is then', async () => {
  const bot = await publish('Here today');
  bot.now(gone);
  await bot.later(8);
  await bot.later(1);
  await bot.later(1);
  expect([await statusOf(bot.slug), await typesOf(bot.slug)]).toEqual([200, ['bot.created']]);
  await bot.later(1);
  for (const service of [one, other])
    await until('it is gone', async () => (await statusOf(bot.slug, service)) === 404);
  expect((await events(bot.slug)).map(({ type, data }) => [type, data])).toEqual([
    ['bot.removed', { id: expect.stringMatching(/^bot_/) as string, slug: bot.slug, reason: 'template_gone' }],
  ]);
  expect((await fetch(`${one.url}/bots/${bot.slug}`)).status).toBe(404);
  await until('the mirror lost it', () => copy.get(bot.slug) === undefined);
  const operator = operatorOf(one.redis?.url ?? '', one.url);
  expect(await operator.run('bots', '--missing')).toMatchObject([
    { slug: bot.slug, state: 'hidden', reason: 'template_gone' },
  ]);

  // The longer it is gone, the less often it is read.
  await bot.later(1);
  const read = bot.fetches();
  await bot.later(1);
  await bot.later(2);
  bot.now({ name: 'Here again', integrations: ['slack'] });
  await bot.later(4);
  expect(bot.fetches() - read).toBe(3);
  for (const service of [one, other])
    await until('it is back', async () => (await statusOf(bot.slug, service)) === 200);
  const [body] = (await other.get<Bot[]>(`/api/bots?integration=slack`)).body;
  expect(body).toMatchObject({ name: 'Here again', integrations: ['slack'] });
  expect((await events(bot.slug)).at(-1)).toMatchObject({ type: 'bot.restored', data: body });
  await until('the mirror has it', () => copy.get(bot.slug)?.name === 'Here again');
});
