import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits, type Bot, type DirectoryEvent, type RefreshedBot } from '@bot-directory/contract';
import type { TemplateHandler } from '@bot-directory/testing/provider';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';

let offsetMs = 0;
let service: Service;
let other: Service;
beforeAll(async () => {
  const world = { offsetMs: () => offsetMs };
  service = await startService({ world });
  other = await startService({
    redis: service.redis,
    provider: service.provider,
    world,
    settings: { BASE_URL: service.url },
  });
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

type Page = { name: string; description?: string; integrations?: string[] };

const publish = async (page: Page, more: object = {}) => {
  const id = service.provider.template(page);
  const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link: service.link(id), ...more });
  const { slug } = body;
  return {
    id,
    slug,
    now: (next: Page | TemplateHandler): void => void service.provider.template(next, id),
    refresh: (from = service) => from.post<RefreshedBot>(`/api/bots/${slug}/refresh`, {}),
    bot: async (from = other) => (await from.get<Bot[]>('/api/bots')).body.find((one) => one.slug === slug) as Bot,
    events: async () =>
      (await other.get<DirectoryEvent[]>('/api/events')).body.filter(
        ({ type, data }) => type === 'bot.updated' && data.slug === slug,
      ),
    fetches: () => service.provider.requests.filter((asked) => asked === id).length,
  };
};
const later = (): void => void (offsetMs += limits.refreshSec * 1_000);

describe('refreshing a bot', () => {
  it('takes over its new name and description, in every process and in the log, and keeps its place', async () => {
    const bot = await publish({ name: 'Old name', description: 'Old text.' }, { author: '@ada', categories: ['SEO'] });
    const before = await bot.bot();
    await service.publish('A newer one');
    bot.now({ name: 'New name', description: 'New text.' });
    const { status, body } = await bot.refresh();
    expect([status, body.slug, body.url, body.changed]).toEqual([
      200,
      bot.slug,
      `/bots/${bot.slug}`,
      ['name', 'description'],
    ]);
    const now = { ...before, name: 'New name', description: 'New text.' };
    expect((await other.get<Bot[]>('/api/bots')).body[1]).toEqual(now);
    expect((await other.get<Bot[]>('/api/bots?q=new+name')).body).toEqual([now]);
    expect((await other.get<Bot[]>('/api/bots?q=old+name')).body).toEqual([]);
    expect((await bot.events()).map(({ data }) => data)).toEqual([now]);
  });

  it('changes nothing, and publishes nothing, when the template says the same', async () => {
    const bot = await publish({ name: 'Steady', integrations: ['slack', 'gmail'] });
    const { headers } = await service.get('/api/bots');
    expect((await bot.refresh()).body.changed).toEqual([]);
    expect((await service.get('/api/bots')).headers.get('etag')).toBe(headers.get('etag'));
    expect(await bot.events()).toEqual([]);
  });

  it('reads a template once in ten minutes for all clients, and returns the last result in between', async () => {
    const bot = await publish({ name: 'Popular' });
    const before = bot.fetches();
    bot.now({ name: 'More popular' });
    const { body: first } = await bot.refresh();
    bot.now({ name: 'Most popular' });
    expect((await Promise.all([bot.refresh(), bot.refresh(other)])).map(({ body }) => body)).toEqual([first, first]);
    expect([bot.fetches() - before, (await bot.bot()).name]).toEqual([1, 'More popular']);
    later();
    expect((await bot.refresh(other)).body.changed).toEqual(['name']);
    expect([bot.fetches() - before, (await bot.bot(service)).name]).toEqual([2, 'Most popular']);
  });

  it('gives everybody who requests a reading under way its result', async () => {
    const bot = await publish({ name: 'Slow' });
    const before = bot.fetches();
    const held: ServerResponse[] = [];
    bot.now((_req, res) => void held.push(res));
    const first = bot.refresh();
    await until('the template is being read', () => held.length > 0);
    const others = Array.from({ length: 29 }, (_, i) => bot.refresh(i % 2 === 0 ? service : other));
    // The others have claimed it in vain by then, or will find the result.
    await Promise.all([bot.bot(), bot.bot(service)]);
    held[0]?.end(JSON.stringify({ name: 'Slow, but new' }));
    const { status, body } = await first;
    expect([status, body.changed]).toEqual([200, ['name']]);
    expect((await Promise.all(others)).map((answer) => [answer.status, answer.body])).toEqual(
      Array(29).fill([200, body]),
    );
    expect(bot.fetches() - before).toBe(1);
  });

  it('reads a template soon after a reading that never ended, and the late one does not stand in its way', async () => {
    const bot = await publish({ name: 'Stuck' });
    const held: ServerResponse[] = [];
    bot.now((_req, res) => void held.push(res));
    const stuck = bot.refresh();
    await until('the template is being read', () => held.length > 0);
    bot.now({ name: 'Read again' });
    offsetMs += 10_000;
    const { status, body } = await bot.refresh(other);
    expect([status, body.changed, (await bot.bot()).name]).toEqual([200, ['name'], 'Read again']);
    held[0]?.end(JSON.stringify({ name: 'Late' }));
    expect((await stuck).status).toBe(200);
  });

  it('needs no body', async () => {
    const { slug } = await publish({ name: 'Bodiless' });
    const { status } = await service.api('POST', `/api/bots/${slug}/refresh`);
    expect(status).toBe(200);
  });
});

describe('the integrations of a refreshed bot', () => {
  it('lose those of the provider that are gone, gain its new ones, and keep those that people added', async () => {
    const bot = await publish({ name: 'Provided', integrations: ['slack', 'gmail'] });
    await service.post(`/api/bots/${bot.slug}/integrations`, { integrations: ['notion'] });
    bot.now({ name: 'Provided', integrations: ['gmail', 'zoom'] });
    expect((await bot.refresh()).body.changed).toEqual(['integrations']);
    expect((await bot.bot()).integrations).toEqual(['gmail', 'notion', 'zoom']);
    bot.now({ name: 'Provided' });
    later();
    await bot.refresh();
    expect((await bot.bot()).integrations).toEqual(['notion']);
  });

  it('keep those that the submitter named', async () => {
    const bot = await publish({ name: 'Named', integrations: ['slack'] }, { integrations: ['slack', 'gmail'] });
    bot.now({ name: 'Named', integrations: ['zoom'] });
    await bot.refresh();
    expect((await bot.bot()).integrations).toEqual(['slack', 'gmail', 'zoom']);
  });

  it('are at most 24: what people added comes first', async () => {
    const named = Array.from({ length: 23 }, (_, i) => `tool-${i}`);
    const bot = await publish({ name: 'Full' }, { integrations: named });
    bot.now({ name: 'Full', integrations: ['slack', 'gmail'] });
    await bot.refresh();
    expect((await bot.bot()).integrations).toEqual([...named, 'slack']);
  });
});

it('reads a template again that was last read under a clock that was ahead', async () => {
  const bot = await publish({ name: 'Ahead' });
  offsetMs += 31 * 86_400_000;
  await bot.refresh();
  offsetMs -= 31 * 86_400_000;
  bot.now({ name: 'Back' });
  expect((await bot.refresh()).body.changed).toEqual(['name']);
});
