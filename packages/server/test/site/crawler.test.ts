/** A crawler that obeys robots.txt and nofollow reads every page that is worth it, and comes to an end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import robotsParser from 'robots-parser';
import { startSite, type SiteUnderTest } from '@bot-directory/testing/site';

const bots = 30;
const authors = 5;
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

/** The rules, as a library of crawlers reads them. */
const readRobots = async (): Promise<(address: string) => boolean> => {
  const rules = robotsParser(`${site.url}/robots.txt`, await (await site.html('/robots.txt')).text());
  return (address) => rules.isAllowed(`${site.url}${address}`, 'Twitterbot') ?? false;
};

const linksOf = (html: string): { href: string; isFollowed: boolean }[] =>
  [...html.matchAll(/<(?:a|link) [^>]*>/g)].flatMap(([tag]) => {
    const href = / href="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&');
    return href === undefined ? [] : [{ href, isFollowed: !/ rel="[^"]*nofollow/.test(tag) }];
  });

it('ends, has read each page of a bot, category, integration and author, and each has links it must not follow', async () => {
  const mayRead = await readRobots();
  const seen = new Set(['/']);
  const forbidden = new Set<string>();
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
  expect([...seen].filter((address) => /^[^.]*\?(?!cursor=)/.test(address))).toEqual([]);
  expect(forbidden.size).toBeGreaterThan(100);
});

it('may read everything but what multiplies', async () => {
  const mayRead = await readRobots();
  const open = [
    '/',
    '/?utm_source=a&utm_medium=b',
    '/?fbclid=q=1',
    '/?cursor=x',
    '/?category=SEO',
    '/?category=SEO&utm_source=a',
    `/bots/${slugs[0]}?utm_source=a`,
    `/bots/${slugs[0]}/og.png?v=2`,
    '/submit?link=x&author=y',
    '/docs?q=x',
    '/categories/seo?cursor=x',
    '/integrations/slack?from=singlemessage',
    '/authors/author_1?utm_source=a',
    '/authors?cursor=60',
    '/api/bots?limit=50',
    '/api/bots?q=x&category=SEO&sort=installs&cursor=y',
    '/api/events?after=x&type=bot.created',
    '/bots.atom?category=SEO&integration=slack&sort=updated',
    '/bots.json?q=x',
    '/feed?cursor=x',
    '/llms.txt?x=1',
  ];
  const closed = [
    '/?q=report',
    '/?utm_source=a&q=report',
    '/?sort=installs',
    '/?cursor=x&sort=installs',
    '/?updated_since=x',
    '/?category=SEO&integration=slack',
    '/?integration=slack&integration=gmail',
    '/?x=1&author=ada&x=2&category=SEO',
    '/categories/seo?sort=installs',
    '/integrations/slack?cursor=x&sort=updated',
    '/authors/author_1?category=SEO',
    '/authors?q=x',
    '/categories/seo?q=x',
    '/integrations/slack?updated_since=x',
  ];
  expect([open.filter((address) => !mayRead(address)), closed.filter(mayRead)]).toEqual([[], []]);
});
