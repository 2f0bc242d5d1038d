/**
 * Every operation against the real server: its success, and each kind of refusal with the body that its types promise.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '@bot-directory/contract';
import { type Directory, startDirectory } from '@bot-directory/testing/directory';
import { ApiError, type Client, createClient } from '../src/index.ts';

let service: Directory;
let unsaved: Directory;
let directory: Client;
beforeAll(async () => {
  [service, unsaved] = await Promise.all([startDirectory(), startDirectory({ store: false })]);
  directory = createClient({ baseUrl: service.baseUrl });
});
afterAll(() => Promise.all([service.stop(), unsaved.stop()]));

const link = (id: string) => `https://templates.example.com/bot/${id}`;
/** Returns a failed call's status and code. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: unknown) => (error instanceof ApiError ? [error.status, error.code] : error),
  );

describe('bots', () => {
  it('are submitted, read, listed, filtered and paged', async () => {
    const { data, response } = await directory.bots
      .submit({ link: link('weekly-seo-report'), author: 'somebody', categories: ['seo'] })
      .withResponse();
    expect(data).toEqual({ slug: 'weekly-seo-report', url: '/bots/weekly-seo-report' });
    expect(response.status).toBe(200);
    for (const id of ['pull-request-reviewer', 'invoice-chaser']) await directory.bots.submit({ link: link(id) });

    const bot = await directory.bots.get({ slug: data.slug });
    expect(contract.getBot.responses[200].parse(bot)).toEqual(bot);
    expect(bot).toMatchObject({ author: '@somebody', categories: ['SEO'] });

    expect((await directory.bots.list()).map(({ slug }) => slug)).toEqual([
      'invoice-chaser',
      'pull-request-reviewer',
      'weekly-seo-report',
    ]);
    const narrow = { category: ['SEO', 'Marketing'], q: 'weekly', author: '@somebody' };
    expect(await directory.bots.list({ ...narrow, include: ['updated_at', 'template_url'] })).toEqual([bot]);
    expect((await directory.bots.list({ sort: 'installs', limit: 1 })).length).toBe(1);

    const { categories } = await directory.bots.facets({ q: 'weekly' });
    expect(categories.filter(({ count }) => count > 0)).toEqual([{ name: 'SEO', count: 1 }]);
  });

  it('are previewed by a dry run', async () => {
    const { preview } = await directory.bots.submit({ link: link('meeting-notes'), dry_run: true });
    expect(preview?.url).toBe(`${service.baseUrl}/bots/${preview?.slug}`);
    expect(await refusal(directory.bots.get({ slug: preview?.slug ?? '' }))).toEqual([404, 'bot_not_found']);
  });

  it('are iterated over page by page', async () => {
    const slugs: string[] = [];
    for await (const { slug } of directory.bots.iterate({ limit: 1 })) slugs.push(slug);
    expect(slugs).toEqual(['invoice-chaser', 'pull-request-reviewer', 'weekly-seo-report']);
    for await (const page of directory.bots.iterate({ limit: 2 }).byPage()) {
      expect([page.items.length, page.total]).toEqual([2, 3]);
      const rest = await directory.bots.list({ limit: 2, cursor: page.cursor });
      expect(rest.map(({ slug }) => slug)).toEqual(['weekly-seo-report']);
      break;
    }
  });

  it('are a call’s own success after a lost response, unless they are older than the call', async () => {
    /** A network that loses the first response, to a server whose clock differs. */
    const unlucky = (laterMs: number) => {
      let attempts = 0;
      return createClient({
        baseUrl: service.baseUrl,
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          attempts += 1;
          if (attempts === 1) throw new TypeError('fetch failed');
          const headers = new Headers(response.headers);
          headers.set('date', new Date(Date.now() + laterMs).toUTCString());
          return new Response(await response.text(), { status: response.status, headers });
        },
      });
    };
    const submit = (laterMs: number) => unlucky(laterMs).bots.submit({ link: link('invoice-chaser') });
    expect(await submit(-3_600_000)).toEqual({ slug: 'invoice-chaser', url: '/bots/invoice-chaser' });
    expect(await refusal(submit(3_600_000))).toEqual([409, 'bot_exists']);
  });

  it('take integrations', async () => {
    const { integrations, slug } = await directory.bots.addIntegrations({
      slug: 'invoice-chaser',
      integrations: ['Google Sheets', 'stripe'],
    });
    expect(slug).toBe('invoice-chaser');
    expect(integrations).toEqual(expect.arrayContaining(['google-sheets', 'stripe']));
    const many = Array.from({ length: 24 }, (_, index) => `tool-${index}`);
    expect(await refusal(directory.bots.addIntegrations({ slug, integrations: many }))).toEqual([
      400,
      'too_many_integrations',
    ]);
  });

  it('are refused with what is wrong, or what already exists', async () => {
    const conflict = await directory.bots.submit({ link: link('invoice-chaser') }).safe();
    expect(!conflict.ok && conflict.status === 409 && conflict.error.problem).toMatchObject({
      slug: 'invoice-chaser',
      url: '/bots/invoice-chaser',
    });
    const invalid = await directory.bots.submit({ link: 'nonsense', categories: ['no such category'] }).safe();
    const pointers =
      !invalid.ok && invalid.status === 400 && invalid.error.problem.errors?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/link', '/categories/0']);
    expect(await refusal(directory.bots.submit({ link: link('none') }))).toEqual([404, 'template_not_found']);
    expect(await refusal(directory.bots.get({ slug: 'no/such?bot' }))).toEqual([404, 'bot_not_found']);
    expect(await refusal(directory.bots.addIntegrations({ slug: 'none', integrations: ['a'] }))).toEqual([
      404,
      'bot_not_found',
    ]);
    expect(await refusal(directory.bots.list({ limit: 0 }))).toEqual([400, 'invalid_request']);
    expect(await refusal(directory.bots.submit({ link: link('a'), integrations: ['x'.repeat(40_000)] }))).toEqual([
      413,
      'body_too_large',
    ]);
  });

  it('name the request in every error', async () => {
    const outcome = await directory.bots.get({ slug: 'none' }).safe();
    if (outcome.ok || outcome.status !== 404) throw new Error('expected a 404');
    expect(outcome.error.requestId).toBe(outcome.error.problem.request_id);
    expect(outcome.error.requestId).toMatch(/./);
  });
});

