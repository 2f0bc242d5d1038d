/**
 * Every address that is made from a query keeps the whole query: those of pages and feeds, of the lines of the list, of
 * `Link` headers and of redirects. Each selects what the list selects without paging.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, botSorts, loggedEventTypes, type Bot, type QueryValues } from '@bot-directory/contract';
import { until } from '@bot-directory/testing/until';
import { startSite, type SiteUnderTest } from '@bot-directory/testing/site';

let site: SiteUnderTest;
/** An instant between the changes of the first half of the bots and those of the second. */
let halfway = '';

const words = ['alpha', 'beta', 'C++', 'Élan', 'straße', '.net', 'report & mail'];
const categories = ['SEO', 'Data & Analytics', 'Design'];
const integrations = ['slack', 'C++', 'R&D', 'Google Sheets'];

beforeAll(async () => {
  site = await startSite({ settings: { TRUST_PROXY: 'loopback', CATEGORIES: categories.join(',') } });
  for (let i = 0; i < 60; i += 1) {
    if (i === 30) halfway = new Date().toISOString();
    const slug = await site.publish(`${words[i % 7]} ${words[(i * 3) % 5]} ${i % 10}`, {
      categories: [categories[i % 3]],
      integrations: integrations.slice(i % 4),
      author: i % 2 === 0 ? '@Ada' : '@bo',
    });
    for (let visitor = 0; visitor < i % 3; visitor += 1) await site.install(slug, visitor);
  }
  // Else the order by installs could change between two addresses.
  await until('all installs are counted', async () => {
    const { body } = await site.get<Bot[]>('/api/bots');
    return body.reduce((sum, { install_count }) => sum + install_count, 0) === 60;
  });
});
afterAll(() => site.stop());

const some = (values: readonly string[]) => fc.subarray([...values], { maxLength: 2 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const filter = {
  q: optional(fc.constantFrom('alpha', 'ELAN  c++', 'strasse', '.net', 'report & mail', '  ', '1', 'zzz')),
  category: some(categories),
  integration: some(['slack', 'c++', 'R&D', 'google-sheets']),
  author: optional(fc.constantFrom('ada', '@BO')),
};
const botQueries: fc.Arbitrary<QueryValues> = fc.record({
  ...filter,
  updated_since: optional(fc.constantFrom('1970-01-01T00:00:00Z', 'halfway')),
  sort: optional(fc.constantFrom(...botSorts)),
});

/** Follows the next pages of an address. Returns what each page has, and its address. */
const walk = async <T>(
  from: string,
  read: (path: string) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
): Promise<T[]> => {
  const found: T[] = [];
  let path: string | undefined = from;
  while (path !== undefined) {
    const { items, next } = await read(path);
    found.push(...items);
    path = next?.replace(site.url, '');
    expect(next === undefined || next.startsWith(site.url) || next.startsWith('/')).toBe(true);
  }
  return found;
};

const linkOf = (headers: Headers): string | undefined => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

const list = (path: string) =>
  walk(path, async (at) => {
    const { status, body, headers } = await site.get<Bot[]>(at);
    expect(status, JSON.stringify(body)).toBe(200);
    return { items: body.map(({ slug }) => slug), next: linkOf(headers) };
  });

const lines = (path: string) =>
  walk(path, async (at) => {
    const response = await fetch(`${site.url}${at}`, { headers: { Accept: 'application/x-ndjson' } });
    expect(response.status).toBe(200);
    const items = (await response.text()).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Bot]));
    return { items: items.map(({ slug }) => slug), next: linkOf(response.headers) };
  });

type JsonFeed = {
  readonly feed_url: string;
  readonly next_url?: string;
  readonly home_page_url: string;
  readonly items: readonly { readonly url: string }[];
};
const slugOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

const jsonFeed = (path: string) =>
  walk(path, async (at) => {
    const { status, body } = await site.get<JsonFeed>(at);
    expect(status, JSON.stringify(body)).toBe(200);
    const self = await site.get<JsonFeed>(body.feed_url.replace(site.url, ''));
    expect(self.body).toEqual(body);
    return { items: body.items.map(({ url }) => slugOf(url)), next: body.next_url };
  });

