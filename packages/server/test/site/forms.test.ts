/** Forms without a browser: who may send them, their responses, and that a webhook's URL is never kept. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { kept } from '@bot-directory/site';
import { createIds } from '../../src/base/ids.ts';
import { onlyFromHere } from '../../src/site/form.ts';
import { keys, ownQueue, partition } from '../../src/store/keys.ts';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startSite, type SiteUnderTest } from '@bot-directory/testing/site';

let slug: string;
const site = useStarted(startSite);
beforeAll(async () => {
  slug = await site.publish('Known', { categories: ['SEO'] });
});

const titleOf = async (answer: Response): Promise<string> => /<title>([^<]*)/.exec(await answer.text())?.[1] ?? '';

describe('a form that another site sends', () => {
  it.each([
    ['/submit', [['link', 'https://templates.example.com/bot/x']]],
    ['/feed', [['url', 'https://x.com/a/status/1']]],
    ['/feed/reports', [['reason', 'spam']]],
    ['/webhooks', [['action', 'remove']]],
    ['/bots/known/reports', [['reason', 'spam']]],
    ['/bots/known/integrations', [['integrations', 'slack']]],
    ['/bots/known/refresh', []],
  ] as [string, [string, string][]][])('%s is refused', async (path, fields) => {
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: null },
      { origin: 'null' },
      { headers: { 'Sec-Fetch-Site': 'cross-site' } },
      { headers: { 'Sec-Fetch-Site': 'same-site' } },
    ];
    for (const from of foreign) {
      const answer = await site.send(path, fields, from);
      expect([answer.status, (await answer.text()).includes('not sent from a page of this site')]).toEqual([400, true]);
    }
  });

  it('is shown again as it was typed, with the address that it must be sent from', async () => {
    const answer = await site.send('/submit', [['link', 'https://templates.example.com/bot/typed']], {
      origin: 'http://directory.internal:8080',
    });
    const page = await answer.text();
    expect([answer.status, page.includes(`whose address is ${site.url}`)]).toEqual([400, true]);
    expect(page).toContain('value="https://templates.example.com/bot/typed"');
    expect(page).toContain('<meta name="referrer" content="strict-origin-when-cross-origin"');
  });

  it('is in the log once, with both addresses', () => {
    const lines: object[] = [];
    const check = onlyFromHere('https://bots.example.com', { warn: (fields: object) => void lines.push(fields) });
    const request = { get: (name: string) => (name === 'origin' ? 'http://10.0.0.7:3000' : undefined) };
    for (let i = 0; i < 2; i += 1) void check(request as never, {} as never, () => undefined);
    expect(lines).toEqual([{ origin: 'http://10.0.0.7:3000', base_url: 'https://bots.example.com' }]);
  });

  it('is a problem that names what was refused, for a program', async () => {
    const answer = await site.post<Problem>('/submit', {});
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
      400,
      'invalid_request',
      [{ pointer: '', detail: 'must be sent from a page of this site' }],
    ]);
  });

  it('redirects to the template and counts nothing, if it installs', async () => {
    const answer = await site.send(`/bots/${slug}/install`, [], { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    expect(answer.status).toBe(303);
    await site.publish('Makes the count fresh');
    expect((await site.get<{ install_count: number }>(`/api/bots/${slug}`)).body.install_count).toBe(0);
  });
});

it('answers what is refused with its own status, and keeps what was typed', async () => {
  const answer = await site.send('/submit', [
    ['link', '"><script>'],
    ['author', '!'],
    ['integrations', 'slack, , zoom'],
    ['categories', 'SEO'],
    ['categories', 'Sales'],
    ['categories', 'Other'],
    ['categories', 'Design'],
  ]);
  const page = await answer.text();
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store']);
  expect(page).toContain('3 fields need another look');
  expect(page).toContain('value="&quot;>&lt;script>"');
  expect(page).toContain('value="slack, , zoom"');
  expect(page.match(/ checked/g)).toHaveLength(4);
  expect(page).toContain('aria-invalid="true"');
  expect(page).toContain('noindex');
});

it('takes the integrations that were typed, and the template’s where none was', async () => {
  const submit = (name: string, integrations: string): Promise<Response> =>
    site.send('/submit', [
      ['link', site.link(site.provider.template({ name, integrations: ['gmail'] }))],
      ['integrations', integrations],
    ]);
  await submit('Typed', ' Slack ,Google Sheets');
  await submit('Untyped', '  ');
  const of = async (bot: string): Promise<string[]> =>
    (await site.get<{ integrations: string[] }>(`/api/bots/${bot}`)).body.integrations.sort();
  expect([await of('typed'), await of('untyped')]).toEqual([['google-sheets', 'slack'], ['gmail']]);
});

it('shows a bot before it publishes it, and publishes what is in the form', async () => {
  const fields: [string, string][] = [
    ['link', site.link(site.provider.template({ name: 'Previewed <b>', description: 'Said by the template.' }))],
    ['author', '@ada'],
  ];
  const answer = await site.send('/submit', [...fields, ['step', 'preview']]);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain('Previewed &lt;b></h2>');
  expect(page).toContain('Said by the template.');
  expect(page).toContain(`${site.url}/bots/previewed-b`);
  expect(page).toContain('value="@ada"');
  expect(page).toContain('Publish bot');
  expect((await site.get('/api/bots/previewed-b')).status).toBe(404);
  const published = await site.send('/submit', fields);
  expect([published.status, published.headers.get('location')]).toEqual([303, '/bots/previewed-b#published']);
});

/** What a browser would send of the submit form on a page, with a button. */
const formOn = (html: string, step: 'preview' | 'publish'): [string, string][] => {
  const [form = ''] = /<form class="form"[^]*?<\/form>/.exec(html) ?? [];
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
  const sent = inputs.filter((tag) => !tag.includes('type="checkbox"') || / checked/.test(tag));
  const valueOf = (tag: string, name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return [...sent.map((tag): [string, string] => [valueOf(tag, 'name'), valueOf(tag, 'value')]), ['step', step]];
};

it('loses nothing that was typed, ticked or unticked when it is refused', async () => {
  const template = (name: string): string =>
    site.link(site.provider.template({ name, description: 'Files receipts.', integrations: ['gmail', 'zoom'] }));
  const link = template('Refused once');
  const preview = await (
    await site.send('/submit', [
      ['link', link],
      ['author', '@ada'],
      ['step', 'preview'],
    ])
  ).text();
  const chosen = formOn(preview, 'publish').filter(
    ([name, value]) => !(name === 'found' && value === 'zoom') && name !== 'categories',
  );
  expect(chosen).toContainEqual(['found', 'gmail']);
  const typed = chosen.map(([name, value]): [string, string] =>
    name === 'author' ? [name, '!'] : name === 'integrations' ? [name, 'Slack'] : [name, value],
  );
  const refused = await site.send('/submit', [...typed, ['categories', 'Design']]);
  expect(refused.status).toBe(400);
  const again = formOn(await refused.text(), 'publish');
  expect(again).toEqual(
    expect.arrayContaining([
      ['found', 'gmail'],
      ['integrations', 'Slack'],
      ['categories', 'Design'],
    ]),
  );
  const repaired = again.map(([name, value]): [string, string] => (name === 'author' ? [name, '@ada'] : [name, value]));
  expect((await site.send('/submit', repaired)).status).toBe(303);
  const { body } = await site.get<{ integrations: string[]; categories: string[] }>('/api/bots/refused-once');
  expect([body.integrations.sort(), body.categories]).toEqual([['gmail', 'slack'], ['Design']]);
});

it('offers a category that the description suggests, and ticks none', async () => {
  const link = site.link(site.provider.template({ name: 'Offered', description: 'Files each receipt and invoice.' }));
  const sent = [
    ['link', link.replace('https://', '')],
    ['step', 'preview'],
  ] satisfies [string, string][];
  const page = await (await site.send('/submit', sent)).text();
  expect(page).toContain('The description suggests Finance.');
  expect(formOn(page, 'preview').filter(([name]) => name === 'categories')).toEqual([]);
  // The link was pasted without its scheme.
  expect(formOn(page, 'preview')).toContainEqual(['link', link]);
});

it('shows a pasted announcement as it is understood', async () => {
  const link = site.link(site.provider.template({ name: 'Announced' }));
  const sent = [
    ['link', link],
    ['source_url', 'mobile.twitter.com/ada/status/5?s=20'],
    ['step', 'preview'],
  ] satisfies [string, string][];
  const page = await (await site.send('/submit', sent)).text();
  expect(formOn(page, 'preview')).toContainEqual(['source_url', 'https://x.com/ada/status/5']);
});

it('is filled in by its address, as a provider links it', async () => {
  const link = site.link('some-bot');
  const search = new URLSearchParams([
    ['link', ` ${link}`],
    ['author', '@ada'],
    ['integrations', 'Slack'],
    ['integrations', 'Gmail'],
    ['categories', 'design'],
    ['categories', 'Nonsense'],
    ['secret', 'x'],
    ['link2', '"><script>'],
  ]);
  const page = await (await site.html(`/submit?${search.toString()}`)).text();
  const filled = formOn(page, 'preview').filter(([, value]) => value !== '');
  expect(filled).toEqual([
    ['link', link],
    ['author', '@ada'],
    ['integrations', 'Slack, Gmail'],
    ['categories', 'Design'],
    ['step', 'preview'],
  ]);
  expect(await (await site.html('/submit?link="><script>')).text()).toContain('value="&quot;>&lt;script>"');
});

it('says next to the field that a template is not there, and above the form that the provider is away', async () => {
  const missing = await site.send('/submit', [['link', site.link('none')]]);
  expect([missing.status, (await missing.text()).includes('id="link-error"')]).toEqual([404, true]);
  const broken = site.provider.template((_req, res) => res.writeHead(500).end());
  const away = await site.send('/submit', [['link', site.link(broken)]]);
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await away.text()).toMatch(/Nothing you typed is lost\. Try again in 30 seconds/);
});

