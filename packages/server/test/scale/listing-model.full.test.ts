import fc from 'fast-check';
import { expect, it } from 'vitest';
import { botSorts, type Bot, type BotSort } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

/** A directory so plain that it must be right: every question scans everything. */
type ModelBot = {
  slug: string;
  name: string;
  author: string | null;
  categories: string[];
  integrations: string[];
  installs: { visitor: number; step: number; day: number }[];
  /** The number of the step that changed it last. */
  updated: number;
};

const minuteMs = 60_000;
const minutesPerDay = 1_440;
/** Each step is a minute later than the one before, or a day. */
let steps = 0;
const today = (): number => Math.floor((Date.now() + steps * minuteMs) / (minutesPerDay * minuteMs));
const service = useStarted(() =>
  startService({ settings: { TRUST_PROXY: 'loopback' }, world: { offsetMs: () => steps * minuteMs } }),
);

const categories = ['SEO', 'Marketing', 'Engineering'];
const tools = ['slack', 'notion', 'airtable', 'zoom'];
const words = ['alpha', 'beta', 'gamma', 'delta', 'Élan'];
const subset = (of: string[], maxLength: number) => fc.subarray(of, { maxLength });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      name: fc.subarray(words, { minLength: 1 }),
      author: fc.option(fc.constantFrom('@ann', '@bob')),
      categories: subset(categories, 3),
      integrations: subset(tools, 4),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('merge' as const), which: fc.nat(), integrations: subset(tools, 2) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('install' as const), which: fc.nat(), visitor: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), days: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      limit: fc.option(fc.integer({ min: 1, max: 5 })),
      sort: fc.constantFrom(...botSorts),
      category: subset(categories, 2),
      integration: subset(tools, 2),
      author: fc.option(fc.constantFrom('ann', '@BOB')),
      last: fc.option(fc.nat(20)),
      q: fc.option(fc.constantFrom('al', 'beta gam', 'elan', 'zz', 'beta alpha', 'ann al', 'sl')),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Question = Extract<Step, { do: 'list' }>;

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The comparison of each sort. Of equal bots, the newer one comes first. */
const comesBefore: Record<BotSort, (a: ModelBot, b: ModelBot, wanted: readonly string[]) => number> = {
  newest: () => 0,
  updated: (a, b) => b.updated - a.updated,
  trending: (a, b) => trendOf(b) - trendOf(a),
  installs: (a, b) => b.installs.length - a.installs.length,
  relevance: (a, b, wanted) => relevanceOf(b, wanted) - relevanceOf(a, wanted) || b.installs.length - a.installs.length,
};

const trendOf = ({ installs }: ModelBot): number => installs.filter(({ day }) => today() - day < 7).length;

const relevanceOf = ({ name, author, integrations }: ModelBot, wanted: readonly string[]): number => {
  const own = fold(name).split(' ');
  const finds = (word: string, among: readonly string[]) => among.some((one) => one.startsWith(word));
  if (!wanted.every((word) => finds(word, [...own, (author ?? '').slice(1), ...integrations]))) return 0;
  if (!wanted.every((word) => finds(word, own))) return 1;
  if (!wanted.some((word) => finds(word, own.slice(0, 1)))) return 2;
  return own.length === wanted.length && own.every((word) => wanted.includes(word)) ? 4 : 3;
};

const expected = (model: readonly ModelBot[], question: Question): ModelBot[] =>
  model
    .map((bot, order) => ({ bot, order }))
    .filter(({ bot }) => {
      const text = fold([bot.name, bot.author ?? '', ...bot.categories, ...bot.integrations].join(' ')).split(
        /[^a-z0-9]+/,
      );
      return (
        (question.category.length === 0 || question.category.some((name) => bot.categories.includes(name))) &&
        question.integration.every((slug) => bot.integrations.includes(slug)) &&
        (question.last === null || bot.updated >= steps - question.last) &&
        (question.author === null || bot.author === `@${fold(question.author).replace('@', '')}`) &&
        (question.q ?? '').split(' ').every((word) => word === '' || text.some((own) => own.startsWith(word)))
      );
    })
    .sort(
      (a, b) =>
        comesBefore[question.sort](a.bot, b.bot, (question.q ?? '').split(' ').filter(Boolean)) || b.order - a.order,
    )
    .map(({ bot }) => bot);

