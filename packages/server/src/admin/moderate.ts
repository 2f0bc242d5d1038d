/**
 * Which bots a command is about, and what it does to them: it reads the selection and drafts the events; one script
 * does the rest.
 */
import { limits } from '@bot-directory/contract';
import { createIds, type BotId, type EventId } from '../base/ids.ts';
import type { Parsed } from '../base/parsed.ts';
import { botFromHash, splitList, type BotState, type Moderation } from '../domain/bot.ts';
import { botRemoved, botUpdated, draftEvent, type EventDraft } from '../domain/event.ts';
import { parseCategory, parseIntegration } from '../domain/names.ts';
import { parseAuthor, parseStatusUrl, type SocialHosts } from '../domain/links.ts';
import { phraseMatcher } from '../domain/search.ts';
import type { OperatorBot, OperatorBots } from '../store/bot-store.ts';
import { maxModerated, type ModerationStore, type Operator } from '../store/moderation-store.ts';
import { CommandError } from './terminal.ts';

/** An instant, or an age by the store's clock. */
export type Time = { readonly atMs: number } | { readonly agoMs: number };

/** Options that narrow a selection, as the command line passes them. */
export type Narrowing = {
  readonly author?: readonly string[];
  readonly since?: Time;
  readonly until?: Time;
  readonly words?: string;
};

