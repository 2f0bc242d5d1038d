/**
 * THE TABLE of a bot's fields: the value that a draft gives each, how it is stored as text in the bot's hash, and how
 * it is read back. Publishing, the copy of the directory and the `bot.created` envelope derive from it.
 */
import type { Bot } from '@bot-directory/contract';
import { timestamp } from '../base/clock.ts';
import { botPath, type BotDraft, type Placing } from './bot.ts';

/** A hash of the store, and the base URL of the directory's pages. */
type Source = { readonly text: (field: string) => string; readonly baseUrl: string };

type Field<Value> = {
  /** The value in a new bot's hash; null is not stored. Undefined if the store decides it, or if it is derived. */
  readonly write?: (draft: BotDraft) => string | number | null;
  readonly read: (source: Source) => Value;
};

const text = (name: string, write: (draft: BotDraft) => string): Field<string> => ({
  write,
  read: (source) => source.text(name),
});

const textOrNull = (name: string, write: (draft: BotDraft) => string | null): Field<string | null> => ({
  write,
  read: (source) => source.text(name) || null,
});

/** Joined by commas, which no item can contain. */
const list = (name: string, write: (draft: BotDraft) => readonly string[]): Field<string[]> => ({
  write: (draft) => write(draft).join(','),
  read: (source) => splitList(source.text(name)),
});

/** The items of a list as the store keeps it. */
export const splitList = (joined: string): string[] => (joined === '' ? [] : joined.split(','));

/** Every field of a bot, in the order of its JSON. Each is stored under its own name. */
const fields = {
  id: text('id', (draft) => draft.id),
  slug: { read: (source) => source.text('slug') },
  name: text('name', (draft) => draft.name),
  description: text('description', (draft) => draft.description),
  author: textOrNull('author', (draft) => draft.author),
  url: { read: (source) => `${source.baseUrl}${botPath(source.text('slug'))}` },
  source_url: textOrNull('source_url', (draft) => draft.sourceUrl),
  integrations: list('integrations', (draft) => draft.integrations),
  categories: list('categories', (draft) => draft.categories),
  install_count: { write: () => 0, read: (source) => Number(source.text('install_count')) },
  created_at: { read: (source) => timestamp(Number(source.text('created_at'))) },
} satisfies { readonly [Name in keyof Bot]-?: Field<Bot[Name]> };

/** Other stored fields: `link` is where the install action leads. */
const others = {
  template_id: (draft) => draft.templateId,
  link: (draft) => draft.link,
} satisfies Record<string, (draft: BotDraft) => string | number>;

const readers = Object.entries<Field<unknown>>(fields).map(([name, { read }]) => [name, read] as const);
const writers = [
  ...Object.entries<Field<unknown>>(fields).flatMap(([name, { write }]) =>
    write === undefined ? [] : [[name, write] as const],
  ),
  ...Object.entries(others),
];

// The table's type ensures that each field has the type in Bot; a loop cannot express that.
const readBot = (source: Source): Bot => {
  const bot: Record<string, unknown> = {};
  for (const [name, read] of readers) bot[name] = read(source);
  return bot as Bot;
};

/** The fields of a bot's hash that the copy of the directory reads. */
export const botHashFields: readonly string[] = [
  ...new Set([...Object.keys(fields), ...Object.keys(others)]),
  ...['changed_at', 'state', 'reason', 'withdrawn_at'],
];

/** A bot as the copy of the directory holds it. `link` is where its install action leads. */
export type StoredBot = { readonly bot: Bot; readonly link: string; readonly changedAtMs: number };

/** The hash of a new bot as a flat list, without what the store decides: its slug and its times. */
export const botToHash = (draft: BotDraft): (string | number)[] => valuesOf(draft).flat();

const valuesOf = (draft: BotDraft): [string, string | number][] =>
  writers.flatMap(([name, write]) => {
    const value = write(draft);
    return value === null ? [] : [[name, value]];
  });

/** Parses a bot's hash. */
export const botFromHash = (hash: Pick<ReadonlyMap<string, string>, 'get'>, baseUrl: string): StoredBot => {
  const source = { text: (field: string) => hash.get(field) ?? '', baseUrl };
  return { bot: readBot(source), link: source.text('link'), changedAtMs: Number(source.text('changed_at')) };
};

/** The bot that a draft becomes. */
export const draftedBot = (draft: BotDraft, { slug, createdAtMs }: Placing, baseUrl: string): Bot => {
  const hash = new Map(valuesOf(draft).map(([name, value]) => [name, String(value)]));
  return botFromHash(hash.set('slug', slug).set('created_at', String(createdAtMs)), baseUrl).bot;
};