const unescaped = (xml: string): string => xml.replaceAll('&amp;', '&');

const atomFeed = async (path: string) => {
  const ids = new Set<string>();
  const slugs = await walk(path, async (at) => {
    const response = await site.html(at);
    const document = await response.text();
    expect(response.status, document).toBe(200);
    const attribute = (rel: string): string | undefined => {
      const found = new RegExp(`<link rel="${rel}"[^>]*href="([^"]*)"`).exec(document)?.[1];
      return found === undefined ? undefined : unescaped(found);
    };
    const self = await site.html((attribute('self') ?? '').replace(site.url, ''));
    expect(await self.text()).toBe(document);
    ids.add(/<id>([^<]*)<\/id>/.exec(document)?.[1] ?? '');
    const entries = [...document.matchAll(/<entry>[^]*?<id>([^<]*)<\/id>/g)];
    return { items: entries.map(([, url = '']) => slugOf(url)), next: attribute('next') };
  });
  expect(ids.size).toBe(1);
  // The feed is found at its id.
  const [id = ''] = ids;
  expect((await site.html(unescaped(id).replace(site.url, ''))).status).toBe(200);
  return slugs;
};

const page = (path: string) =>
  walk(path, async (at) => {
    const asked = await site.html(at);
    // An address that is not canonical is redirected once.
    const response = asked.status === 308 ? await site.html(asked.headers.get('location') ?? '') : asked;
    expect(response.status, at).toBe(200);
    const text = await response.text();
    const next = /<a[^>]*href="([^"]*)"[^>]*rel="next[^"]*"|<a[^>]*rel="next[^"]*"[^>]*href="([^"]*)"/.exec(text);
    const cards = [...text.matchAll(/<h[23][^>]*>\s*<a[^>]*href="\/bots\/([^"]*)"/g)];
    return {
      items: cards.map(([, slug = '']) => slug),
      next: next === null ? undefined : unescaped(next[1] ?? next[2] ?? ''),
    };
  });

describe('a query of the bots', () => {
  it('selects the same at every address', async () => {
    await fc.assert(
      fc.asyncProperty(botQueries, async (random) => {
        const query = random.updated_since === 'halfway' ? { ...random, updated_since: halfway } : random;
        const at = (path: string, more: QueryValues = {}): string => addressOf(path, { ...query, ...more });
        const expected = await list(at('/api/bots'));
        expect(await list(at('/api/bots', { limit: 7 }))).toEqual(expected);
        expect(await lines(at('/api/bots', { limit: 7 }))).toEqual(expected);
        // `relevance` without words means nothing on pages and in feeds, where a search box may be empty.
        const isSearch = /\S/.test(String(query.q ?? ''));
        const sort = query.sort === 'relevance' && !isSearch ? 'newest' : query.sort;
        const inOrder = await list(at('/api/bots', { sort }));
        // People and their readers get what fewer words find, if the words find nothing.
        if (inOrder.length > 0) expect(await jsonFeed(at('/bots.json'))).toEqual(inOrder);
        if (inOrder.length > 0) expect(await atomFeed(at('/bots.atom'))).toEqual(inOrder);
        const usual = isSearch ? 'relevance' : 'newest';
        const shown = await list(at('/api/bots', { sort: sort ?? usual }));
        if (shown.length > 0) expect(await page(at('/'))).toEqual(shown);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a query of the event log', () => {
  it('selects the same from page to page', async () => {
    const events = fc.record({ ...filter, type: some(loggedEventTypes) });
    const read = (path: string) =>
      walk(path, async (at) => {
        const { status, body, headers } = await site.get<{ id: string }[]>(at);
        expect(status, JSON.stringify(body)).toBe(200);
        return { items: body.map(({ id }) => id), next: linkOf(headers) };
      });
    await fc.assert(
      fc.asyncProperty(events, async (query) => {
        const whole = await read(addressOf('/api/events', query));
        expect(await read(addressOf('/api/events', { ...query, limit: 7 }))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});