/** What a bot has to match. Times are in milliseconds, by the store's clock. */
export type Selection = {
  readonly slugs: readonly string[];
  readonly states: readonly BotState[];
  readonly authors: readonly string[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** As `block words` matches them. */
  readonly words: string | undefined;
};

/** Whether it has any condition besides states: a selection without one means every bot. */
export const isNarrow = ({ slugs, authors, sinceMs, untilMs, words }: Selection): boolean =>
  slugs.length > 0 || authors.length > 0 || sinceMs !== undefined || untilMs !== undefined || words !== undefined;

/** The selection that the options of a command make. */
export const toSelection = async (
  moderation: ModerationStore,
  { slugs, states, narrowing }: Pick<Selection, 'slugs' | 'states'> & { readonly narrowing: Narrowing },
): Promise<Selection> => {
  const { author = [], since, until, words } = narrowing;
  const nowMs = await moderation.nowMs();
  const optional = (time: Time | undefined): number | undefined => time && toMs(time, nowMs);
  return { slugs, states, authors: author, sinceMs: optional(since), untilMs: optional(until), words };
};

/** A time by the store's clock. */
export const toMs = (time: Time, nowMs: number): number => ('atMs' in time ? time.atMs : nowMs - time.agoMs);

/** The bots with these slugs. Throws CommandError if there is none with one of them. */
export const idsOf = async (bots: OperatorBots, slugs: readonly string[]): Promise<ReadonlyMap<string, BotId>> => {
  const found = new Map<string, BotId>();
  for (const slug of slugs) {
    const id = await bots.idOfSlug(slug);
    if (id === undefined) throw new CommandError(`No bot has the slug ${slug}; nothing was changed.`);
    found.set(slug, id);
  }
  return found;
};

/** The bots that match, oldest first: the listed ones, then the others. */
export async function* selectBots(bots: OperatorBots, selection: Selection): AsyncGenerator<OperatorBot> {
  const fits = matcher(selection);
  const candidates = selection.slugs.length > 0 ? named(bots, selection.slugs) : bots.scan(selection.states);
  for await (const bot of candidates) if (fits(bot)) yield bot;
}

async function* named(bots: OperatorBots, slugs: readonly string[]): AsyncGenerator<OperatorBot> {
  for (const slug of new Set(slugs)) {
    const id = await bots.idOfSlug(slug);
    const bot = id === undefined ? undefined : await bots.read(id);
    if (bot !== undefined) yield bot;
  }
}

const matcher = ({ states, authors, sinceMs, untilMs, words }: Selection): ((bot: OperatorBot) => boolean) => {
  const handles = new Set(authors.map((author) => author.toLowerCase()));
  return (bot) => {
    if (!states.includes(bot.state)) return false;
    if (handles.size > 0 && !handles.has(bot.author.toLowerCase())) return false;
    if (sinceMs !== undefined && bot.createdAtMs < sinceMs) return false;
    if (untilMs !== undefined && bot.createdAtMs > untilMs) return false;
    return words === undefined || phraseMatcher([bot.name, bot.fields.get('description') ?? ''])(words);
  };
};

type Deps = { readonly moderation: ModerationStore; readonly baseUrl: string };

/**
 * Moderates bots in one atomic step. Returns the slugs of those that changed. Throws CommandError if there are too
 * many.
 */
export const moderateBots = async (
  { moderation, baseUrl }: Deps,
  action: Moderation,
  bots: readonly OperatorBot[],
  { operator, reason }: { readonly operator: Operator; readonly reason: string },
): Promise<readonly string[]> => {
  if (bots.length > maxModerated) {
    throw new CommandError(
      `These are ${bots.length} bots, and one step changes at most ${maxModerated}: narrow the selection, for instance with --until.`,
    );
  }
  // By the store's clock: readers that resume from an id look for it by its time.
  const nowMs = await moderation.nowMs();
  const ids = createIds(() => nowMs);
  const moderated = bots.map((bot) => ({
    id: bot.id,
    event: eventOf(action, bot, { id: ids.event(), reason, baseUrl }),
  }));
  return moderation.moderate(action, moderated, { operator, reason });
};

const eventOf = (
  action: Moderation,
  bot: OperatorBot,
  { id, reason, baseUrl }: { readonly id: EventId; readonly reason: string; readonly baseUrl: string },
): EventDraft => {
  if (action !== 'restore') return botRemoved(id, bot.fields, { reason: action === 'remove' ? reason : null, baseUrl });
  const data = botFromHash(bot.fields, baseUrl).bot;
  return draftEvent(id, ({ time }) => {
    // A bot that has never been announced waited for approval, and is published now.
    if (!bot.fields.has('event')) return { type: 'bot.created', data: { ...data, created_at: time } };
    return { type: 'bot.restored', data };
  });
};

/** What an edit sets; '' stands for none. Integrations begin with + or -. */
export type Changes = {
  readonly category?: readonly string[];
  readonly author?: string;
  readonly sourceUrl?: string;
  readonly integration?: readonly string[];
};

/** The settings by which the values of an edit are checked. */
export type EditRules = { readonly social: SocialHosts; readonly categories: readonly string[] };

type EditDeps = EditRules & {
  readonly bots: OperatorBots;
  readonly operator: Operator;
  readonly baseUrl: string;
};

/**
 * Changes a bot, listed or not, in one step. Returns the names of the fields that changed. Throws CommandError if a
 * value is not valid, or if there is no such bot.
 */
export const editBot = async (deps: EditDeps, slug: string, changes: Changes): Promise<readonly string[]> => {
  const { bots, operator, baseUrl } = deps;
  for (;;) {
    const id = await bots.idOfSlug(slug);
    const bot = id === undefined ? undefined : await bots.read(id);
    if (bot === undefined) throw new CommandError(`No bot has the slug ${slug}; nothing was changed.`);
    const hash = bot.fields;
    const edited = new Map<string, string>([...envelopeFields.map((name) => [name, hash.get(name) ?? ''] as const)]);
    for (const [name, value] of editedFields(deps, hash, changes)) edited.set(name, value);
    const changed = [...edited].flatMap(([name, value]) => (value === (hash.get(name) ?? '') ? [] : [name]));
    if (changed.length === 0) return [];
    const event = botUpdated(createIds(Date.now).event(), new Map([...hash, ...edited]), baseUrl);
    const outcome = await bots.edit({ id: bot.id, hash, fields: edited, event, operator });
    if (outcome === 'changed') return changed.filter((name) => name !== 'provided');
  }
};

/** What the envelope says that may change: it must not have changed meanwhile. */
const envelopeFields = [
  'name',
  'description',
  'author',
  'source_url',
  'integrations',
  'provided',
  'categories',
] as const;

/** The fields that the changes name, as a hash has them. */
const editedFields = (
  { social, categories }: EditRules,
  hash: ReadonlyMap<string, string>,
  { category, author, sourceUrl, integration }: Changes,
): [string, string][] => [
  ...(category === undefined ? [] : [['categories', categoriesOf(category, categories)] as [string, string]]),
  ...(author === undefined ? [] : [['author', author === '' ? '' : valid(parseAuthor(author))] as [string, string]]),
  ...(sourceUrl === undefined
    ? []
    : [['source_url', sourceUrl === '' ? '' : valid(parseStatusUrl(sourceUrl, social)).url] as [string, string]]),
  ...(integration === undefined ? [] : integrationsOf(hash, integration)),
];

const categoriesOf = (names: readonly string[], allowed: readonly string[]): string => {
  const found = names.filter((name) => name !== '').map((name) => valid(parseCategory(name, allowed)));
  const unique = [...new Set(found)];
  if (unique.length > limits.categoriesPerBot)
    throw new CommandError(`A bot has at most ${limits.categoriesPerBot} categories.`);
  return unique.join(',');
};

/** What an operator adds counts as added by a person. */
const integrationsOf = (hash: ReadonlyMap<string, string>, changes: readonly string[]): [string, string][] => {
  const integrations = new Set(splitList(hash.get('integrations') ?? ''));
  const provided = new Set(splitList(hash.get('provided') ?? ''));
  for (const change of changes) {
    const slug = valid(parseIntegration(change.slice(1)));
    if (change.startsWith('+')) integrations.add(slug);
    else if (change.startsWith('-')) integrations.delete(slug);
    else throw new CommandError('Write +slack to add an integration, or -slack to remove it.');
    provided.delete(slug);
  }
  if (integrations.size > limits.integrationsPerBot)
    throw new CommandError(`A bot has at most ${limits.integrationsPerBot} integrations.`);
  return [
    ['integrations', [...integrations].join(',')],
    ['provided', [...provided].join(',')],
  ];
};

const valid = <T>(parsed: Parsed<T>): T => {
  if (!parsed.ok) throw new CommandError(parsed.why);
  return parsed.value;
};
