/** Feeds contain exactly what was put in, even text that tries to be markup. */
import { describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { atom } from '../src/feeds/atom.ts';
import { botFeed, postFeed, type BotFeedView } from '../src/feeds/feed.ts';
import { jsonFeed } from '../src/feeds/json-feed.ts';
import { badge, llms, openSearch } from '../src/feeds/machines.ts';
import { everything } from '../src/parts/href.ts';
import { robots, sitemap, sitemapIndex } from '../src/feeds/sitemap.ts';
import { xml } from '../src/feeds/xml.ts';
import type { ChangedBot } from '../src/views.ts';
import { botOf, frame, hostile } from './samples.ts';

const atomOf = (view: BotFeedView): string => atom(frame, botFeed(frame, view, '/bots.atom'));
const jsonOf = (view: BotFeedView): string => jsonFeed(frame, botFeed(frame, view, '/bots.json'));
const changed = (bot: Bot, changedAt = bot.created_at): ChangedBot => ({ ...bot, changedAt });
const feed = {
  bots: [changed(hostile), changed(botOf(1))],
  query: everything,
  found: '',
  leftOut: [],
  cursor: undefined,
  next: undefined,
};

/** Returns the text of the elements with this name, as an XML reader sees it. */
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
    const document = atomOf(feed);
    expect(texts(document, 'title').slice(1)).toEqual([hostile.name, botOf(1).name]);
    expect(texts(document, 'summary')).toEqual([hostile.description, botOf(1).description]);
    expect(document).not.toMatch(/type="html"|CDATA/);
  });

  it('is named and identified by its query', () => {
    const query = { ...everything, categories: ['Data & Analytics'], integrations: ['slack'] };
    const document = atomOf({ ...feed, bots: [], query, cursor: 'c' });
    expect(document).toContain('Data &amp; Analytics bots</title>');
    const search = '?category=Data+%26+Analytics&amp;integration=slack';
    expect(document).toContain(`<id>${frame.baseUrl}/bots.atom${search}</id>`);
    expect(document).toContain(`type="text/html" href="${frame.baseUrl}/${search}"`);
  });

  it('says what was found instead, and without which words', () => {
    const query = { ...everything, q: 'a bot for meeting notes' };
    const document = atomOf({ ...feed, query, found: 'meeting notes', leftOut: ['bot', 'for'] });
    expect(document).toContain('Results for “meeting notes”, without bot, for</title>');
    expect(document).toContain(`<id>${frame.baseUrl}/bots.atom?q=a+bot+for+meeting+notes</id>`);
  });

  it('has no summary for a bot without a description, and the time of the last change in any order', () => {
    const latest = '2099-01-01T00:00:00.000Z';
    const older = changed(botOf(1));
    const newer = changed({ ...botOf(2), description: '' }, latest);
    const document = atomOf({ ...feed, bots: [older, newer] });
    expect(texts(document, 'summary')).toEqual([older.description]);
    expect(texts(document, 'updated')).toEqual([latest, older.created_at, latest]);
    expect(texts(document, 'published')).toEqual([older.created_at, newer.created_at]);
  });
});

it.each([
  ['', undefined, 'c=', '/bots.FORMAT', '/bots.FORMAT?cursor=c%3D'],
  ['weekly report', 'here', undefined, '/bots.FORMAT?q=weekly+report&cursor=here', undefined],
])('link page to page: search %j, from %s to %s', (q, cursor, next, self, nextPage) => {
  const view = { ...feed, query: { ...everything, q }, cursor, next };
  const addressOf = (path: string | undefined, format: string): string | undefined =>
    path === undefined ? undefined : `${frame.baseUrl}${path.replace('FORMAT', format)}`;
  const document = JSON.parse(jsonOf(view));
  expect([document.feed_url, document.next_url]).toEqual([addressOf(self, 'json'), addressOf(nextPage, 'json')]);
  const links = [...atomOf(view).matchAll(/<link rel="(self|next)"[^>]*href="([^"]*)"/g)].map(([, rel, href = '']) => [
    rel,
    href.replaceAll('&amp;', '&'),
  ]);
  const expected = [
    ['self', addressOf(self, 'atom')],
    ...(nextPage === undefined ? [] : [['next', addressOf(nextPage, 'atom')]]),
  ];
  expect(links).toEqual(expected);
});

it('say whose post it is, if its address says so, and which bot it shows', () => {
  const post = { id: 'post_1', url: 'https://x.com/ada/status/1', addedAt: '2026-11-21T00:00:00.000Z' };
  const posts = [
    { ...post, bots: [hostile], isByAuthor: true },
    { ...post, bots: [], isByAuthor: false },
    { ...post, url: 'https://x.com/i/status/2', bots: [hostile], isByAuthor: false },
  ];
  const titles = [`@ada shows ${hostile.name}`, '@ada’s post', `A post shows ${hostile.name}`];
  const view = { posts, cursor: undefined, next: 'here' };
  type Document = { readonly items: { readonly title: string }[]; readonly next_url: string };
  const document = JSON.parse(jsonFeed(frame, postFeed(frame, view, '/feed.json'))) as Document;
  expect(document.items.map(({ title }) => title)).toEqual(titles);
  expect(document.next_url).toBe(`${frame.baseUrl}/feed.json?cursor=here`);
  const xmlFeed = atom(frame, postFeed(frame, view, '/feed.atom'));
  expect(texts(xmlFeed, 'title').slice(1)).toEqual(titles);
  expect(xmlFeed).toContain(`href="${frame.baseUrl}/feed"`);
});

it('drops what XML can’t write', () => {
  expect(xml('a\u0007\u0000b\uD800c\uFFFEd\u{1F600}')).toBe('abcd\u{1F600}');
});

it('writes JSON Feed 1.1, with text for content', () => {
  const document = JSON.parse(jsonOf(feed));
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

it('keeps a badge within 1 KB, and a stranger’s name as text', () => {
  for (const bot of [hostile, botOf(1), { ...botOf(2), name: 'W'.repeat(100), install_count: 9_999_999 }]) {
    expect(Buffer.byteLength(badge(bot))).toBeLessThanOrEqual(1_024);
    expect(badge(bot)).not.toMatch(/<(script|img)|\u202E/);
  }
});

it('names the API and the search for programs', () => {
  expect(llms(frame)).toContain(`${frame.baseUrl}/api/openapi.json`);
  expect(openSearch({ ...frame, name: 'A & B' })).toContain('<ShortName>A &amp; B</ShortName>');
  expect(openSearch({ ...frame, name: 'Bots of Ukraine 🇺🇦' })).toContain('<ShortName>Bots of Ukraine</ShortName>');
});
