/** Feeds hold just what was put in, whatever that tries to be. */
import { describe, expect, it } from 'vitest';
import { atom } from '../src/feeds/atom.ts';
import { jsonFeed } from '../src/feeds/json-feed.ts';
import { badge, llms, openSearch } from '../src/feeds/machines.ts';
import { robots, sitemap, sitemapIndex } from '../src/feeds/sitemap.ts';
import { xml } from '../src/feeds/xml.ts';
import { botOf, frame, hostile } from './samples.ts';

const feed = { bots: [hostile, botOf(1)], category: undefined, cursor: undefined, next: undefined };

/** Text of the elements of a name; what a reader of XML makes of it. */
const texts = (document: string, name: string): string[] =>
  [...document.matchAll(new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text
      .replace(
        /&#39;|&quot;|&lt;|&gt;/g,
        (entity) => ({ '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>' })[entity] ?? '',
      )
      .replaceAll('&amp;', '&'),
  );

describe('Atom', () => {
  it('gives names and descriptions back as they are, as text', () => {
    const document = atom(frame, feed);
    expect(texts(document, 'title').slice(1)).toEqual([hostile.name, botOf(1).name]);
    expect(texts(document, 'summary')).toEqual([hostile.description, botOf(1).description]);
    expect(document).not.toMatch(/type="html"|CDATA/);
  });

  it('is of one category when that is asked for', () => {
    const document = atom(frame, { ...feed, bots: [], category: 'Data & Analytics' });
    expect(document).toContain('new Data &amp; Analytics bots');
    expect(document).toContain('bots.atom?category=Data%20%26%20Analytics');
  });
});

it.each([
  [undefined, 'c=', '/bots.FORMAT', '/bots.FORMAT?cursor=c%3D'],
  ['SEO', undefined, '/bots.FORMAT?category=SEO&cursor=here', undefined],
])('lead from page to page: category %s, next %s', (category, next, self, nextPage) => {
  const view = { ...feed, category, cursor: category === undefined ? undefined : 'here', next };
  const addressOf = (path: string | undefined, format: string): string | undefined =>
    path === undefined ? undefined : `${frame.baseUrl}${path.replace('FORMAT', format)}`;
  const document = JSON.parse(jsonFeed(frame, view));
  expect([document.feed_url, document.next_url]).toEqual([addressOf(self, 'json'), addressOf(nextPage, 'json')]);
  const links = [...atom(frame, view).matchAll(/<link rel="(self|next)"[^>]*href="([^"]*)"/g)].map(
    ([, rel, href = '']) => [rel, href.replaceAll('&amp;', '&')],
  );
  const expected = [
    ['self', addressOf(self, 'atom')],
    ...(nextPage === undefined ? [] : [['next', addressOf(nextPage, 'atom')]]),
  ];
  expect(links).toEqual(expected);
});

it('drops what XML can’t write', () => {
  expect(xml('a\u0007\u0000b\uD800c\uFFFEd\u{1F600}')).toBe('abcd\u{1F600}');
});

it('writes JSON Feed 1.1, with text for content', () => {
  const document = JSON.parse(jsonFeed(frame, feed));
  expect(document.version).toBe('https://jsonfeed.org/version/1.1');
  expect(document.items[0]).toMatchObject({ title: hostile.name, content_text: hostile.description, id: hostile.url });
  expect(document.items[0].content_html).toBeUndefined();
});

it('writes sitemaps', () => {
  const file = sitemap(frame, [
    { path: '/bots/a', changedAt: '2026-11-21T00:00:00.000Z' },
    { path: '/', changedAt: undefined },
  ]);
  expect(texts(file, 'loc')).toEqual([`${frame.baseUrl}/bots/a`, `${frame.baseUrl}/`]);
  expect(texts(file, 'lastmod')).toEqual(['2026-11-21T00:00:00.000Z']);
  expect(texts(sitemapIndex(frame, 2), 'loc')).toEqual([1, 2].map((n) => `${frame.baseUrl}/sitemaps/${n}.xml`));
  expect(robots(frame)).toContain(`Sitemap: ${frame.baseUrl}/sitemap.xml`);
});

it('keeps a badge to 1 KB, and a stranger’s name text', () => {
  for (const bot of [hostile, botOf(1), { ...botOf(2), name: 'W'.repeat(100), install_count: 9_999_999 }]) {
    expect(Buffer.byteLength(badge(bot))).toBeLessThanOrEqual(1_024);
    expect(badge(bot)).not.toMatch(/<(script|img)|\u202E/);
  }
});

it('names the API and the search for programs', () => {
  expect(llms(frame)).toContain(`${frame.baseUrl}/api/openapi.json`);
  expect(openSearch({ ...frame, name: 'A & B' })).toContain('<ShortName>A &amp; B</ShortName>');
});
