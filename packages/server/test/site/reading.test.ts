/**
 * Pages are read like lists: version, tag, 304, HEAD and compression. An error is a page for clients that prefer HTML.
 */
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { webhookFormats } from '@bot-directory/contract';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startSite } from '@bot-directory/testing/site';

let slug: string;
let others: string[];
const site = useStarted(startSite);
beforeAll(async () => {
  slug = await site.publish('Weekly Report', { categories: ['SEO'], integrations: ['slack'], author: '@Ada' });
  await site.publish('By Ada', { author: '@ada' });
  others = [];
  for (let i = 0; i < 30; i += 1) others.push(await site.publish(`Other ${i}`, { categories: ['Design'] }));
  await site.post('/api/feed', { url: 'https://x.com/ada/status/1' });
});

const pages = [
  '/',
  '/categories/seo',
  '/integrations/slack',
  '/authors/ada',
  '/?q=report&sort=installs',
  '/integrations',
  '/authors',
  '/feed',
  '/submit',
  '/webhooks',
];
const fixed = [
  '/docs',
  '/docs/subscribing',
  '/about',
  '/corrections',
  '/problems/bot_exists',
  '/robots.txt',
  '/llms.txt',
  '/server.json',
  '/opensearch.xml',
  '/.well-known/api-catalog',
];
const machine = [
  '/bots.atom',
  '/bots.json',
  '/bots.json?category=SEO',
  '/feed.atom',
  '/feed.json',
  '/sitemap.xml',
  '/bots/weekly-report/badge.svg',
  '/bots/weekly-report/og.png',
];

