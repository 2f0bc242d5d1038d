import { describe, expect, it } from 'vitest';
import type { Bot, Published } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService({ settings: { SOCIAL_HOST_ALIASES: 'twitter.com' } }));

const submit = async (page: object, fields: object = {}): Promise<{ published: Published; bot: Bot }> => {
  const answer = await service.post<Published>('/api/bots/submit', {
    link: service.link(service.provider.template(page)),
    ...fields,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const [bot] = (await service.get<Bot[]>('/api/bots')).body;
  return { published: answer.body, bot: bot as Bot };
};

describe('submitting a bot', () => {
  it('publishes the bot with the name and description of the template provider', async () => {
    const before = Date.now();
    const { published, bot } = await submit({ name: 'Inbox Triage', description: 'Sorts your mail.' });
    expect(published).toEqual({ slug: 'inbox-triage', url: '/bots/inbox-triage' });
    expect(bot).toEqual({
      id: expect.stringMatching(/^bot_[0-9A-Z]{26}$/) as string,
      slug: 'inbox-triage',
      name: 'Inbox Triage',
      description: 'Sorts your mail.',
      author: null,
      url: `${service.url}/bots/inbox-triage`,
      source_url: null,
      integrations: [],
      categories: [],
      install_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect(Date.parse(bot.created_at)).toBeGreaterThanOrEqual(before);
    const list = await service.get<Bot[]>('/api/bots');
    expect(list.body[0]).toEqual(bot);
  });

  it('keeps author, source_url, integrations and categories in their canonical form', async () => {
    const { bot } = await submit(
      { name: 'Canonical' },
      {
        author: 'jo_e',
        source_url: 'https://www.twitter.com/jo_e/status/123/photo/1?s=20#top',
        integrations: ['Google Sheets', 'google-sheets', 'GOOGLE  SHEETS', 'C++', 'C#', 'AT&T'],
        categories: ['seo', 'SEO', 'marketing', 'Engineering'],
      },
    );
    expect(bot).toMatchObject({
      author: '@jo_e',
      source_url: 'https://x.com/jo_e/status/123',
      integrations: ['google-sheets', 'c-plus-plus', 'c-sharp', 'at-and-t'],
      categories: ['SEO', 'Marketing', 'Engineering'],
    });
  });

  it('uses the provider’s integrations when they are omitted', async () => {
    expect(
      (await submit({ name: 'Detected', integrations: ['Slack', { slug: 'google-sheets' }, { name: 'Notion' }] })).bot
        .integrations,
    ).toEqual(['slack', 'google-sheets', 'notion']);
    expect((await submit({ name: 'Connectors', connectors: ['Slack', 'slack', ''] })).bot.integrations).toEqual([
      'slack',
    ]);
  });

  it('accepts an empty list of integrations as none', async () => {
    expect((await submit({ name: 'None', integrations: ['Slack'] }, { integrations: [] })).bot.integrations).toEqual(
      [],
    );
  });

  it('detects at most 24 integrations', async () => {
    const { bot } = await submit({ name: 'Many', integrations: Array.from({ length: 40 }, (_, i) => `tool ${i}`) });
    expect(bot.integrations).toHaveLength(24);
  });

  it('takes exactly 24 integrations and 3 categories', async () => {
    const { bot } = await submit(
      { name: 'Full' },
      { integrations: Array.from({ length: 24 }, (_, i) => `t${i}`), categories: ['SEO', 'Marketing', 'Engineering'] },
    );
    expect(bot.integrations).toHaveLength(24);
    expect(bot.categories).toHaveLength(3);
  });

  it('ignores unknown keys', async () => {
    expect(
      (await submit({ name: 'Unknown keys' }, { colour: 'red', install_count: 7, __proto__: { x: 1 } })).bot
        .install_count,
    ).toBe(0);
  });

  it.each([
    ['a host in capitals', (id: string) => `https://TEMPLATES.example.com/bot/${id}`],
    ['a trailing slash', (id: string) => `https://templates.example.com/bot/${id}/`],
    ['query and fragment', (id: string) => `https://templates.example.com/bot/${id}?utm=1#top`],
  ])('folds %s away', async (_what, spell) => {
    const id = service.provider.template({ name: 'Folded' });
    expect((await service.post('/api/bots/submit', { link: spell(id) })).status).toBe(200);
    expect(service.provider.requests.at(-1)).toBe(id);
    expect((await service.post('/api/bots/submit', { link: service.link(id) })).status).toBe(409);
  });

  it('reads an HTML page: JSON-LD, OpenGraph, or title and description', async () => {
    const page = (html: string) =>
      service.provider.template((_req, res) => res.setHeader('Content-Type', 'text/html; charset=utf-8').end(html));
    const nameOf = async (html: string): Promise<Pick<Bot, 'name' | 'description'>> => {
      const { body } = await service.post<Published>('/api/bots/submit', { link: service.link(page(html)) });
      const { name, description } = (await service.get<Bot>(`/api/bots/${body.slug}`)).body;
      return { name, description };
    };
    const meta =
      '<meta property="og:title" content="Open &amp; Graph"><meta property="og:description" content="OG text">';
    const jsonLd =
      '<script type="application/ld+json">{"@type":"SoftwareApplication","name":"Linked Data","description":"LD text"}</script>';
    expect(await nameOf(`<html><head><title>Plain</title>${meta}${jsonLd}</head></html>`)).toEqual({
      name: 'Linked Data',
      description: 'LD text',
    });
    expect(await nameOf(`<html><head><title>Plain</title>${meta}</head></html>`)).toEqual({
      name: 'Open & Graph',
      description: 'OG text',
    });
    expect(
      await nameOf('<html><head><title> Plain \n title </title><meta name="description" content="Said"></head></html>'),
    ).toEqual({ name: 'Plain title', description: 'Said' });
  });

  it('asks the provider for JSON first, then HTML', async () => {
    let accept: string | undefined;
    const id = service.provider.template((req, res) => {
      accept = req.headers.accept;
      res.setHeader('Content-Type', 'application/json').end('{"name":"Accepts"}');
    });
    await service.post('/api/bots/submit', { link: service.link(id) });
    expect(accept).toBe('application/json, text/html;q=0.9');
  });

  it('cuts long names and descriptions, and drops control characters', async () => {
    const { bot } = await submit({ name: `Bell\u0007 ${'n'.repeat(200)}`, description: 'd'.repeat(900) });
    expect(bot.name).toHaveLength(100);
    expect(bot.name.startsWith('Bell n')).toBe(true);
    expect(bot.description).toHaveLength(500);
  });

  it.each([
    ["Anna's Bot", 'annas-bot'],
    ['Łódź Straße', 'lodz-strasse'],
    ['Q & A', 'q-and-a'],
    ['submit', 'submit-bot'],
    ['constructor', 'constructor-bot'],
  ])('makes the slug of %j %s', async (name, slug) => {
    expect((await submit({ name })).published.slug).toBe(slug);
  });

  it('falls back to the end of the id where a name has no safe spelling', async () => {
    const { published, bot } = await submit({ name: 'Сводка дня' });
    expect(published.slug).toBe(`bot-${bot.id.slice(-8).toLowerCase()}`);
  });

  it('numbers bots of one name', async () => {
    const slugs = [];
    for (let i = 0; i < 3; i += 1) slugs.push((await submit({ name: 'Twin' })).published.slug);
    expect(slugs).toEqual(['twin', 'twin-2', 'twin-3']);
    expect((await submit({ name: 'Twin 2' })).published.slug).toBe('twin-2-2');
  });

  it('takes null for absent, so that a bot that was read can be sent again', async () => {
    const first = await submit({ name: 'Read Before', integrations: ['slack'] }, { integrations: [] });
    const { name, description, ...read } = first.bot;
    expect([name, description, read.author, read.source_url]).toEqual(['Read Before', expect.anything(), null, null]);
    const again = await submit({ name: 'Read Before' }, { ...read, name: null, categories: null, integrations: null });
    expect(again.published.slug).toBe('read-before-2');
    const { body } = await service.post('/api/bots/read-before/reports', { reason: 'broken', text: null });
    expect(body).toMatchObject({ slug: 'read-before' });
  });
});