it.each([
  ['status', 'status 404'],
  ['a private address', 'https://10.0.0.1/'],
  ['http', 'http://example.com/'],
  ['nothing', ''],
])('registers no webhook with %s', async (_what, url) => {
  site.receiver.respond(404);
  const answer = await site.send('/webhooks', [
    ['action', 'register'],
    ['url', url.startsWith('status') ? site.receiver.url('/x') : url],
  ]);
  expect(answer.status).toBe(400);
  expect(await titleOf(answer)).toMatch(/^Error: Webhooks/);
});

it('registers a webhook for some bots, chosen events and a chat, shows both, and names what is refused', async () => {
  site.receiver.respond(204);
  const url: [string, string] = ['url', site.receiver.url('/chosen')];
  const wrong = await site.send('/webhooks', [['action', 'register'], url, ['filter/category', 'SEO, Cooking']]);
  const refusal = await wrong.text();
  expect(wrong.status).toBe(400);
  expect(refusal).toContain('id="register-category-error"');
  const registered = await site.send('/webhooks', [
    ['action', 'register'],
    url,
    ['filter/category', 'seo, marketing'],
    ['filter/author', 'ada'],
    ['events', 'bot.created'],
    ['events', 'bot.removed'],
    ['format', 'slack'],
  ]);
  const chosen = 'new and removed bots in Marketing or SEO by @ada';
  expect(await registered.text()).toContain(`<bdi>${chosen}</bdi> from now on, as Slack.`);
  const status = await (await site.send('/webhooks', [['action', 'status'], url])).text();
  expect(status).toContain(`<bdi>${chosen}</bdi>, as Slack`);
});

