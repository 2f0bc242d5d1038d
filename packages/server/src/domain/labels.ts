/**
 * What a bot is labelled with: integrations, which anyone may name, and categories, a closed list that the operator may
 * replace. Submissions, list filters and the provider's data are parsed by the same functions, so all agree on what is
 * meant. The operation folds duplicates and enforces the limits per bot.
 */
import { limits } from '@bot-directory/contract';
import { accepted, type Brand, type Parsed, refused } from '../base/parsed.ts';
import { hyphenated, unaccented } from './slug.ts';

/** The canonical name of an integration, such as `google-sheets`. */
export type IntegrationSlug = Brand<string, 'IntegrationSlug'>;

const isIntegrationSlug = (text: string): text is IntegrationSlug =>
  text.length > 0 && text.length <= limits.integrationLength;

/** `Google  Sheets`, `google-sheets` and `GOOGLE SHEETS` are one; `C++` is `c-plus-plus` and `C#` is `c-sharp`. */
export function parseIntegration(raw: string): Parsed<IntegrationSlug> {
  if (raw.length > longestIntegration) return tooLong;
  const spelt = unaccented(raw).replaceAll('&', ' and ').replaceAll('+', ' plus ').replaceAll('#', ' sharp ');
  const slug = hyphenated(spelt);
  if (isIntegrationSlug(slug)) return accepted(slug);
  return slug === '' ? refused('An integration needs at least one Latin letter or digit.') : tooLong;
}

/** Beyond the limit with any accents and signs. To normalise text takes time that grows with its square. */
const longestIntegration = 20 * limits.integrationLength;
const tooLong = refused(`An integration is at most ${limits.integrationLength} characters long.`);

/** The categories of a directory whose operator configures none. */
export const defaultCategories: readonly string[] = [
  'Marketing',
  'SEO',
  'Sales',
  'Support',
  'Engineering',
  'Data & Analytics',
  'Design',
  'Research',
  'Content',
  'Social Media',
  'Operations',
  'Finance',
  'HR & Recruiting',
  'Productivity',
  'Education',
  'Other',
];

/** Finds the entry of `allowed` that the text names, without regard to case, in the entry's own spelling. */
export function parseCategory(raw: string, allowed: readonly string[]): Parsed<string> {
  const wanted = raw.length > longestCategory ? undefined : folded(raw);
  const category = allowed.find((name) => folded(name) === wanted);
  return category === undefined ? refused(`A category is one of: ${allowed.join(', ')}.`) : accepted(category);
}

/** No name is nearly so long. */
const longestCategory = 1_000;

const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase();
