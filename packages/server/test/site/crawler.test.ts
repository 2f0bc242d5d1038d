/** A crawler that obeys robots.txt and nofollow reads every page that is worth it, and comes to an end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSite, type SiteUnderTest } from './directory.ts';

const [bots, authors] = [30, 5];
const categories = ['SEO', 'Marketing', 'Engineering'];
const integrations = ['slack', 'gmail', 'notion', 'zoom', 'github', 'stripe', 'hubspot', 'airtable'];

let site: SiteUnderTest;
let slugs: string[];
beforeAll(async () => {
  site = await startSite();
  slugs = [];
  for (let i = 0; i < bots; i += 1)
    slugs.push(
      await site.publish(`Bot ${i}`, {
        author: `@author_${i % authors}`,
        categories: categories.filter((_, at) => (i >> at) % 2 === 0),
        integrations: integrations.filter((_, at) => (i * (at + 3)) % 4 < 2),
      }),
    );
});
afterAll(() => site.stop());

/** The rules of RFC 9309: the longest that matches decides. */
const readRobots = (text: string): ((address: string) => boolean) => {
  const rules = [...text.matchAll(/^(Allow|Disallow): (.*)$/gm)].map(([, kind, pattern = '']) => ({
    isAllowed: kind === 'Allow',
    length: pattern.length,
    matches: new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}`),
  }));
  return (address) =>
    rules.filter(({ matches }) => matches.test(address)).sort((a, b) => b.length - a.length)[0]?.isAllowed ?? true;
};

const linksOf = (html: string): { href: string; isFollowed: boolean }[] =>
  [...html.matchAll(/<(?:a|link) [^>]*>/g)].flatMap(([tag]) => {
    const href = / href="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&');
    return href === undefined ? [] : [{ href, isFollowed: !/ rel="[^"]*nofollow/.test(tag) }];
  });

it('ends, has read each page of a bot, category, integration and author, and each has links it must not follow', async () => {
  const mayRead = readRobots(await (await site.html('/robots.txt')).text());
  const [seen, forbidden] = [new Set(['/']), new Set<string>()];
  for (const address of seen) {
    expect(seen.size).toBeLessThan(500);
    const answer = await site.html(address);
    expect(answer.status, address).toBe(200);
    if (!String(answer.headers.get('content-type')).startsWith('text/html')) continue;
    for (const { href, isFollowed } of linksOf(await answer.text())) {
      const url = new URL(href, `${site.url}${address}`);
      const found = `${url.pathname}${url.search}`;
      if (url.origin !== new URL(site.url).origin || url.pathname.startsWith('/api/')) continue;
      if (isFollowed && mayRead(found)) seen.add(found);
      else forbidden.add(found);
      // Anchors that robots.txt forbids say so themselves.
      if (href.startsWith('/?')) expect(isFollowed && !found.startsWith('/?cursor='), found).toBe(false);
    }
  }
  const pages = [
    ...slugs.map((slug) => `/bots/${slug}`),
    ...categories.map((name) => `/categories/${name.toLowerCase()}`),
    ...integrations.map((slug) => `/integrations/${slug}`),
    ...Array.from({ length: authors }, (_, i) => `/authors/author_${i}`),
  ];
  expect(pages.filter((page) => !seen.has(page))).toEqual([]);
  expect([...seen].filter((address) => address.includes('?') && !address.includes('?cursor='))).toEqual([]);
  expect(forbidden.size).toBeGreaterThan(100);
});
