/**
 * What a bot is named and labelled with, in one spelling: its slug, integrations, which anyone may name, and
 * categories, a closed list that the operator may replace. Submissions, list filters and the provider's data are parsed
 * by the same functions, so all agree on what is meant. The operation folds duplicates and enforces the limits per bot.
 */
import { limits } from '@bot-directory/contract';
import { accepted, type Brand, type Parsed, refused } from '../base/parsed.ts';
import { displayText } from './display-text.ts';
import { folded, unaccented } from './folding.ts';
import { refusedUnseen } from './unseen.ts';

/**
 * The part of a bot's page URL that identifies it, such as `daily-digest-2`: safe in a path and as a key. The script
 * that publishes the bot decides whether a slug is taken, and adds `-2`, `-3`, … if it is.
 */
export type Slug = Brand<string, 'Slug'>;

const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Room for `-bot`, or for a `-` and the number of a collision. */
const suffixLength = 12;

/**
 * Words that are, or may become, a route next to `/bots/<slug>` or `/api/bots/<slug>`, and keys with a special meaning.
 */
const reserved: ReadonlySet<string> = new Set(
  `
  about account admin all api app archive assets atom author authors batch bot bots bulk categories category changes
  count create delete docs edit embed events export facets false favicon featured feed feeds health healthz help home import
  index install installs integration integrations json latest login logout me metrics new newest null openapi page
  popular post posts preview problems random readyz recent remove report reports robots rss schema search settings
  sitemap static stats status stream submit tag tags template templates top trending true undefined update user users
  webhook webhooks
  constructor proto prototype
`
    .trim()
    .split(/\s+/),
);

/** Whether the text has the form of a slug; a bot with it need not exist. */
export const isSlug = (text: string): text is Slug =>
  text.length <= limits.slugLength + suffixLength && slugPattern.test(text);

/**
 * The slug for a name, before collisions. A name without two usable characters, or with only digits, gets `bot-<end of
 * the id>`; a reserved word gets `-bot` appended.
 */
export function slugFor(name: string, botId: string): Slug {
  const word = cutAtHyphen(spellOut(name));
  const slug = tooPoor(word) ? `bot-${botId.slice(-8).toLowerCase()}` : reserved.has(word) ? `${word}-bot` : word;
  if (!isSlug(slug)) throw new TypeError('A bot id must end in eight ASCII letters or digits.');
  return slug;
}

const tooPoor = (word: string): boolean => word.length < 2 || /^\d+$/.test(word);

