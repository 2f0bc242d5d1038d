/** A bot as a draft, as stored and as listed, and the failures about one that is not listed. */
import { limits, type Bot } from '@bot-directory/contract';
import { timestamp } from '../base/time.ts';
import { Failure } from '../base/failure.ts';
import type { BotId } from '../base/ids.ts';
import { presentNames, type FormerNames, type IntegrationSlug } from './names.ts';
import type { Author, TemplateId } from './links.ts';

/** A bot that is about to be published. The store decides its slug, because it knows which are taken, and its time. */
export type BotDraft = {
  readonly id: BotId;
  readonly templateId: TemplateId;
  /** The canonical template link, to which the install action redirects. */
  readonly link: string;
  readonly wantedSlug: string;
  readonly name: string;
  readonly description: string;
  readonly author: Author | null;
  readonly sourceUrl: string | null;
  readonly integrations: readonly IntegrationSlug[];
  /** How some of them were written: see `parseWritten`. */
  readonly written: readonly string[];
  /** Those of `integrations` that the template provider named, not a person. */
  readonly provided: readonly IntegrationSlug[];
  readonly categories: readonly string[];
};

/** The path of a bot's page, without the base URL. */
export const botPath = (slug: string): string => `/bots/${slug}`;

/** What the store decides about a bot. */
export type Placing = { readonly slug: string; readonly createdAtMs: number };

/**
 * What a bot depends on, besides its hash: the base URL of the directory's pages, and the former names of categories.
 */
export type BotForm = { readonly baseUrl: string; readonly former?: FormerNames | undefined };

/** The items of a list as the store keeps it: joined by commas, which no item can contain. */
export const splitList = (joined: string): string[] => (joined === '' ? [] : joined.split(','));

/**
 * A new bot's hash, without what the store decides: its slug and its times. Null is not stored. The install action
 * redirects to `link`.
 */
const storedOf = (draft: BotDraft): Readonly<Record<string, string | number | null>> => ({
  id: draft.id,
  name: draft.name,
  description: draft.description,
  author: draft.author,
  source_url: draft.sourceUrl,
  integrations: draft.integrations.join(','),
  categories: draft.categories.join(','),
  install_count: 0,
  written: draft.written.join(','),
  provided: draft.provided.join(','),
  template_id: draft.templateId,
  link: draft.link,
});

const fields = [
  'id',
  'slug',
  'name',
  'description',
  'author',
  'source_url',
  'integrations',
  'categories',
  'install_count',
  'created_at',
] as const;

/** Reads a bot from its hash, in the order of its JSON. */
const readBot = (text: (field: (typeof fields)[number]) => string, { baseUrl, former }: BotForm): Bot => ({
  id: text('id'),
  slug: text('slug'),
  name: text('name'),
  description: text('description'),
  author: text('author') || null,
  url: `${baseUrl}${botPath(text('slug'))}`,
  source_url: text('source_url') || null,
  integrations: splitList(text('integrations')),
  categories: presentNames(splitList(text('categories')), former),
  install_count: Number(text('install_count')),
  created_at: timestamp(Number(text('created_at'))),
});

/** The fields of a bot's hash that say what it is to a reader, and whether it is listed. */
export const shownHashFields: readonly string[] = [...fields, 'template_id', 'updated_at', 'state'];

/** The fields of a bot's hash that the copy of the directory reads. */
export const botHashFields: readonly string[] = [
  ...fields,
  'written',
  'template_id',
  'changed_at',
  'updated_at',
  'recent_installs',
  'state',
  'reason',
  'withdrawn_at',
];

/**
 * A bot as the copy of the directory holds it. `changedAtMs`: its last change; `updatedAtMs`: the last that was not an
 * install; `recentInstalls`: its installs by day, `written`: names of integrations, both as they are stored.
 */
export type StoredBot = {
  readonly bot: Bot;
  readonly changedAtMs: number;
  readonly updatedAtMs: number;
  readonly recentInstalls: string;
  readonly written: string;
  readonly templateId: string;
};

/** The hash of a new bot as a flat list, without what the store decides: its slug and its times. */
export const botToHash = (draft: BotDraft): (string | number)[] =>
  Object.entries(storedOf(draft)).flatMap(([name, value]) => (value === null ? [] : [name, value]));

