import fc from 'fast-check';
import { expect, it } from 'vitest';
import { botSorts, exampleBot, type Bot } from '@bot-directory/contract';
import type { Author } from '../domain/links.ts';
import { BotIndex, type Ranking } from './bot-index.ts';
import type { IntegrationSlug } from '../domain/names.ts';
import type { Listing } from './listing.ts';
import { compareCursors, ranks, unranked } from './order.ts';
import { wordsFor } from './ordinals.ts';
import { recentInstalls } from '../domain/bot.ts';
import { botText, findableWords, findsWord, searchWords } from '../domain/search.ts';

const texts = [
  'alpha beta',
  'Élan vital',
  'al',
  'alphabet 12',
  '大数据助手',
  'abc数据 x',
  'パパの日記 구글달력',
  'ab',
  'a',
  'a-considerably-long-word considerablylong',
];
const bot = fc.record({
  name: fc.subarray(texts).map((parts) => parts.join(' ')),
  author: fc.option(fc.constantFrom('@Ann', '@bob')),
  categories: fc.subarray(['SEO', 'Marketing', 'Engineering']),
  integrations: fc.subarray(['slack', 'notion', 'zoom']),
  install_count: fc.nat(4),
  updatedAtMs: fc.nat(6),
  /** Newest first, as they are stored. */
  recentInstalls: fc.uniqueArray(fc.nat(15), { maxLength: 3 }).map((days) =>
    days
      .sort((a, b) => b - a)
      .map((day) => `${day}:${1 + (day % 3)}`)
      .join(','),
  ),
});
type Made = typeof bot extends fc.Arbitrary<infer B> ? B : never;
const whole = (made: Made): Bot & Ranking => ({
  ...exampleBot,
  ...made,
  description: '',
  templateId: '',
});

const step = fc.oneof(
  // So many that some words are common.
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), bot }) },
  fc.record({ do: fc.constant('change' as const), which: fc.nat(), bot }),
  fc.record({ do: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ do: fc.constant('day' as const), day: fc.nat(20) }),
);
const query = fc.record({
  limit: fc.constant(undefined),
  after: fc.option(fc.record({ position: fc.nat(40), like: bot.map(whole) }), { nil: undefined }),
  sort: fc.constantFrom(...botSorts),
  categories: fc.subarray(['SEO', 'Marketing']),
  integrations: fc.subarray(['slack', 'notion'] as IntegrationSlug[]),
  author: fc.option(fc.constantFrom('@ann' as Author), { nil: undefined }),
  updatedSinceMs: fc.option(fc.nat(7), { nil: undefined }),
  words: fc
    .constantFrom(
      '',
      'a',
      'al',
      'alp',
      'alpha el',
      '数',
      '数据',
      '大数据',
      'c数据',
      '据大数',
      'ハハ',
      'パの日',
      '달력',
      '12',
      'considerably',
      'b',
      'abc',
      'vital élan',
      'alpha beta élan vital',
      'slack',
      'ann al',
    )
    .map(searchWords),
});
const rankOn =
  (today: number) =>
  (one: ReturnType<typeof whole> | undefined, { sort, words }: Pick<Listing, 'sort' | 'words'>): number =>
    (one === undefined
      ? undefined
      : ranks[sort]?.(one, words, { ...one, recentInstalls: recentInstalls(one.recentInstalls, today) })) ?? unranked;
const listing = query.map(({ after, ...asked }): Listing => ({
  ...asked,
  after: after === undefined ? undefined : { position: after.position, rank: rankOn(8)(after.like, asked) },
}));

const matches = (one: ReturnType<typeof whole>, listing: Listing): boolean => {
  const { categories, integrations, author, updatedSinceMs = 0, words } = listing;
  return (
    one.updatedAtMs >= updatedSinceMs &&
    (categories.length === 0 || categories.some((name) => one.categories.includes(name))) &&
    integrations.every((slug) => one.integrations.includes(slug)) &&
    (author === undefined || one.author?.toLowerCase() === author.toLowerCase()) &&
    words.every((word) => findsWord(findableWords(botText(one)), word))
  );
};

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** An index after these steps, and all bots that are in it. */
const play = (steps: readonly Step[]) => {
  const index = new BotIndex();
  const model: (ReturnType<typeof whole> | undefined)[] = [];
  for (const one of steps) {
    if (one.do === 'add') index.add(model.push(whole(one.bot)) - 1, whole(one.bot), whole(one.bot));
    else if (one.do === 'day') index.today = one.day;
    else {
      const ordinal = one.which % Math.max(1, model.length);
      const before = model[ordinal];
      if (before === undefined) continue;
      const after = one.do === 'change' ? whole(one.bot) : undefined;
      model[ordinal] = after;
      if (after === undefined) index.remove(ordinal, before);
      else index.change(ordinal, before, after, after);
    }
  }
  return { index, model };
};

it('finds the bots that a scan finds, in the same order, however they came, changed and went', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120, size: 'max' }),
      fc.array(listing, { minLength: 5 }),
      (steps, listings) => {
        const { index, model } = play(steps);
        const all = (): Uint32Array => {
          const bits = new Uint32Array(wordsFor(model.length));
          for (const [i, one] of model.entries())
            if (one !== undefined) bits[i >>> 5] = (bits[i >>> 5] ?? 0) | (1 << (i & 31));
          return bits;
        };
        const rankOf = rankOn(index.today);
        for (const asked of listings) {
          const { after, sort, words } = asked;
          const bits = all();
          const unread = index.select(asked, bits);
          // Bots that must still be read are ranked as they are read.
          if (unread.length > 0 && sort === 'relevance') continue;
          const found: number[] = [];
          const start = after === undefined ? undefined : { ordinal: after.position, rank: after.rank };
          index.each(bits, { sort, start, words }, (ordinal) => found.push(ordinal) > 0);
          const cursor = (ordinal: number) => ({ position: ordinal, rank: rankOf(model[ordinal], asked) });
          const read = found.filter((ordinal) =>
            unread.every((word) => findsWord(findableWords(botText(model[ordinal] as Bot)), word)),
          );
          const expected = model
            .flatMap((one, ordinal) => (one !== undefined && matches(one, asked) ? [ordinal] : []))
            .filter((ordinal) => after === undefined || compareCursors(cursor(ordinal), after) < 0)
            .sort((a, b) => compareCursors(cursor(b), cursor(a)));
          expect(read).toEqual(expected);
        }
        const counts = new Map<string, number>();
        for (const one of model)
          for (const slug of one?.integrations ?? []) counts.set(slug, (counts.get(slug) ?? 0) + 1);
        expect(new Map(index.countIntegrations().map(({ slug, count }) => [slug, count]))).toEqual(counts);
        expect(index.countCategories(['SEO'])[0]?.count).toBe(
          model.filter((one) => one?.categories.includes('SEO')).length,
        );
      },
    ),
    { numRuns: 300 },
  );
});
