/** What an operator does to bots shows at once in every process, and each action is one line in the audit log. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Bot, CategoryCount, DirectoryEvent, IntegrationCount, Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

let operator: ReturnType<typeof operatorOf>;

const one = useStarted(startService);
const other = useStarted(() => startService({ redis: one.redis, provider: one.provider }));
beforeAll(() => {
  operator = operatorOf(one.redis?.url ?? '', one.url);
});

const submit = async (name: string, more: object = {}) => {
  const link = one.link(one.provider.template({ name }));
  const { body } = await one.post<{ slug: string }>('/api/bots/submit', { link, ...more });
  return { link, slug: body.slug };
};
const listed = async (service: Service, query = ''): Promise<string[]> =>
  (await service.get<Bot[]>(`/api/bots${query}`)).body.map(({ slug }) => slug);
const bot = (slug: string, service = other) => service.get<Bot & Problem>(`/api/bots/${slug}`);
const count = async (path: string, name: string): Promise<number> =>
  (await other.get<(CategoryCount & IntegrationCount)[]>(path)).body.find(
    (entry) => entry.name === name || entry.slug === name,
  )?.count ?? 0;

describe('a bot that is hidden', () => {
  it('leaves every list, count and search of every process, is 404, and comes back where it was', async () => {
    const before = await submit('Older');
    const { slug, link } = await submit('Shy Bot', { author: '@shy', categories: ['SEO'], integrations: ['slack'] });
    const after = await submit('Newer');
    const here = [after.slug, slug, before.slug];
    expect((await listed(other)).slice(0, 3)).toEqual(here);
    const counts = [await count('/api/categories', 'SEO'), await count('/api/integrations', 'slack')];

    expect(await operator.run('hide', slug)).toEqual({ action: 'hide', count: 1, bots: [slug] });
    for (const service of [one, other]) {
      expect((await listed(service)).slice(0, 2)).toEqual([after.slug, before.slug]);
      for (const query of ['?q=shy', '?author=shy', '?category=SEO', '?integration=slack', '?sort=installs'])
        expect(await listed(service, query)).not.toContain(slug);
      expect([(await bot(slug, service)).status, (await bot(slug, service)).body.code]).toEqual([404, 'bot_not_found']);
    }
    expect([await count('/api/categories', 'SEO'), await count('/api/integrations', 'slack')]).toEqual(
      counts.map((was) => was - 1),
    );
    const merge = await one.post<Problem>(`/api/bots/${slug}/integrations`, { integrations: ['zoom'] });
    expect(merge.status).toBe(404);
    expect((await one.post(`/api/bots/${slug}/reports`, { reason: 'spam' })).status).toBe(404);
    const again = await one.post<Problem>('/api/bots/submit', { link });
    expect([again.status, again.body.code]).toEqual([409, 'bot_exists']);

    await operator.run('restore', slug);
    for (const service of [one, other]) {
      expect((await listed(service)).slice(0, 3)).toEqual(here);
      expect(await listed(service, '?q=shy')).toEqual([slug]);
    }
  });
});

describe('a bot that is removed', () => {
  it('is 410 with the reason, its template is 409, and its slug is never reused', async () => {
    const { slug, link } = await submit('Bad Bot');
    await operator.run('remove', slug, '--reason', 'It stole passwords.');
    for (const service of [one, other]) {
      const { status, body } = await bot(slug, service);
      expect([status, body.code, body.reason]).toEqual([410, 'bot_gone', 'It stole passwords.']);
      expect(await listed(service)).not.toContain(slug);
      const page = await fetch(`${service.url}/bots/${slug}`, { headers: { Accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8']);
      const text = await page.text();
      expect(text).toContain('It stole passwords.');
      expect(text).toContain(String(new Date().getUTCFullYear()));
      for (const machine of ['/', '/bots.atom', '/bots.json', '/sitemap.xml'])
        expect(await (await fetch(`${service.url}${machine}`)).text()).not.toContain(slug);
    }
    for (const path of ['integrations', 'reports']) {
      const { status, body } = await one.post<Problem>(`/api/bots/${slug}/${path}`, {
        integrations: [],
        reason: 'spam',
      });
      expect([path, status, body.reason]).toEqual([path, 410, 'It stole passwords.']);
    }
    const again = await one.post<Problem>('/api/bots/submit', { link });
    expect([again.status, again.body.code, again.body.slug]).toEqual([409, 'bot_removed', slug]);
    expect((await submit('Bad Bot')).slug).toBe(`${slug}-2`);
  });

  it('has its removal in the event log, and its announcement only while it is listed', async () => {
    const { slug } = await submit('Announced Bot');
    const { id } = (await bot(slug)).body;
    const events = async () =>
      (await other.get<DirectoryEvent[]>('/api/events')).body.filter(({ data }) => data.id === id);
    await operator.run('hide', slug);
    expect((await events()).map(({ type }) => type)).toEqual(['bot.removed']);
    await operator.run('restore', slug);
    const [listed] = (await other.get<Bot[]>('/api/bots')).body;
    expect((await events()).map(({ type, data }) => [type, data])).toEqual([
      ['bot.created', listed],
      ['bot.restored', listed],
    ]);
    await operator.run('remove', slug, '--reason', 'Spam.');
    expect((await events()).map(({ type, data }) => [type, data])).toEqual([
      ['bot.removed', { id, slug, reason: null }],
      ['bot.removed', { id, slug, reason: 'Spam.' }],
    ]);
  });

  it('never comes back, and nothing of it can be edited', async () => {
    const { slug } = await submit('Gone For Good');
    await operator.run('remove', slug, '--reason', 'Spam.');
    expect(await operator.run('restore', slug)).toMatchObject({ count: 0 });
    expect(await operator.attempt('edit', slug, '--author', '@ada')).toMatchObject({ code: 1 });
    expect([(await bot(slug)).status, await operator.run('bots', slug)]).toEqual([
      410,
      [expect.objectContaining({ slug, state: 'removed', name: '', author: '', reason: 'Spam.' })],
    ]);
  });

  it('can have been the last event of a reader, who continues with the removal', async () => {
    const { slug } = await submit('Last Seen');
    const seen = (await one.get<DirectoryEvent[]>('/api/events')).body.at(-1)?.id ?? '';
    await operator.run('remove', slug, '--reason', 'Spam.');
    const events = (await other.get<DirectoryEvent[]>(`/api/events?after=${seen}`)).body;
    expect(events.map(({ type }) => type)).toEqual(['bot.removed']);
  });
});

describe('an operator', () => {
  it('must say why a bot is removed, and which', async () => {
    const { slug } = await submit('Kept Bot');
    expect(await operator.attempt('remove', slug)).toMatchObject({ code: 1 });
    expect(await operator.attempt('remove', slug, '--reason', ' ')).toMatchObject({ code: 1 });
    expect(await operator.attempt('hide')).toMatchObject({ code: 1 });
    for (const words of [
      ['hide', slug, 'no-such-bot'],
      ['reports', 'close', slug, 'no-such-bot'],
    ])
      expect(await operator.attempt(...words)).toEqual({ code: 1, output: expect.stringContaining('no-such-bot') });
    expect((await bot(slug)).status).toBe(200);
  });

  it('is asked before any bot is removed', async () => {
    const { slug } = await submit('Not Yet');
    const { code, output } = await operator.attempt('remove', slug, '--reason', 'Spam.');
    expect([code, output]).toEqual([1, `remove ${slug}? Confirm with --yes.`]);
    expect((await bot(slug)).status).toBe(200);
  });

  it('means by words what a block means: whole words, in this order', async () => {
    const meant = await submit('A Scam');
    const other_ = await submit('Scampi Recipes');
    const slugsOf = async (words: string) =>
      (await operator.run<{ slug: string }[]>('bots', '--words', words)).map(({ slug }) => slug);
    expect(await slugsOf('scam')).toEqual([meant.slug]);
    expect(await slugsOf('recipes scampi')).toEqual([]);
    expect(await slugsOf('scam*')).toEqual([other_.slug, meant.slug]);
    await operator.run('remove', '--words', 'scam', '--reason', 'Spam.');
    expect([(await bot(meant.slug)).status, (await bot(other_.slug)).status]).toEqual([410, 200]);
  });

  it('whose machine is an hour slow makes event ids by the store’s clock, so readers find their place', async () => {
    const { slug } = await submit('Timely');
    const { slug: edited } = await submit('Timely Too');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    try {
      await operator.run('hide', slug);
      await operator.run('edit', edited, '--author', '@ada');
    } finally {
      vi.useRealTimers();
    }
    await submit('After It');
    const { body } = await other.get<DirectoryEvent[]>('/api/events');
    expect(body.length).toBeGreaterThan(2);
    // ULIDs begin with their time.
    const times = body.map(({ id }) => id.slice(0, 'evt_'.length + 7));
    expect(times).toEqual([...times].sort());
  });

  it.each([
    ['no words', ['--words', ' ']],
    ['words without a letter', ['--words', '!?']],
    ['an author without a name', ['--author', '']],
    ['an author that is none', ['--author', 'two words']],
    ['a time that is none', ['--since', '']],
  ])('that narrows by %s changes nothing', async (_what, words) => {
    const { slug } = await submit('Not Meant');
    expect(await operator.attempt('--yes', 'hide', ...words)).toMatchObject({ code: 1 });
    expect((await bot(slug)).status).toBe(200);
  });

  it('that names an author and a bot means this bot of this author', async () => {
    const meant = await submit('Meant Bot', { author: '@mixed' });
    const other = await submit('Other Bot', { author: '@mixed' });
    await operator.run('hide', '--author', '@mixed', meant.slug);
    expect([(await bot(meant.slug)).status, (await bot(other.slug)).status]).toEqual([404, 200]);
  });

  it('leaves one line in the audit log for each change, and none for a command that changes nothing', async () => {
    const { slug } = await submit('Audited Bot');
    await operator.run('hide', slug, '--reason', 'A look at it.');
    await operator.run('hide', slug);
    await operator.run('restore', slug);
    const [restored, hidden] = await operator.run<object[]>('audit', '--limit', '2');
    expect(restored).toMatchObject({ action: 'restore', count: 1, bots: [slug] });
    expect(hidden).toMatchObject({ action: 'hide', reason: 'A look at it.', count: 1, bots: [slug] });
  });

  it('sees bots by state, author, time and words', async () => {
    const { slug } = await submit('Needle In Haystack', { author: '@needle' });
    await operator.run('hide', slug);
    const found = (...args: string[]) => operator.run<{ slug: string; state: string }[]>('bots', ...args);
    for (const args of [
      ['--state', 'hidden'],
      ['--author', 'needle'],
      ['--words', 'needle in hay*'],
      ['--since', '1h'],
    ])
      expect((await found('--limit', '1000', ...args)).map((row) => row.slug)).toContain(slug);
    expect((await found('--until', '1h')).map((row) => row.slug)).not.toContain(slug);
    expect(await found('--state', 'listed', '--author', 'needle')).toEqual([]);
  });

  it('reads reports, and closes them', async () => {
    const { slug } = await submit('Reported Here');
    await one.post(`/api/bots/${slug}/reports`, { reason: 'broken', text: 'Gone.' });
    const of = async () => (await operator.run<{ slug: string }[]>('reports')).filter((row) => row.slug === slug);
    expect(await of()).toMatchObject([{ slug, reason: 'broken', text: 'Gone.' }]);
    const { slug: second } = await submit('Reported There');
    await one.post(`/api/bots/${second}/reports`, { reason: 'spam' });
    expect(await operator.run('reports', 'close', slug, second)).toEqual({ closed: 2 });
    expect(await of()).toEqual([]);
    // One step, and one line.
    const [line] = await operator.run<object[]>('audit', '--limit', '1');
    expect(line).toMatchObject({ action: 'close-reports', count: 2, bots: [slug, second] });
  });
});
