/** What users of other clients write first: pages, loops over lists, one text, codes, and what a console shows. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Directory, startDirectory } from '@bot-directory/testing/directory';
import { type Bot, createClient, type DirectoryEvent, type ErrorCode, isApiError, type Page } from '../src/index.ts';
import { json, problem, startMisbehavingServer, text } from './support/misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
let service: Directory;
beforeAll(async () => {
  [server, service] = await Promise.all([startMisbehavingServer(), startDirectory()]);
});
afterAll(() => Promise.all([server.close(), service.stop()]));

const page = (items: unknown[], next?: string) =>
  json(200, items, { 'x-total-count': '3', ...(next === undefined ? {} : { link: `</?cursor=${next}>; rel="next"` }) });
const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(String, (error: unknown) => (error as Error).message);

describe('a page', () => {
  it('has its items, the total, the cursor, and the page that follows', async () => {
    const baseUrl = server.play(page(['a', 'b'], 'x'), page(['c']), page(['c']));
    const first = await createClient({ baseUrl }).bots.page({ limit: 2, category: 'SEO' });
    expectTypeOf(first).toEqualTypeOf<Page<Bot>>();
    expect(first).toEqual({ items: ['a', 'b'], total: 3, cursor: 'x', hasMore: true });
    expect(structuredClone(first)).toEqual(first);
    // It may be read twice, as when a request is repeated.
    // oxlint-disable-next-line typescript/no-misused-spread -- what a copy lacks, its type lacks too
    expectTypeOf({ ...first }).not.toHaveProperty('next');
    for (const last of [await first.next(), await first.next()]) {
      expect(last).toEqual({ items: ['c'], total: 3, cursor: undefined, hasMore: false });
      expect(await last?.next()).toBeUndefined();
    }
    const paths = ['/api/bots?limit=2&category=SEO', ...Array(2).fill('/api/bots?limit=2&category=SEO&cursor=x')];
    expect(server.received(baseUrl).map(({ path }) => path)).toEqual(paths);
  });

  it('begins at a cursor, has 100 items by default, and fails as a call does', async () => {
    const baseUrl = server.play(page(['c']), problem(400, 'invalid_request'));
    const { feed } = createClient({ baseUrl });
    expect((await feed.page({ cursor: 'x' })).hasMore).toBe(false);
    await expect(feed.page()).rejects.toMatchObject({ status: 400, operation: 'feed.page' });
    expect(server.received(baseUrl).map(({ path }) => path)).toEqual([
      '/api/feed?limit=100&cursor=x',
      '/api/feed?limit=100',
    ]);
  });
});

describe('a loop over a list', () => {
  it.each([
    ['a whole list, of one request', [json(200, ['a', 'b', 'c'])], {}, ['/api/bots']],
    [
      'all pages, of which the first was requested already',
      [page(['a', 'b'], 'x'), page(['c'])],
      { limit: 2 },
      ['/api/bots?limit=2', '/api/bots?limit=2&cursor=x'],
    ],
  ])('yields %s', async (_what, script, input, paths) => {
    const baseUrl = server.play(...script);
    const items: unknown[] = [];
    for await (const bot of createClient({ baseUrl }).bots.list(input)) items.push(bot);
    expect(items).toEqual(['a', 'b', 'c']);
    expect(server.received(baseUrl).map(({ path }) => path)).toEqual(paths);
  });

  it('rejects as the call does', async () => {
    const { feed } = createClient({ baseUrl: server.play(problem(400, 'invalid_request')) });
    const loop = async () => {
      for await (const post of feed.list()) expect(post).toBe('none');
    };
    await expect(loop()).rejects.toMatchObject({ status: 400 });
  });
});

describe('a method with one required text', () => {
  it('takes it alone', async () => {
    const directory = createClient({ baseUrl: service.baseUrl });
    const { bots, feed, webhooks } = directory;
    const published = await bots.submit('https://templates.example.com/bot/weekly-seo-report');
    expect((await bots.get(published.slug)).slug).toBe(published.slug);
    expect((await bots.refresh(published.slug)).slug).toBe(published.slug);
    const url = 'https://x.com/ada/status/1';
    expect((await feed.add(url)).url).toBe(url);
    const hook = 'https://hooks.acme.com/a';
    const outcomes = [await webhooks.status(hook).safe(), await webhooks.remove(hook).safe()];
    expect(outcomes).toMatchObject(Array(2).fill({ status: 404, problem: { code: 'webhook_not_found' } }));
    expect(await webhooks.add('http://hooks.acme.com').safe()).toMatchObject({ status: 400 });
    expect(directory.urlOf(published)).toBe(`${service.baseUrl}/bots/${published.slug}`);
    expect(directory.urlOf(await bots.get(published.slug))).toBe(directory.urlOf(published));
  });
});

describe('a message', () => {
  it('names the method, and what may be wrong with baseUrl', async () => {
    const hint = ' (is baseUrl right? It has no /api)';
    const wrong = createClient({ baseUrl: `${service.baseUrl}/api` });
    expect(await messageOf(wrong.bots.list())).toBe(`bots.list: 404 not_found: There is nothing at this path.${hint}`);
    const page = (status: number) => createClient({ baseUrl: server.play(text(status, '<!doctype html>')) });
    expect(await messageOf(page(404).feed.list())).toBe(`feed.list: 404 Not Found${hint}`);
    expect(await messageOf(page(200).webhooks.keys())).toBe(`webhooks.keys: 200 with an unreadable body${hint}`);
    expect(await messageOf(page(403).categories())).toBe('categories: 403 Forbidden');
    expect(await messageOf(createClient({ baseUrl: service.baseUrl }).bots.get('none'))).toBe(
      'bots.get: 404 bot_not_found: No bot in the directory has this slug.',
    );
    expect(await messageOf(createClient({ baseUrl: service.baseUrl }).bots.get(''))).toMatch(/^slug must be text/);
  });
});

it('a console shows a client by its address and options, and no secret', () => {
  const client = createClient({
    baseUrl: 'https://ada:hunter2@a.example/',
    headers: { 'x-key': 'hunter2' },
    retries: 4,
  });
  const shown = inspect(client);
  expect(shown).toContain("baseUrl: 'https://a.example'");
  expect(shown).toMatch(/retries: 4.*timeoutMs: 15000.*x-key/s);
  expect(shown).not.toContain('hunter2');
  expect(Object.keys(client)).not.toContain('inspect');
});

it('a bot has the fields that were asked for', async () => {
  const { bots } = createClient({ baseUrl: service.baseUrl });
  const { slug } = await bots.submit('https://templates.example.com/bot/invoice-chaser');
  const bot = await bots.get(slug);
  expect(bot.template_url).toBe('https://templates.example.com/bot/invoice-chaser');
  const [listed] = await bots.list({ include: ['updated_at', 'template_url'], limit: 1 });
  expect(listed).toEqual(bot);
  const { items } = await bots.page({ include: 'template_url', limit: 1 });
  expectTypeOf(items).toEqualTypeOf<(Bot & { template_url: string })[]>();
  expectTypeOf(await bots.list({ limit: 1 })).toEqualTypeOf<Bot[]>();
  const { updated_at: _, ...rest } = bot;
  expect(items).toEqual([rest]);
});

it('an event has them in its bot, if it has one', async () => {
  const { bots, events } = createClient({ baseUrl: service.baseUrl });
  const { slug } = await bots.submit('https://templates.example.com/bot/meeting-notes');
  const { template_url: link } = await bots.get(slug);
  const listed = await events.list({ include: ['template_url'] });
  for (const event of listed) {
    if (event.type === 'bot.removed') expectTypeOf(event.data).not.toHaveProperty('template_url');
    else expectTypeOf(event.data).toEqualTypeOf<Bot & { template_url: string }>();
  }
  const event = listed.find(({ data }) => data.slug === slug);
  expect(event?.data).toMatchObject({ template_url: link });
  for await (const { type, data } of events.stream({ after: listed.at(-2)?.id, include: 'template_url' })) {
    expect([type, data]).toEqual(['bot.created', event?.data]);
    break;
  }
  expectTypeOf((await events.list())[0]).toEqualTypeOf<DirectoryEvent | undefined>();
});

it('a code is a known one, or one that a later API adds; a misspelt literal is an error', () => {
  const error: unknown = undefined;
  if (isApiError(error, 'bot_not_found')) expectTypeOf(error.code).toEqualTypeOf<'bot_not_found'>();
  // @ts-expect-error There is no such code.
  isApiError(error, 'bot_missing');
  const later: string = 'later';
  expect(isApiError(error, later)).toBe(false);
  expectTypeOf<'bot_exists' | 'timeout'>().toExtend<ErrorCode>();
});
