/** The page of all authors, and what an author's own page says of them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startSite } from '@bot-directory/testing/site';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const many = 62;
const site = useStarted(startSite);
beforeAll(async () => {
  await site.publish('First', { author: '@Ada' });
  await site.publish('Second', { author: '@ada' });
  await site.install(await site.publish('Third', { author: '@grace_h' }));
  await site.publish('Nobody’s');
  for (let i = 0; i < many; i += 1) await site.publish(`Bot ${i}`, { author: `@one_${i}` });
  await until('the install is counted', async () => (await textOf('/authors/grace_h')).includes('1 install'));
});

const textOf = async (path: string): Promise<string> => (await site.html(path)).text();

/** The authors of a page, each with their numbers, and the addresses of the pages next to it. */
const shownAt = async (path: string) => {
  const page = await textOf(path);
  const cards = page.matchAll(
    /class="card-name"><a href="([^"]*)"[^>]*>([^<]*)<\/a><\/h2><p class="card-author">([^<]*)/g,
  );
  const pages = page.matchAll(/rel="(prev|next)[^"]*" href="([^"]*)"/g);
  return {
    authors: [...cards].map(([, ...card]) => card.join(' ')),
    pages: Object.fromEntries([...pages].map(([, rel, href = '']) => [rel, href.replaceAll('&amp;', '&')])),
    isIndexed: !page.includes('noindex'),
  };
};

describe('all authors', () => {
  it('come in pages, most installed first, by the name on their first bot', async () => {
    const first = await shownAt('/authors');
    expect(first.authors).toHaveLength(60);
    expect(first.authors.slice(0, 3)).toEqual([
      '/authors/grace_h @grace_h 1 bot · 1 install',
      '/authors/ada @Ada 2 bots',
      '/authors/one_0 @one_0 1 bot',
    ]);
    expect([first.pages, first.isIndexed]).toEqual([{ next: '/authors?cursor=60' }, true]);
    const second = await shownAt('/authors?cursor=60');
    expect(second.authors).toHaveLength(many + 2 - 60);
    expect(new Set([...first.authors, ...second.authors]).size).toBe(many + 2);
    expect([second.pages, second.isIndexed]).toEqual([{ prev: '/authors' }, false]);
  });

  it.each([
    ['@ADA', ['/authors/ada @Ada 2 bots']],
    ['race', ['/authors/grace_h @grace_h 1 bot · 1 install']],
    ['nobody', []],
  ])('are found by a part of their handle: %s', async (q, authors) => {
    expect(await shownAt(`/authors?q=${encodeURIComponent(q)}`)).toEqual({ authors, pages: {}, isIndexed: false });
  });

  it.each(['/authors?cursor=nonsense', '/authors?cursor=9999999&utm_source=a'])(
    '%s begins at the first',
    async (path) => {
      expect((await shownAt(path)).authors[0]).toBe('/authors/grace_h @grace_h 1 bot · 1 install');
    },
  );
});

it('counts on an author’s page what is theirs, a new post too', async () => {
  const before = await site.html('/authors/ada');
  expect(await before.text()).toContain('>2 bots · since <time');
  await site.post('/api/feed', { url: 'https://x.com/ADA/status/1' });
  const after = await site.html('/authors/ada');
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  expect(await after.text()).toContain('>2 bots · 1 post · since <time');
});