it('sends the headers that were typed, shows none of them, and says which line is wrong', async () => {
  site.receiver.respond(
    ({ headers }, res) => void res.writeHead(headers['x-api-key'] === 'T0KEN a:b' ? 204 : 401).end(),
  );
  const register = (path: string, headers: string) =>
    site.send('/webhooks', [
      ['action', 'register'],
      ['url', site.receiver.url(path)],
      ['headers', headers],
    ]);
  const refused = await register('/keyed', 'X-Api-Key: T1KEN');
  const unread = await register('/keyed', 'T1KEN');
  const ours = await register('/keyed', 'Host: T1KEN');
  const again = await register('/keyed', 'X-Api-Key: T1KEN\r\nX-Api-Key: T1KEN');
  for (const [answer, isField] of [
    [refused, false],
    [unread, true],
    [ours, true],
    [again, true],
  ] as const) {
    const page = await answer.text();
    expect([answer.status, page.includes('register-headers-error'), page.includes('T1KEN')]).toEqual([
      400,
      isField,
      false,
    ]);
    expect(page).toContain('Type it again: we never send secrets back.');
  }
  const taken = await register('/keyed', '\r\n X-Api-Key : T0KEN a:b \r\n\r\nx-two:2\r\n');
  expect([taken.status, (await taken.text()).includes('T0KEN')]).toEqual([200, false]);
  expect(site.receiver.received.at(-1)?.headers).toMatchObject({ 'x-api-key': 'T0KEN a:b', 'x-two': '2' });
  expect((await register('/keyed', '')).status).toBe(409);
});

