/**
 * Categories are a closed list that the operator may replace. This file has the default list, and matches a caller's
 * spelling to an entry. The operation folds duplicates and enforces the limit per bot.
 */
import { accepted, type Parsed, refused } from '../base/parsed.ts';

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
  const wanted = raw.length > longest ? undefined : folded(raw);
  const category = allowed.find((name) => folded(name) === wanted);
  return category === undefined ? refused(`A category is one of: ${allowed.join(', ')}.`) : accepted(category);
}

/** No name is nearly so long. To normalise text takes time that grows with its square. */
const longest = 1_000;

const folded = (name: string): string => name.trim().normalize('NFC').toLowerCase();
