/** Suggests categories for a bot by words of its name and description, from a table of the configuration. */
import type { Bot } from '@bot-directory/contract';
import { limits } from '@bot-directory/contract';
import { findableWords } from './search.ts';

/** Beginnings of words, by the category that they suggest, for the categories of a directory that configures none. */
export const defaultCategoryWords: Readonly<Record<string, string>> = {
  Marketing: 'campaign newsletter audience brand marketing ads advert',
  SEO: 'seo ranking keyword backlink search-console',
  Sales: 'sales lead prospect crm deal pipeline quote',
  Support: 'support ticket helpdesk customer complaint',
  Engineering: 'code pull deploy release bug changelog incident alert engineer',
  'Data & Analytics': 'data analytics metric dashboard spreadsheet sql chart',
  Design: 'design logo mockup figma color layout',
  Research: 'research paper study survey compet',
  Content: 'article blog write draft translat video podcast',
  'Social Media': 'social tweet post linkedin instagram tiktok hashtag',
  Operations: 'inventory supplier schedule shift order logistics',
  Finance: 'invoice expense receipt budget tax payment accounting payroll',
  'HR & Recruiting': 'hiring recruit candidate resume onboarding interview employee',
  Productivity: 'meeting calendar reminder task todo inbox agenda notes',
  Education: 'learn lesson course student teach language quiz tutor',
};

/** What suggestions are made from. */
export type CategoryTable = {
  readonly categories: readonly string[];
  readonly categoryWords: ReadonlyMap<string, readonly string[]>;
};

/** Returns up to as many categories as a bot may have, those with most words first. */
export const suggestCategories = (
  { name, description }: Pick<Bot, 'name' | 'description'>,
  { categories, categoryWords }: CategoryTable,
): string[] => {
  const words = findableWords(`${name} ${description}`);
  const scored = categories.map((category) => {
    const beginnings = categoryWords.get(category) ?? [];
    return { category, score: beginnings.filter((one) => words.some((word) => word.startsWith(one))).length };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limits.categoriesPerBot)
    .map(({ category }) => category);
};
