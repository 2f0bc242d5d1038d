import { expect, it } from 'vitest';
import { exampleBot, type Bot } from '@bot-directory/contract';
import { searchWords } from '../domain/search.ts';
import type { Listing } from './listing.ts';
import { ListedBots } from './listed-bots.ts';
import { parseCursor } from './order.ts';

const anyBot: Listing = {
  limit: undefined,
  after: undefined,
  sort: 'newest',
  author: undefined,
  updatedSinceMs: undefined,
  categories: [],
  integrations: [],
  words: [],
};

const never = { changedAtMs: 0, updatedAtMs: 0, recentInstalls: '', templateId: '' };

const bot = (name: string, facts: Partial<Bot> = {}): Bot => ({
  ...exampleBot,
  id: name,
  slug: name,
  name,
  description: `Sorts mail, ${name}`,
  author: null,
  categories: [],
  integrations: [],
  ...facts,
});

it('puts first what the name says, then author and integrations, then the text, each by installs', async () => {
  const bots = new ListedBots();
  const all: [name: string, facts: Partial<Bot>][] = [
    ['Weekly Report', { install_count: 1 }],
    ['Report for a week', { install_count: 5 }],
    ['The report', { install_count: 9 }],
    ['Report', {}],
    ['By an author', { author: '@report', install_count: 99 }],
    ['Charts', { description: 'Makes a report', install_count: 999 }],
    ['日本語レポート', { install_count: 1 }],
    ['レポート', { install_count: 0 }],
  ];
  for (const [i, [name, facts]] of all.entries())
    bots.putBot(bot(name, facts), { position: i + 1, version: i + 1, ...never });
  bots.commit();
  const search = { ...anyBot, sort: 'relevance', words: ['report'] } as const;
  const namesOf = (ordinals: Uint32Array): string[] => [...ordinals].map((ordinal) => bots.bot(ordinal).name);
  const expected = ['Report', 'Report for a week', 'The report', 'Weekly Report', 'By an author', 'Charts'];
  expect(namesOf((await bots.select(search)).ordinals)).toEqual(expected);
  const paged: string[] = [];
  let after: Listing['after'];
  let isMore = true;
  while (isMore) {
    const page = await bots.select({ ...search, limit: 1, after });
    paged.push(...namesOf(page.ordinals));
    expect(await bots.placeAmong({ ...search, limit: 1, after })).toMatchObject({ before: paged.length - 1 });
    isMore = page.next !== undefined;
    const cursor = parseCursor('relevance')(page.next ?? '');
    after = cursor.ok ? cursor.value : undefined;
  }
  expect(paged).toEqual(expected);
  expect(namesOf((await bots.select({ ...search, words: searchWords('レポート') })).ordinals)).toEqual([
    'レポート',
    '日本語レポート',
  ]);
});

it.each([
  ['wekly', 'weekly'],
  ['weeekly', 'weekly'],
  ['wekely', 'weekly'],
  ['weakly reports', 'weekly reports'],
  ['email', 'e-mail'],
  ['web hook', 'webhook'],
  ['привт', 'привет'],
  ['wkl', undefined],
  ['weekly', undefined],
  ['c++', undefined],
  ['zzzzzz', undefined],
])('takes %s for %s', (typed, meant) => {
  const bots = new ListedBots();
  const texts = ['weekly reports', 'e-mail', 'webhook', 'привет', 'weekly'];
  for (const [i, name] of texts.entries()) bots.putBot(bot(name), { position: i + 1, version: i + 1, ...never });
  bots.commit();
  const total = texts.filter((text) => typed === text).length;
  expect(bots.correctionOf(anyBot, typed, total === 0 ? 0 : 2)?.q).toBe(meant);
});