describe.each([
  ...pages,
  ...fixed,
  ...machine,
  '/bots/weekly-report',
  '/og.png',
  '/favicon.ico',
  '/apple-touch-icon.png',
])('%s', (path) => {
  it('has a strong tag, is not sent again, and answers HEAD', async () => {
    // A slow machine may take longer to draw a picture than the first request for it waits.
    if (path.startsWith('/bots/') && path.endsWith('.png')) {
      const tag = async () => (await site.html(path)).headers.get('etag');
      await until('the picture is drawn', async () => (await tag()) === (await tag()));
    }
    const answer = await site.html(path);
    const etag = answer.headers.get('etag') ?? '';
    expect(answer.status).toBe(200);
    expect(etag).toMatch(/^"/);
    expect(answer.headers.get('cache-control')).toBe('public, no-cache');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).not.toBe('');
    const again = await site.html(path, { 'If-None-Match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await fetch(`${site.url}${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, answer.headers.get('content-type')]);
  });
});

it('sends pages compressed, and the same in each form', async () => {
  const plain = await (await site.html('/', { 'Accept-Encoding': 'identity' })).text();
  const encoded = async (encoding: string): Promise<string | null> =>
    (await site.html('/', { 'Accept-Encoding': encoding })).headers.get('content-encoding');
  for (const encoding of ['gzip', 'br'])
    await until(`${encoding} is there`, async () => (await encoded(encoding)) === encoding);
  expect(await (await site.html('/', { 'Accept-Encoding': 'br' })).text()).toBe(plain);
});

it('changes a page’s tag with a publish, and a bot’s page with its own install, not with another’s', async () => {
  const tagOf = async (path: string): Promise<string | null> =>
    (await site.html(path, { 'Accept-Encoding': 'identity' })).headers.get('etag');
  const before = {
    home: await tagOf('/'),
    bot: await tagOf(`/bots/${slug}`),
    other: await tagOf(`/bots/${others[0]}`),
  };
  await site.send(`/bots/${slug}/install`, []);
  await until('it is counted', async () => (await tagOf(`/bots/${slug}`)) !== before.bot);
  expect(await tagOf(`/bots/${others[0]}`)).toBe(before.other);
  await site.publish('One more');
  expect(await tagOf('/')).not.toBe(before.home);
  expect(await tagOf(`/bots/${others[0]}`)).toBe(before.other);
});

it('names files by their bytes, forever', async () => {
  const home = await (await site.html('/')).text();
  const paths = [...home.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(new Set(paths).size).toBe(3);
  for (const path of paths) {
    const answer = await fetch(`${site.url}${path}`, { headers: { 'Accept-Encoding': 'br' } });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
  expect((await site.html('/assets/other-0000000000.css')).status).toBe(404);
});

it('serves the files of a page of another process, which has other settings, as its own, but not to keep', async () => {
  const other = await startService({
    redis: site.redis,
    provider: site.provider,
    settings: { BASE_URL: site.url, SITE_ACCENT: '#1d4f91' },
  });
  const page = await (await fetch(`${other.url}/submit`, { headers: { Accept: 'text/html' } })).text();
  const paths = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  const known = await (await site.html('/submit')).text();
  expect(paths.filter((path) => !known.includes(path))).not.toEqual([]);
  for (const path of paths) {
    const answer = await site.html(path);
    const kept = known.includes(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, kept]);
  }
  await other.stop();
});

it('shows a bot that one process publishes on the other’s home page in the very next response', async () => {
  const other: Service = await startService({ redis: site.redis, provider: site.provider });
  for (let i = 0; i < 10; i += 1) {
    const name = `Seen at once ${i}`;
    await site.publish(name);
    expect(await (await fetch(other.url)).text()).toContain(name);
  }
  await other.stop();
});

describe('an error', () => {
  it.each([
    ['/nothing', 404, 'Page not found'],
    ['/bots/no-such-bot', 404, 'Bot not found'],
    ['/problems/none', 404, 'Page not found'],
    ['/bots.atom?sort=best', 400, 'This link isn’t valid'],
    ['/bots.json?cursor=x', 400, 'This link isn’t valid'],
    ['/feed.atom?cursor=x', 400, 'This link isn’t valid'],
  ])('at %s is a page for a browser, and a problem for a program', async (path, status, title) => {
    const page = await site.html(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.headers.get('vary')).toBe('Accept');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain(page.headers.get('x-request-id'));
    expect(text).toContain('content="noindex,follow"');
    const problem = await fetch(`${site.url}${path}`);
    expect([problem.status, problem.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it.each([
    ['text/html', true],
    ['TEXT/HTML', true],
    ['application/json;q=0.1, text/html', true],
    ['application/json, text/html;q=0.1', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['*/*', false],
    ['text/*', false],
    ['text/html;q=0', false],
    ['application/json', false],
    [',,,', false],
    ['', false],
    ['text/html'.repeat(500), false],
  ])('is a page for a client that accepts %s: %s', async (accept, isPage) => {
    const { headers } = await fetch(`${site.url}/nothing`, { headers: { Accept: accept } });
    expect(headers.get('content-type')?.startsWith('text/html')).toBe(isPage);
  });

  it('offers to search for the words of a bot that is not there', async () => {
    expect(await (await site.html('/bots/weekly-seo-report')).text()).toContain('value="weekly seo report"');
  });

  it('is a problem under /api, whatever is accepted', async () => {
    expect((await site.html('/api/none')).headers.get('content-type')).toContain('problem+json');
  });

  it('of a method names those that a page takes', async () => {
    const answer = await fetch(`${site.url}/submit`, { method: 'PUT', headers: { Accept: 'text/html' } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    expect(await answer.text()).toContain('This page doesn’t accept that request');
  });
});

it('redirects another spelling of a slug to the bot', async () => {
  const answer = await site.html(`/bots/${slug.toUpperCase()}`);
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `/bots/${slug}`]);
});

it.each([
  ['/bots/weekly-report/', '/bots/weekly-report'],
  ['/feed/?cursor=x', '/feed?cursor=x'],
  ['/bots', '/'],
  ['/?category=SEO', '/categories/seo'],
  ['/?integration=Slack&sort=installs', '/integrations/slack?sort=installs'],
  ['/?author=Ada', '/authors/ada'],
  ['/categories/SEO?q=report', '/?q=report&category=SEO'],
  ['/categories/SEO', '/categories/seo'],
  ['/integrations/Google%20Sheets', '/integrations/google-sheets'],
  ['/authors/@ADA', '/authors/ada'],
  ['/categories/seo).', '/categories/seo'],
  ['/integrations/slack)', '/integrations/slack'],
  ['/authors/ada.', '/authors/ada'],
  ['/rss', '/bots.atom'],
  ['/feed.xml', '/bots.atom'],
  ['/openapi.json', '/api/openapi.json'],
  ['/api', '/docs'],
])('redirects %s to %s', async (path, location) => {
  const answer = await site.html(path);
  expect([answer.status, answer.headers.get('location')]).toEqual([308, location]);
});

it.each([
  ['/categories/marketin', 'There is no category “marketin”', '/categories/marketing'],
  ['/integrations/slak', 'No bot works with “slak”', '/integrations/slack'],
  ['/integrations/slack-app', 'No bot works with “slack-app”', '/integrations/slack'],
  ['/authors/adda', 'No bots are by “@adda”', '/authors/ada'],
  ['/authors/Ada%20Lovelace', 'No bots are by “@ada lovelace”', '/authors/ada'],
  ['/integrations/%E4%BC%9A%E8%AD%B0', 'No bot works with “会議”', '/integrations'],
])('says that there is nothing at %s, and what is near', async (path, words, near) => {
  const asked = await site.html(path);
  const answer = asked.status === 308 ? await site.html(asked.headers.get('location') ?? '') : asked;
  const text = (await answer.text()).replace(/<\/?bdi>/g, '');
  expect(answer.status).toBe(404);
  expect(text).toContain(words);
  expect(text).toContain(`href="${near}"`);
  expect(text).toContain('noindex');
});

it('has no page of a name that cannot be read', async () => {
  for (const kind of ['categories', 'integrations', 'authors'])
    expect((await site.html(`/${kind}/%E0%A4`)).status, kind).toBe(404);
});

it.each([
  '/?from=singlemessage&isappinstalled=0',
  '/?id=5&page=2&limit=3&tags=SEO&p=7',
  '/?category=&integration=&author=&sort=&updated_since=&q=',
  '/?sort=foo&updated_since=yesterday&cursor=nonsense&author=',
  '/?fbclid=x&utm_source=y&sort=newest&sort=installs',
  '/categories/seo?page=2&author=',
  '/integrations/slack?from=timeline',
  '/feed?page=2&cursor=nonsense&author=ada',
  '/integrations?page=2',
  '/submit?utm_source=x',
  `/?${Array.from({ length: 150 }, (_, i) => `x${i}=`).join('&')}`,
])('shows the page at %s: it ignores what it does not know', async (path) => {
  const asked = await site.html(path);
  const answer = asked.status === 308 ? await site.html(asked.headers.get('location') ?? '') : asked;
  expect(answer.status).toBe(200);
  const plain = await site.html(path.split('?', 1)[0] ?? '');
  const titleOf = (html: string): string | undefined => /<title>([^<]*)/.exec(html)?.[1];
  if (!path.includes('installs')) expect(titleOf(await answer.text())).toBe(titleOf(await plain.text()));
});

it.each(['', ')', '.', '),', '**', '!', '”', '…', '%29', '.)'])(
  'leads to the bot where a chat took %j for a part of its address',
  async (end) => {
    const answer = await site.html(`/bots/${slug}${end}`);
    expect([answer.status, answer.headers.get('location')]).toEqual(end === '' ? [200, null] : [308, `/bots/${slug}`]);
  },
);

it('counts filters among the results, and shows none without results', async () => {
  const page = await (await site.html('/?q=other')).text();
  const [, filters = ''] = /<nav class="filters"([^]*?)<\/nav>/.exec(page) ?? [];
  expect(filters).toContain('Design');
  expect(filters).not.toContain('SEO');
  expect(filters).not.toContain('slack');
});

it('puts the best match first, and says which typing error it forgave', async () => {
  await site.publish('Zebra');
  await site.publish('About zebras, and more', { integrations: ['stripes'] });
  const read = async (search: string) => {
    const page = await (await site.html(`/?${search}`)).text();
    return {
      page: page.replace(/<\/?(bdi|a)\b[^>]*>/g, ''),
      cards: [...page.matchAll(/<h2 class="card-name"><a[^>]*>([^<]*)/g)].map(([, name]) => name),
    };
  };
  const best = await read('q=zebra');
  const newest = await read('q=zebra&sort=newest');
  expect(best.cards).toEqual(['Zebra', 'About zebras, and more']);
  expect(newest.cards).toEqual(best.cards.toReversed());
  const forgiven = await read('q=zbera');
  expect(forgiven.cards).toEqual(best.cards);
  expect(forgiven.page).toContain('No bots match “zbera”. These match “zebra”.');
  expect(forgiven.page).toContain('value="zbera"');
  const filtered = await read('q=zbera&integration=stripes');
  expect(filtered.cards).toEqual(['About zebras, and more']);
  expect((await read('q=zebras')).page).toContain('Did you mean zebra? 2 bots');
  expect((await read('q=zebra&category=SEO')).page).toContain('No bots match “zebra” in SEO');
  const names = async (search: string) =>
    (await site.get<{ name: string }[]>(`/api/bots?${search}`)).body.map(({ name }) => name);
  expect(await names('q=zebra')).toEqual(newest.cards);
  expect(await names('q=zebra&sort=relevance')).toEqual(best.cards);
  expect(await names('q=zbera&sort=relevance')).toEqual([]);
});

it('serves the API with and without a slash at the end', async () => {
  expect((await site.html('/api/bots/')).status).toBe(200);
});

it('works without a store, except for writes', async () => {
  const bare = await startSite({ redis: null });
  expect(await (await bare.html('/')).text()).toContain('No bots yet');
  expect(await (await bare.html('/submit')).text()).toContain('Submissions are closed right now');
  expect(await (await bare.html('/webhooks')).text()).toContain('Registration is closed right now');
  const answer = await bare.send('/submit', [['link', bare.link('x')]]);
  expect([answer.status, (await answer.text()).includes('Submissions are closed right now')]).toEqual([503, true]);
  await bare.stop();
});

it('serves what needs no store while it is away, and says so of the rest', async () => {
  const away = await startSite();
  await away.redis?.kill();
  await until('the store is missed', async () => (await away.html('/')).status === 500);
  const page = await away.html('/');
  expect([page.status, page.headers.get('retry-after')]).toEqual([500, '5']);
  expect(await page.text()).toContain('can’t be loaded right now');
  for (const path of [...fixed, '/submit']) expect([path, (await away.html(path)).status]).toEqual([path, 200]);
  const answer = await away.send('/submit', [['link', away.link('x')]]);
  expect([answer.status, (await answer.text()).includes('Nothing you typed is lost')]).toEqual([503, true]);
  await away.stop();
});

it('has the name and the colour that the operator chose', async () => {
  const named = await startSite({
    redis: null,
    settings: {
      SITE_NAME: 'Ada’s <Bots>',
      SITE_DESCRIPTION: '"><img src=x>',
      SITE_CONTACT: 'ada@example.com',
      SITE_ACCENT: '#1d4f91',
    },
  });
  const home = await (await named.html('/')).text();
  expect(home).toContain('<title>Ada’s &lt;Bots></title>');
  expect(home).toContain('href="mailto:ada@example.com"');
  expect(home).not.toContain('<img');
  for (const path of ['/bots.atom', '/opensearch.xml'])
    expect(await (await named.html(path)).text()).not.toMatch(/<Bots>|<img/);
  const [, styles = ''] = /"(\/assets\/site-[^"]+\.css)"/.exec(home) ?? [];
  const answer = await fetch(`${named.url}${styles}`, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(await answer.text()).toContain('--accent:var(--light,#1d4f91)');
  expect(home).not.toContain((await (await site.html('/')).text()).match(/\/assets\/site-[^"]+\.css/)?.[0] ?? 'none');
  await named.stop();
});

it('names where its API is described, by links that work', async () => {
  const answer = await site.html('/.well-known/api-catalog');
  expect(answer.headers.get('content-type')).toMatch(/^application\/linkset\+json; profile=".*rfc9727"$/);
  expect(answer.headers.get('link')).toBe(`<${site.url}/.well-known/api-catalog>; rel="api-catalog"`);
  const { linkset } = (await answer.json()) as { linkset: Record<string, string | { href: string; type: string }[]>[] };
  const [{ anchor, ...relations } = {}] = linkset;
  expect(anchor).toBe(`${site.url}/api`);
  expect(Object.keys(relations)).toEqual(['service-desc', 'service-doc', 'status']);
  for (const [{ href, type } = { href: '', type: '' }] of Object.values(relations) as {
    href: string;
    type: string;
  }[][]) {
    const { status, headers } = await fetch(href, { headers: { Accept: type } });
    expect([href, status, headers.get('content-type')]).toEqual([href, 200, expect.stringContaining(type)]);
  }
});

it('says where to report a vulnerability if the operator does', async () => {
  const path = '/.well-known/security.txt';
  expect((await fetch(`${site.url}${path}`)).status).toBe(404);
  const named = await startSite({ redis: null, settings: { SECURITY_CONTACT: 'security@example.com' } });
  const answer = await fetch(`${named.url}${path}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const fields = new URLSearchParams((await answer.text()).trim().replaceAll(': ', '=').replaceAll('\n', '&'));
  expect(fields.get('Contact')).toBe('mailto:security@example.com');
  expect(fields.get('Canonical')).toBe(`${named.url}${path}`);
  const daysLeft = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
  expect([daysLeft > 0, daysLeft < 365]).toEqual([true, true]);
  await named.stop();
});

it('has no more sitemaps than bots fill', async () => {
  const statusOf = async (number: string): Promise<number> => (await site.html(`/sitemaps/${number}.xml`)).status;
  expect([await statusOf('1'), await statusOf('2'), await statusOf('0')]).toEqual([200, 404, 404]);
});

it.each(['/bots/%2F%2FEVIL.example', '/bots/A%0d%0aSet-Cookie:x', '//EVIL.example', '/%5C/EVIL.example'])(
  'redirects %s to no other site, and adds no header',
  async (path) => {
    const answer = await site.html(path);
    expect(answer.headers.get('location') ?? '/bots/').toMatch(/^\/bots\/[^\s]*$/);
    expect(answer.headers.get('set-cookie')).toBeNull();
  },
);

it('turns no query into a header, a script or markup', async () => {
  const hostile = ['q=%0d%0aSet-Cookie:x', 'q=%00', 'q=%E2%80%AE', 'q=%ED%A0%80', `q=${'a'.repeat(60_000)}`];
  for (const query of [
    ...hostile,
    'q=%22%3E%3Cscript%3E',
    `category=SEO&`.repeat(400),
    'category=%0d%0ax',
    'author=%3Cb%3E',
  ]) {
    const answer = await site.html(`/?${query}`);
    expect([200, 308, 400, 414, 431]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await answer.text()).not.toMatch(/<script>|<b>|\u202E/);
  }
});

it.each(['category=Design', 'q=other&sort=newest', 'category=Design&sort=trending'])(
  'says where a page of %s is in the list, and links the pages around it',
  async (search) => {
    const linkOf = (page: string, rel: string): string =>
      new RegExp(`rel="${rel}[^"]*" href="([^"]*)"`).exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const rangeOf = (page: string): string | undefined => /data-result-count[^>]*>([^<]*)</.exec(page)?.[1];
    const first = await (await fetch(`${site.url}/?${search}`, { headers: { Accept: 'text/html' } })).text();
    expect([rangeOf(first), linkOf(first, 'prev')]).toEqual(['1–24 of 30 bots', '']);
    const second = await (await site.html(linkOf(first, 'next'))).text();
    expect([rangeOf(second), linkOf(second, 'next')]).toEqual(['25–30 of 30 bots', '']);
    expect(second).toMatch(/<title>[^<]*, 25–30 of 30 · /);
    expect(await (await site.html(linkOf(second, 'prev'))).text()).toBe(
      await (await site.html(linkOf(second, 'prev').replace(/[?&]cursor=[^&]*/, ''))).text(),
    );
    expect(linkOf(second, 'prev')).not.toContain('cursor');
  },
);

it('links all bots, from page to page of a feed', async () => {
  for (let i = 0; i < 30; i += 1) await site.publish(`In a feed ${i}`);
  type Page = { readonly items: { readonly title: string }[]; readonly next_url?: string };
  const titles: string[] = [];
  let path: string | undefined = '/bots.json';
  while (path !== undefined) {
    const page = (await (await site.html(path)).json()) as Page;
    titles.push(...page.items.map(({ title }) => title));
    const atom = await (await site.html(path.replace('.json', '.atom'))).text();
    const [, next] = /rel="next"[^>]*href="[^"?]*([^"]*)"/.exec(atom) ?? [];
    path = page.next_url === undefined ? undefined : `/bots.json${new URL(page.next_url).search}`;
    expect(next === undefined ? undefined : `/bots.json${next}`).toBe(path);
  }
  const names = (await site.get<{ name: string }[]>('/api/bots')).body.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(50);
  expect(titles).toEqual(names);
  expect((await site.html('/bots.atom?cursor=x')).status).toBe(400);
});

it('shows bots with posts about them, in pages that change when a post is added', async () => {
  const announcement = 'https://x.com/bo/status/77';
  const shown = await site.publish('Shown by Bo', { author: '@Bo', source_url: announcement });
  const tagOf = async (): Promise<string | null> => (await site.html(`/bots/${shown}`)).headers.get('etag');
  const before = await tagOf();
  for (const url of [announcement, 'https://x.com/BO/status/78', 'https://x.com/eve/status/79'])
    await site.post('/api/feed', { url });
  expect(await tagOf()).not.toBe(before);
  const page = await (await site.html(`/bots/${shown}`)).text();
  expect([page.includes('/status/78'), page.includes('/status/79')]).toEqual([true, false]);
  const showcase = await (await site.html('/feed')).text();
  expect(showcase.match(/<h3 class="card-name"[^>]*><a href="[^"]*"/g)).toEqual([
    `<h3 class="card-name" dir="auto"><a href="/bots/${shown}"`,
  ]);
  expect(showcase.match(/Bots by @\w+/g)).toEqual(['Bots by @BO', 'Bots by @ada']);
  expect(showcase).toContain('href="/feed.atom"');
  const { items } = (await (await site.html('/feed.json')).json()) as { items: { title: string }[] };
  expect(items.map(({ title }) => title)).toEqual([
    '@eve’s post',
    '@BO’s post',
    '@bo shows Shown by Bo',
    '@ada’s post',
  ]);
});

it.each([
  'category=SEO',
  'integration=slack',
  'author=ada',
  'q=weekly',
  'q=other&category=Design',
  'q=%E2%9C%A8',
  'sort=installs',
  'sort=trending',
])('has a feed of the page with %s, which links it', async (search) => {
  type Feed = { readonly items: { readonly url: string }[]; readonly feed_url: string };
  const page = await (await fetch(`${site.url}/?${search}`, { headers: { Accept: 'text/html' } })).text();
  const [, address = ''] = /<link[^>]*type="application\/feed\+json"[^>]*href="([^"]*)"/.exec(page) ?? [];
  const feed = (await (await site.html(address.replaceAll('&amp;', '&'))).json()) as Feed;
  const listed = await site.get<{ url: string }[]>(`/api/bots?${search}`);
  const expected = search === 'q=%E2%9C%A8' ? [] : listed.body.slice(0, 50).map(({ url }) => url);
  expect(feed.items.map(({ url }) => url)).toEqual(expected);
  expect(page).toContain(`<a href="${address.replace('.json', '.atom')}">Atom</a>`);
  expect(new URL(feed.feed_url).search).toBe(new URL(address.replaceAll('&amp;', '&'), site.url).search);
});

it('refuses in a feed what the list refuses', async () => {
  for (const search of ['category=Nothing', 'author=%3Cb%3E', 'page=2', 'sort=oldest'])
    expect((await site.html(`/bots.atom?${search}`)).status, search).toBe(400);
});

it('names every bot and page in the sitemap', async () => {
  const answer = await fetch(`${site.url}/sitemap.xml`, { headers: { 'Accept-Encoding': 'identity' } });
  const text = await answer.text();
  expect(text.match(/<loc>/g)?.length).toBe((await site.get<unknown[]>('/api/bots')).body.length + 11 + 6);
  for (const path of ['/categories/seo', '/categories/design', '/integrations/slack', '/authors/ada'])
    expect(text).toContain(`<loc>${site.url}${path}</loc>`);
});

it.each([
  ['Checked', { name: 'Still there' }],
  ['Not found,', (_req: unknown, res: ServerResponse): void => void res.writeHead(404).end()],
  ['No response,', (_req: unknown, res: ServerResponse): void => void res.writeHead(500).end()],
] as const)('says on a bot’s page what the last reading of its template found: %s', async (words, then) => {
  const id = site.provider.template({ name: 'Still there' });
  const { body } = await site.post<{ slug: string }>('/api/bots/submit', { link: site.link(id) });
  const page = async (): Promise<Response> => site.html(`/bots/${body.slug}`);
  const read = (found: string): RegExp =>
    new RegExp(`<dt>Template</dt><dd>${found} <time datetime="\\d{4}-\\d\\d-\\d\\d">`);
  const before = await page();
  expect(await before.text()).toMatch(read('Checked'));
  site.provider.template(then, id);
  await site.post(`/api/bots/${body.slug}/refresh`, {});
  const after = await page();
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  expect(await after.text()).toMatch(read(words));
});

it('names the older bots of a bot’s name on its page, and the account that announced it', async () => {
  const first = await site.publish('Twin of Ada', { author: '@eve', source_url: 'https://x.com/EVE/status/7' });
  const second = await site.publish('twin  of ADA', { author: '@mallory', source_url: 'https://x.com/eve/status/7' });
  await site.publish('Ada of Twin');
  const textOf = async (slug: string): Promise<string> => {
    const page = await (await site.html(`/bots/${slug}`)).text();
    return page.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
  };
  expect(await textOf(first)).not.toContain('Same name as');
  expect(await textOf(first)).toContain('Announced by @eve');
  expect(await textOf(second)).toContain('Same name as Twin of Ada by @eve, listed ');
  expect(await textOf(second)).toContain('Submitted as @mallory');
  expect(await textOf('ada-of-twin')).not.toContain('Same name as');
  await site.publish('Reads C++');
  expect(await textOf(await site.publish('reads c++'))).toContain('Same name as Reads C++');
  expect(await textOf(await site.publish('Reads C'))).not.toContain('Same name as');
});

it('names an older bot on the page of one that imitates its name, but not for honest names alike', async () => {
  const noteOf = async (name: string): Promise<string> => {
    const page = await (await site.html(`/bots/${await site.publish(name)}`)).text();
    return /Same name as[^<]*<a[^>]*>([^<]*)/.exec(page)?.[1] ?? '';
  };
  for (const name of ['Meeting Notes Pro', 'Modern', 'Modem', 'パパの日記', 'ハハの日記', 'पिता', 'पता'])
    expect(await noteOf(name), name).toBe('');
  expect(await noteOf('Mееting Nоtes Prо')).toBe('Meeting Notes Pro');
  expect(await noteOf('Meet\u200ding Notes Pro')).toBe('Meeting Notes Pro');
  expect(await noteOf('mоdern')).toBe('Modern');
});

const chats = webhookFormats.filter((format) => format !== 'cloudevents');

it.each(chats)('fills in the form of a webhook by its address, as Follow links it for %s', async (format) => {
  const page = await (await site.html('/?category=SEO&integration=slack')).text();
  const [, href = ''] = new RegExp(`href="(/webhooks\\?[^"]*format=${format}[^"]*)"`).exec(page) ?? [];
  const form = await (await site.html(href.replaceAll('&amp;', '&'))).text();
  expect(form).toMatch(new RegExp(`id="format-${format}"[^>]* checked`));
  expect(form).toContain('new bots in SEO that use slack');
  expect(form).toContain('<link rel="canonical"');
});

it('has a web app manifest', async () => {
  const answer = await site.html('/manifest.webmanifest');
  expect(answer.headers.get('content-type')).toBe('application/manifest+json');
  expect(await answer.json()).toMatchObject({ start_url: '/', icons: [{ sizes: 'any' }, { sizes: '180x180' }] });
});