it('shows a webhook’s URL and secret only to their sender', async () => {
  site.receiver.respond(204);
  const url = site.receiver.url('/secret-path');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const fields: [string, string][] = [
    ['action', 'register'],
    ['url', url],
    ['secret', secret],
  ];
  const answer = await site.send('/webhooks', fields);
  const page = await answer.text();
  expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('location')]).toEqual([
    200,
    'no-store',
    null,
  ]);
  expect(answer.headers.get('referrer-policy')).toBe('same-origin');
  expect(page).toContain('/secret-path');
  expect(page).not.toContain(secret);
  const again = await site.send('/webhooks', fields);
  expect([again.status, (await again.text()).includes('Already registered and active')]).toEqual([409, true]);
  const bad = await site.send('/webhooks', [...fields.slice(0, 2), ['secret', 'whsec_short']]);
  const refused = await bad.text();
  expect([bad.status, refused.includes('whsec_short'), refused.includes('register-secret-error')]).toEqual([
    400,
    false,
    true,
  ]);
  expect(await (await site.html('/webhooks')).text()).not.toContain('secret-path');
});

it('reports a post, and keeps what was typed about one that is not there', async () => {
  await site.send('/feed', [['url', 'https://x.com/a/status/77']]);
  const fields = (status: number): [string, string][] => [
    ['url', `https://x.com/a/status/${status}`],
    ['reason', 'spam'],
    ['text', 'An advertisement.'],
  ];
  const sent = await site.send('/feed/reports', fields(77));
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/feed#sent']);
  const refused = await site.send('/feed/reports', fields(78));
  const page = await refused.text();
  expect([refused.status, page.includes('id="reported-error"')]).toEqual([404, true]);
  expect(page).toContain('An advertisement.');
});

it('steps past the event that fails, if the form says so', async () => {
  site.receiver.respond(204);
  const url = site.receiver.url('/refuses-one');
  const fields: [string, string][] = [
    ['action', 'register'],
    ['url', url],
  ];
  expect((await site.send('/webhooks', fields)).status).toBe(200);
  site.receiver.respond(500);
  await site.publish('Refused by its receiver');
  const status = `/api/webhooks/bots/status?url=${encodeURIComponent(url)}`;
  await until('the delivery has failed', async () => {
    const { body } = await site.get<{ failures_in_a_row: number }>(status);
    return body.failures_in_a_row > 0;
  });
  site.receiver.respond(204);
  expect((await site.send('/webhooks', [...fields, ['resume', 'next']])).status).toBe(200);
  expect((await site.get(status)).body).toMatchObject({ failures_in_a_row: 0, pending_events: 0 });
});