const queryOf = ({ limit, sort, category, integration, author, q }: Question, since: string | undefined): string => {
  const params = new URLSearchParams({ sort });
  for (const name of category) params.append('category', name.toUpperCase());
  for (const slug of integration) params.append('integration', slug);
  if (limit !== null) params.set('limit', String(limit));
  if (since !== undefined) params.set('updated_since', since);
  if (author !== null) params.set('author', author);
  if (q !== null) params.set('q', q);
  return params.toString();
};

/** Returns the instant half a minute before a step. */
const instantBefore = (step: number): string => new Date(Date.now() + (step - 0.5) * minuteMs).toISOString();

const walk = async (query: string): Promise<{ slugs: string[]; totals: Set<string | null> }> => {
  const slugs: string[] = [];
  const totals = new Set<string | null>();
  let path: string | undefined = `/api/bots?${query}`;
  while (path !== undefined) {
    const { status, body, headers }: Awaited<ReturnType<typeof service.get<Bot[]>>> = await service.get<Bot[]>(path);
    expect(status, JSON.stringify(body)).toBe(200);
    slugs.push(...body.map(({ slug }) => slug));
    totals.add(headers.get('x-total-count'));
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]?.slice(service.url.length);
  }
  return { slugs, totals };
};

/** Installs a bot, in the model too: there a visitor counts once in 24 hours. */
const install = async ({ slug, installs }: ModelBot, visitor: number): Promise<void> => {
  await service.install(slug, visitor);
  if (!installs.some((one) => one.visitor === visitor && steps - one.step < minutesPerDay))
    installs.push({ visitor, step: steps, day: today() });
};

it('answers every filter, sort and page as a naive model does, over random directories and interleaved writes', async () => {
  const { Redis } = await import('ioredis');
  const redis = new Redis(service.redis?.url ?? '');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (path) => {
      await redis.flushall();
      await operatorOf(service.redis?.url ?? '').run('accept-empty');
      const model: ModelBot[] = [];
      for (const one of path) {
        steps += one.do === 'sleep' ? one.days * minutesPerDay : 1;
        if (one.do === 'sleep') continue;
        if (one.do === 'publish') {
          const name = one.name.join(' ');
          const slug = await service.publish(name, {
            author: one.author ?? undefined,
            categories: one.categories,
            integrations: one.integrations,
          });
          model.push({
            slug,
            name,
            author: one.author,
            categories: one.categories,
            integrations: [...one.integrations],
            installs: [],
            updated: steps,
          });
          continue;
        }
        if (one.do === 'list') {
          const wanted = expected(model, one).map(({ slug }) => slug);
          // Install counts alone may be a second late, so an urgent change brings them along.
          if (one.sort !== 'newest')
            await redis
              .hincrby('bots:{directory}:state', 'version', 1)
              .then((version) => redis.hset('bots:{directory}:state', 'urgent', version));
          const { slugs, totals } = await walk(
            queryOf(one, one.last === null ? undefined : instantBefore(steps - one.last)),
          );
          expect(slugs).toEqual(wanted);
          expect([...totals]).toEqual([String(wanted.length)]);
          continue;
        }
        const bot = model[one.which % Math.max(1, model.length)];
        if (bot === undefined) continue;
        if (one.do === 'merge') {
          await service.post(`/api/bots/${bot.slug}/integrations`, { integrations: one.integrations });
          const merged = [...new Set([...bot.integrations, ...one.integrations])];
          if (merged.length > bot.integrations.length) bot.updated = steps;
          bot.integrations = merged;
        } else await install(bot, one.visitor);
      }
    }),
    { numRuns: 25 },
  );
  redis.disconnect();
});
