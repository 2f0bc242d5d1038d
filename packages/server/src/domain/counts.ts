/** How many bots are in each category, and use each integration. */
import type { CategoryCount, IntegrationCount } from '@bot-directory/contract';
import type { ListedBot } from './listing.ts';

/** Every category that a bot may be in, in the configured order. */
export const countCategories = (bots: readonly ListedBot[], categories: readonly string[]): CategoryCount[] => {
  const counts = tally(bots.flatMap(({ bot }) => bot.categories));
  return categories.map((name) => ({ name, count: counts.get(name) ?? 0 }));
};

/** Every integration in use, the most used first, equals by name. */
export const countIntegrations = (bots: readonly ListedBot[]): IntegrationCount[] =>
  [...tally(bots.flatMap(({ bot }) => bot.integrations))]
    .map(([slug, count]) => ({ slug, count }))
    .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));

const tally = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};