it('shows an owner why deliveries fail, sends a test, and continues when a button says so', async () => {
  const url = site.receiver.url('/repaired');
  const address: [string, string] = ['url', url];
  const send = async (action: string) => {
    const answer = await site.send('/webhooks', [['action', action], address]);
    return { status: answer.status, text: (await answer.text()).replaceAll('’', "'") };
  };
  site.receiver.respond(204);
  const registered = await site.send('/webhooks', [
    ['action', 'register'],
    address,
    ['filter/q', 'repaired'],
    ['headers', 'X-Api-Key: abc'],
  ]);
  expect(await registered.text()).toContain(', with your headers');
  site.receiver.respond(405);
  await site.publish('Repaired later');
  const state = `/api/webhooks/bots/status?url=${encodeURIComponent(url)}`;
  const failures = async () => (await site.get<{ failures_in_a_row: number }>(state)).body.failures_in_a_row;
  await until('the delivery has failed', async () => (await failures()) > 0);
  const shown = await send('status');
  expect(shown.text).toMatch(/<td>405<\/td><td>[\d.]+ m?s<\/td>/);
  expect(shown.text).toContain('It did not respond with a 2xx status.');
  for (const action of ['test', 'resume']) expect(shown.text).toContain(`name="action" value="${action}"`);
  const tested = await send('test');
  expect([tested.status, tested.text.includes('It responded with 405, not with a 2xx status.')]).toEqual([200, true]);
  const refused = await send('resume');
  expect([refused.status, refused.text.includes('Nothing was saved.')]).toEqual([400, true]);
  site.receiver.respond(204);
  expect((await send('test')).text).toContain('Your endpoint accepted the ping');
  expect((await send('resume')).text).toContain('It continues now.');
  await until('it is delivered', async () => (await failures()) === 0);
  expect((await site.get(state)).body).toMatchObject({ filter: { q: 'repaired' }, has_headers: true });
});

describe('a limit', () => {
  let limited: SiteUnderTest;
  beforeAll(async () => {
    limited = await startSite({ settings: { WRITE_RATE_LIMIT: '2/1m' }, redis: site.redis });
    for (const n of [1, 2]) await limited.send('/feed', [['url', `https://x.com/a/status/${n}`]]);
  });
  afterAll(() => limited.stop());

  it('is shown above the form with its seconds, and keeps what was typed', async () => {
    const url = 'https://x.com/a/status/3';
    const answer = await limited.send('/feed', [['url', url]]);
    const page = await answer.text();
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(page).toContain('One IP address may send 2 writes in 60 seconds.');
    expect(page).toMatch(/Nothing you typed is lost\. Try again in \d+ seconds?\./);
    expect(page).toContain(`value="${url}"`);
  });

  it('says that a secret has to be typed again', async () => {
    const fields: [string, string][] = [
      ['action', 'register'],
      ['url', 'https://hooks.example.com/x'],
      ['secret', 'whsec_typed'],
    ];
    const page = await (await limited.send('/webhooks', fields)).text();
    expect(page).toContain('Only secrets have to be typed again.');
    expect(page).toContain('value="https://hooks.example.com/x"');
    expect(page).not.toContain('whsec_typed');
    const without = await (await limited.send('/webhooks', fields.slice(0, 2))).text();
    expect(without).toContain('Nothing you typed is lost.');
  });

  it('is a page for an install, which is no form with fields', async () => {
    const answer = await limited.send(`/bots/${slug}/install`, []);
    expect([answer.status, await titleOf(answer)]).toEqual([
      429,
      'Too many requests from your IP address · Bot Directory',
    ]);
  });
});

it('keeps what the about page names, and no address of a visitor', async () => {
  const url = site.receiver.url('/kept');
  site.receiver.respond(204);
  await site.send('/webhooks', [
    ['action', 'register'],
    ['url', url],
    ['filter/author', '@ada'],
  ]);
  await site.send('/feed', [['url', 'https://x.com/a/status/1']]);
  await site.send(`/bots/${slug}/install`, []);
  await site.send(`/bots/${slug}/reports`, [['reason', 'spam']]);
  const client = new Redis(site.redis?.url ?? '');
  const stored = await client.keys('*');
  client.disconnect();
  const nameOf = (key: string): string => key.replace(/^bots:(\{[^}]*\}:)?/, '').replace(/:.*/, '');
  const named = new Set(kept.flatMap((row) => row.keys));
  expect(stored.filter((key) => !named.has(nameOf(key)))).toEqual([]);
  expect(stored.filter((key) => key.includes('127.0.0.1'))).toEqual([]);
  for (const name of ['bot', 'post', 'installs', 'reports', 'urls', 'rate']) expect(stored.map(nameOf)).toContain(name);
  const { bot, post, ...fixed } = keys;
  const ids = createIds(Date.now);
  const ofOne = [bot(ids.bot()), post(ids.post())];
  const places = [partition(0), ownQueue(partition(0))].flatMap((queue) => Object.values(queue));
  const modelled = [...Object.values(fixed), ...ofOne, ...places].filter((key) => typeof key === 'string').map(nameOf);
  expect([...named].filter((name) => !modelled.includes(name))).toEqual([]);
});