/** A bot's integrations, and which of them the template provider named. */
type Integrations = { readonly integrations: readonly string[]; readonly provided: readonly string[] };

/**
 * The integrations after a template was read that now names `offered`. Those that people added stay; those of the
 * provider that it no longer names go; new ones are added as far as there is room.
 */
export const refreshedIntegrations = (
  { integrations, provided }: Integrations,
  offered: readonly string[],
): Integrations => {
  const kept = integrations.filter((slug) => offered.includes(slug) || !provided.includes(slug));
  const added = offered.filter((slug) => !kept.includes(slug)).slice(0, limits.integrationsPerBot - kept.length);
  return {
    integrations: [...kept, ...added],
    provided: [...kept.filter((slug) => provided.includes(slug)), ...added],
  };
};

/** Parses a bot's hash. */
export const botFromHash = (hash: Pick<ReadonlyMap<string, string>, 'get'>, form: BotForm): StoredBot => {
  const text = (field: string): string => hash.get(field) ?? '';
  return {
    bot: readBot(text, form),
    changedAtMs: Number(text('changed_at')),
    updatedAtMs: Number(text('updated_at') || text('created_at')),
    recentInstalls: text('recent_installs'),
    written: text('written'),
    templateId: text('template_id'),
  };
};

/** The bot that a draft becomes. */
export const draftedBot = (draft: BotDraft, { slug, createdAtMs }: Placing, baseUrl: string): Bot => {
  const hash = new Map(Object.entries(storedOf(draft)).map(([name, value]) => [name, String(value ?? '')]));
  return botFromHash(hash.set('slug', slug).set('created_at', String(createdAtMs)), { baseUrl }).bot;
};

/** The reason for which a bot is hidden when the provider no longer has its template. */
const templateGone = 'template_gone';

/**
 * Whether a bot's template is missing, as its hash says: the bot is still listed (`missing`), or was withdrawn for it
 * (`gone`).
 */
export const missingTemplate = (hash: Pick<ReadonlyMap<string, string>, 'get'>): 'missing' | 'gone' | undefined => {
  const state = hash.get('state');
  if (state === undefined) return hash.get('missed') === undefined ? undefined : 'missing';
  const isGone = state === 'hidden' && hash.get('reason') === templateGone && hash.get('gone_at') !== undefined;
  return isGone ? 'gone' : undefined;
};

/** Whether a bot is in the lists, or why it is not. Hidden and pending bots look as if they did not exist. */
export const botStates = ['listed', 'hidden', 'removed', 'pending'] as const;
export type BotState = (typeof botStates)[number];

/** Why and when the operator removed a bot. */
export type BotRemoval = { readonly reason: string; readonly atMs?: number };

/** The failure about a bot that the operator removed. */
export const botGone = ({ reason, atMs }: BotRemoval): Failure =>
  new Failure('bot_gone', `This bot was removed: ${reason}`, {
    reason,
    ...(atMs === undefined ? {} : { removedAt: timestamp(atMs) }),
  });

/** The failure about a slug that no listed bot has. */
export const botMissing = (removal: BotRemoval | undefined): Failure =>
  removal === undefined ? botNotFound() : botGone(removal);

/** The failure about a bot that is not public, or never existed. */
export const botNotFound = (): Failure => new Failure('bot_not_found', 'No bot in the directory has this slug.');

/** For how many days installs are recent: today, in UTC, and the days before. Decision 0132 says why days. */
export const recentDays = 7;

const dayMs = 86_400_000;

/** The day of an instant: the number of days since 1970. */
export const dayOf = (atMs: number): number => Math.floor(atMs / dayMs);

/**
 * Sums the installs of the days that count. `stored` has them by day, the newest first: `<day>:<installs>`, joined by
 * commas; the days may be long past, or in the future if the store's clock went back.
 */
export const recentInstalls = (stored: string, today: number): number => {
  const oldest = today - recentDays + 1;
  // For most bots, even the newest day is too old to count, or there is none.
  if (!(Number.parseInt(stored, 10) >= oldest)) return 0;
  let sum = 0;
  for (const entry of stored.split(',')) {
    const [day = 0, installs = 0] = entry.split(':').map(Number);
    if (day >= oldest && day <= today) sum += installs;
  }
  return sum;
};
