import { beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService, type Answer } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService({ settings: { TRUST_PROXY: 'loopback' } }));
beforeAll(async () => {
  for (let i = 0; i < 25; i += 1)
    await service.publish(`Bot ${i}`, { categories: i % 2 === 0 ? ['SEO'] : [], integrations: [`tool-${i % 3}`] });
});

const nextPath = ({ headers }: Answer): string | undefined => {
  const address = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  if (address === undefined) return undefined;
  expect(address.startsWith(`${service.url}/`)).toBe(true);
  return address.slice(service.url.length);
};

const walk = async (path: string, between: () => Promise<unknown> = () => Promise.resolve()): Promise<Bot[][]> => {
  const pages: Bot[][] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const answer: Answer<Bot[]> = await service.get<Bot[]>(next);
    pages.push(answer.body);
    next = nextPath(answer);
    await between();
  }
  return pages;
};

describe('the list of bots', () => {
  it('walks all pages by Link, filters kept', async () => {
    const pages = await walk('/api/bots?limit=4&category=seo&q=bot&utm_source=x');
    expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 1]);
    const all = (await service.get<Bot[]>('/api/bots?category=SEO')).body;
    expect(pages.flat()).toEqual(all);
  });

  it('has one Link for all requests for the same page, however they spell it', async () => {
    const linkOf = async (query: string) => (await service.get(`/api/bots?${query}`)).headers.get('link');
    const padded = await linkOf(`limit=3&q=BOT,,bot&category=%20seo${'%20'.repeat(50)}`);
    expect(padded).toContain('/api/bots?q=bot&category=SEO&limit=3&cursor=');
    expect(await linkOf('category=SEO&limit=3&q=bot')).toBe(padded);
    expect(await linkOf(`limit=2&integration=Tool~1${'~'.repeat(100)}`)).toContain(
      '?integration=tool-1&limit=2&cursor=',
    );
  });

  it('counts all that match on every page', async () => {
    expect((await service.get('/api/bots?limit=2&integration=tool-1')).headers.get('x-total-count')).toBe('8');
  });

  it('has no next page where the last one is full', async () => {
    expect((await walk('/api/bots?limit=5')).map((page) => page.length)).toEqual([5, 5, 5, 5, 5]);
  });

  it('misses and repeats nothing while bots are added', async () => {
    const before = (await service.get<Bot[]>('/api/bots')).body.map(({ id }) => id);
    let added = 0;
    const pages = await walk('/api/bots?limit=3', () => service.publish(`Added ${(added += 1)}`));
    expect(pages.flat().map(({ id }) => id)).toEqual(before);
  });

  it('sorts by installs, newest first among equals', async () => {
    const install = (slug: string, times: number) =>
      Promise.all(Array.from({ length: times }, (_, i) => service.install(slug, i)));
    await install('bot-3', 5);
    await install('bot-7', 2);
    await install('bot-9', 2);
    await service.publish('Makes the counts fresh');
    const pages = await walk('/api/bots?sort=installs&limit=7');
    expect(pages[0]?.slice(0, 4).map(({ name }) => name)).toEqual([
      'Bot 3',
      'Bot 9',
      'Bot 7',
      'Makes the counts fresh',
    ]);
    const all = pages.flat();
    expect(new Set(all.map(({ id }) => id)).size).toBe(
      Number((await service.get('/api/bots')).headers.get('x-total-count')),
    );
  });
});