function spellOut(name: string): string {
  const spelt = folded(name)
    .replace(/['‘’‛ʻʼ′]/g, '')
    .replaceAll('&', ' and ');
  return hyphenated(spelt);
}

function cutAtHyphen(word: string): string {
  if (word.length <= limits.slugLength) return word;
  const end = word.lastIndexOf('-', limits.slugLength);
  return word.slice(0, end > 0 ? end : limits.slugLength);
}

/** The canonical name of an integration, such as `google-sheets`. */
export type IntegrationSlug = Brand<string, 'IntegrationSlug'>;

const isIntegrationSlug = (text: string): text is IntegrationSlug =>
  text.length > 0 && text.length <= limits.integrationLength;

/** `Google  Sheets`, `google-sheets` and `GOOGLE SHEETS` are one; `C++` is `c-plus-plus` and `C#` is `c-sharp`. */
export function parseIntegration(raw: string): Parsed<IntegrationSlug> {
  if (raw.length > longestIntegration) return tooLong;
  const spelt = unaccented(raw.replace(neverLatin, ' '))
    .replaceAll('&', ' and ')
    .replaceAll('+', ' plus ')
    .replaceAll('#', ' sharp ');
  const slug = hyphenated(spelt);
  if (isIntegrationSlug(slug)) return accepted(slug);
  return slug === ''
    ? refused('An integration needs at least one letter from A to Z, with or without accents, or a digit.')
    : tooLong;
}

/** Parses one integration of a filter. Refuses a comma, which would become part of one slug that no bot has. */
export const parseOneIntegration = (raw: string, several: string): Parsed<IntegrationSlug> =>
  raw.includes(',') ? refused(`has a comma; send several ${several}`) : parseIntegration(raw);

/** Integrations, each with its name as it was written; '' where that says no more than the slug. */
export type WrittenIntegrations = ReadonlyMap<IntegrationSlug, string>;

/** Parses the name of an integration, and keeps how it is written: `MS Teams` for `ms-teams`. */
export const parseWritten = (raw: string): Parsed<readonly [IntegrationSlug, string]> => {
  const parsed = parseIntegration(raw);
  if (!parsed.ok) return parsed;
  const text = displayText(raw, longestIntegration);
  const says = text.length <= limits.integrationLength && writable.test(text) && !plain.test(text);
  return accepted([parsed.value, says ? text : '']);
};

/** Letters, digits, and the signs that names have: nothing that draws attention, nor a comma, which separates names. */
const writable = /^[\p{Script=Latin}\d .&+#'’/-]+$/u;
/** Words in small letters, or each with a capital: pages make this of a slug. */
const plain = /^[A-Z]?[a-z\d]*(?:[ -][A-Z]?[a-z\d]*)*$/;

/** Each integration once, as it was first written. */
export const firstWritten = (all: Iterable<readonly [IntegrationSlug, string]>): WrittenIntegrations => {
  const written = new Map<IntegrationSlug, string>();
  for (const [slug, name] of all) written.set(slug, written.get(slug) || name);
  return written;
};

/** Integrations by these names. */
export const namedBy = (names: readonly string[]): WrittenIntegrations =>
  firstWritten(names.map(parseWritten).flatMap((one) => (one.ok ? [one.value] : [])));

/** The first of these names for each of these integrations that has one. */
export const namesFor = (integrations: readonly string[], names: readonly string[]): string[] =>
  [...namedBy(names)].flatMap(([slug, name]) => (integrations.includes(slug) && name) || []);

/** Letters that leave nothing but a hyphen in a slug. To fold them takes time: one of Arabic unfolds to 18. */
const neverLatin =
  /(?:(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])\p{L})+/gu;

/** Too long, even if each letter has two accents and a sign. */
const longestIntegration = 4 * limits.integrationLength;
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

/** Names that categories had before, and the one that each has now. */
export type FormerNames = ReadonlyMap<string, string>;

/** The names of categories, in their order. */
export type Categories = readonly string[] & { readonly former?: FormerNames };

/** The name that a category has now. */
export const presentName = (name: string, former: FormerNames | undefined): string => former?.get(name) ?? name;

/** The names that categories have now, of some that are stored, each once. */
export const presentNames = (names: readonly string[], former: FormerNames | undefined): string[] =>
  former === undefined ? [...names] : [...new Set(names.map((name) => presentName(name, former)))];

/** Every name that a category has or had. */
export const namesOfCategory = (name: string, former: FormerNames): readonly string[] => {
  const present = presentName(name, former);
  return [present, ...[...former.keys()].filter((one) => former.get(one) === present)];
};

/** Categories as BOT_CATEGORIES has them: `new=old` for one that has had another name. */
export const categoriesText = (categories: Categories): string =>
  categories.map((name) => namesOfCategory(name, categories.former ?? new Map()).join('=')).join(',');

/** All names in such a text. */
export const namesIn = (text: string): readonly string[] => text.split(/[,=]/);

/**
 * Finds the entry of `allowed` that the text names, without regard to case, in the entry's own spelling. A former name
 * means the present one.
 */
export function parseCategory(raw: string, allowed: Categories): Parsed<string> {
  const wanted = raw.length > longestCategory ? undefined : caseless(raw);
  const named = (names: Iterable<string>) => [...names].find((name) => caseless(name) === wanted);
  const category = named(allowed) ?? allowed.former?.get(named(allowed.former.keys()) ?? '');
  if (category !== undefined) return accepted(category);
  return refusedUnseen(raw) ?? refused(`A category is one of: ${allowed.join(', ')}.`);
}

/** No name is nearly that long. */
const longestCategory = 1_000;

const caseless = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/**
 * Runs of anything but `a-z` and `0-9` become one hyphen, none at the ends. A mark is a part of its letter, also in
 * scripts that use it for more than an accent.
 */
export const hyphenated = (text: string): string =>
  text
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