describe('a form of a bot’s page', () => {
  const sent = async (form: string, fields: [string, string][] = [], of = slug) => {
    const answer = await site.send(`/bots/${of}/${form}`, fields);
    return { status: answer.status, location: answer.headers.get('location'), page: await answer.text() };
  };

  it('adds integrations, and says next to the field what it can’t', async () => {
    const many = await site.publish('Many', { integrations: Array.from({ length: 24 }, (_, i) => `tool-${i}`) });
    const added = await sent('integrations', [['integrations', 'Google Sheets, slack']]);
    expect([added.status, added.location]).toEqual([303, `/bots/${slug}#added`]);
    const page = await (await site.html(`/bots/${slug}`)).text();
    expect(page).toContain('<a class="chip chip-quiet" href="/integrations/google-sheets">');
    // It suggests integrations of other bots, and not its own.
    expect(page).toContain('<option value="tool-0"');
    expect(page).not.toContain('<option value="slack"');
    for (const [of, typed, status] of [
      [slug, '', 400],
      [slug, '!', 400],
      [many, 'slack', 400],
    ] as const) {
      const refused = await sent('integrations', [['integrations', typed]], of);
      expect([refused.status, refused.page.includes('id="integration-error"')]).toEqual([status, true]);
    }
    expect((await sent('integrations', [['integrations', 'slack']], 'none')).status).toBe(404);
  });

  it('reads the template again, and says when it is gone', async () => {
    const template = site.provider.template({ name: 'Before' });
    await site.post('/api/bots/submit', { link: site.link(template) });
    site.provider.template({ name: 'After' }, template);
    const answer = await sent('refresh', [], 'before');
    expect([answer.status, answer.location]).toEqual([303, '/bots/before#refreshed']);
    expect(await titleOf(await site.html('/bots/before'))).toMatch(/^After/);
    const missing = site.provider.template({ name: 'Missing' });
    await site.post('/api/bots/submit', { link: site.link(missing) });
    site.provider.template((_req, res) => res.writeHead(404).end(), missing);
    const gone = await sent('refresh', [], 'missing');
    expect([gone.status, gone.page.includes('The template provider has no template at this link.')]).toEqual([
      404,
      true,
    ]);
    expect(gone.page).not.toContain('Nothing you typed');
  });
});

it('takes only forms, of at most 32 KB, with unknown fields ignored', async () => {
  const json = await fetch(`${site.url}/feed`, {
    method: 'POST',
    body: '{}',
    headers: { Accept: 'text/html', Origin: site.url, 'Content-Type': 'application/json' },
  });
  expect(json.status).toBe(415);
  expect((await site.send('/feed', [['url', 'x'.repeat(40_000)]])).status).toBe(413);
  const extra = await site.send('/feed', [
    ['url', 'https://x.com/a/status/99'],
    ['name', 'ignored'],
  ]);
  expect(extra.status).toBe(303);
  expect((await site.send('/webhooks', [['action', 'explode']])).status).toBe(400);
});

it('reports only what is there, with a reason', async () => {
  const report = (path: string, fields: [string, string][]): Promise<Response> => site.send(path, fields);
  const sent = await report(`/bots/${slug}/reports`, [['reason', 'spam']]);
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/bots/${slug}#reported`]);
  const refused = await report(`/bots/${slug}/reports`, [['text', 'why']]);
  const page = await refused.text();
  expect([refused.status, page.includes('id="report-reason-error"'), page.includes('>why</textarea>')]).toEqual([
    400,
    true,
    true,
  ]);
  expect((await report('/bots/none/reports', [['reason', 'spam']])).status).toBe(404);
});