describe('categories and integrations', () => {
  it('are counted', async () => {
    expect(await directory.categories()).toContainEqual({ name: 'SEO', count: 1 });
    expect(await directory.integrations()).toContainEqual({ slug: 'google-sheets', count: 1 });
  });
});

describe('posts', () => {
  const url = 'https://x.com/somebody/status/1234567890';
  it('are added once, and listed', async () => {
    const post = await directory.feed.add({ url: `${url}?s=20` });
    expect(post).toEqual({ id: expect.stringMatching(/^post_/), url });
    expect(await directory.feed.list()).toEqual([post]);
    for await (const one of directory.feed.iterate({ limit: 1 })) expect(one).toEqual(post);
    const again = await directory.feed.add({ url }).safe();
    expect(!again.ok && again.status === 409 && again.error.problem).toMatchObject(post);
    expect(await refusal(directory.feed.add({ url: 'https://example.com/' }))).toEqual([400, 'invalid_request']);
  });
});

describe('webhooks', () => {
  it('are added, inspected and removed', async () => {
    const url = `${service.hookUrl}/hook`;
    const webhook = await directory.webhooks.add({ url });
    expect(contract.addWebhook.responses[200].parse(webhook)).toEqual(webhook);
    expect(webhook).toMatchObject({ id: expect.stringMatching(/^wh_/), url, outcome: 'added' });
    const again = await directory.webhooks.add({ url }).safe();
    expect(!again.ok && again.status === 409 && again.error.problem).toMatchObject({
      ...webhook,
      outcome: 'unchanged',
    });
    const tested = await directory.webhooks.test({ url });
    expect(contract.testWebhook.responses[200].parse(tested)).toEqual(tested);
    expect(tested).toMatchObject({ url, failure: null });
    const status = await directory.webhooks.status({ url });
    expect(contract.getWebhookStatus.responses[200].parse(status)).toEqual(status);
    expect(status).toMatchObject({ url, state: 'active', failures_in_a_row: 0 });
    expect(await directory.webhooks.remove({ url })).toEqual({ url });
    expect(await refusal(directory.webhooks.remove({ url }))).toEqual([404, 'webhook_not_found']);
    expect(await refusal(directory.webhooks.status({ url }))).toEqual([404, 'webhook_not_found']);
  });

  it('are refused with the reason', async () => {
    const failed = await directory.webhooks.add({ url: `${service.hookUrl}/refuses` }).safe();
    expect(!failed.ok && failed.status === 400 && failed.error.problem).toMatchObject({
      code: 'webhook_ping_failed',
      reason: 'status',
    });
    expect(await refusal(directory.webhooks.add({ url: 'http://plain.example.com/' }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('are verified by keys', async () => {
    const keys = await directory.webhooks.keys();
    expect(contract.listWebhookKeys.responses[200].parse(keys)).toEqual(keys);
    expect(keys.keys[0]?.public_key).toMatch(/^whpk_/);
  });
});

describe('events', () => {
  it('are listed after a known one', async () => {
    const events = await directory.events.list();
    expect(contract.listEvents.responses[200].parse(events)).toEqual(events);
    expect(events.map(({ data }) => data.slug)).toEqual([
      'weekly-seo-report',
      'pull-request-reviewer',
      'invoice-chaser',
    ]);
    expect(await directory.events.list({ after: events[0]?.id, limit: 1 })).toEqual([events[1]]);
    expect(await refusal(directory.events.list({ after: 'evt_00000000000000000000000000' }))).toEqual([
      404,
      'event_not_found',
    ]);
  });

  it('are streamed once each and in order, even across a restart of the server', async () => {
    const [first] = await directory.events.list({ limit: 1 });
    const slugs: string[] = [];
    for await (const { data } of directory.events.stream({ after: first?.id })) {
      slugs.push(data.slug);
      if (slugs.length === 2) {
        await service.restart();
        await directory.bots.submit({ link: link('meeting-notes') });
      }
      if (slugs.length === 3) break;
    }
    expect(slugs).toEqual(['pull-request-reviewer', 'invoice-chaser', 'meeting-notes-and-actions']);
  });

  it('are streamed from now on without a position', async () => {
    let isOpen = false;
    const fetchAndTell: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      isOpen = true;
      return response;
    };
    const stream = createClient({ baseUrl: service.baseUrl, fetch: fetchAndTell }).events.stream();
    const next = stream.next();
    await expect.poll(() => isOpen).toBe(true);
    await directory.bots.submit({ link: link('changelog-writer') });
    expect((await next).value).toMatchObject({ type: 'bot.created', data: { slug: 'changelog-writer' } });
    await stream.return();
  });
});

describe('without a store', () => {
  it('the list is empty, and writes are refused at once', async () => {
    const api = createClient({ baseUrl: unsaved.baseUrl });
    expect(await api.bots.list()).toEqual([]);
    const calls = [
      api.bots.submit({ link: link('a') }),
      api.feed.add({ url: 'https://x.com/a/status/1' }),
      api.webhooks.keys(),
      api.events.list(),
    ];
    expect(await Promise.all(calls.map(refusal))).toEqual(calls.map(() => [503, 'saving_not_configured']));
    await expect(api.events.stream().next()).rejects.toMatchObject({ code: 'saving_not_configured', attempts: 1 });
  });
});
