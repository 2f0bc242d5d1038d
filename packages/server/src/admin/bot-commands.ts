/**
 * The operator's commands about bots: which of them a command is about, and what it does to them. It reads the
 * selection and drafts the events; one script does the rest.
 */
import { limits } from '@bot-directory/contract';
import { createIds, type BotId, type EventId, type Ids } from '../base/ids.ts';
import {
  botFromHash,
  botStates,
  changingFields,
  missingTemplate,
  moderations,
  splitList,
  type BotState,
  type Moderation,
} from '../domain/bot.ts';
import { botRemoved, botUpdated, draftEvent, type EventDraft } from '../domain/event.ts';
import { wordsMatcher } from '../domain/block-list.ts';
import { parseAuthor, parseStatusUrl, type SocialHosts } from '../domain/links.ts';
import { type Categories, parseCategory, parseIntegration } from '../domain/names.ts';
import type { OperatorBot, OperatorBots } from '../store/bot-store.ts';
import { maxModerated, type ModerationStore, type Operator } from '../store/moderation-store.ts';
import {
  CommandError,
  confirm,
  instant,
  past,
  reasonFrom,
  showList,
  showResult,
  summary,
  toMs,
  unasked,
  valid,
  type Shown,
  type Terminal,
  type Time,
} from './terminal.ts';

/** Options that narrow a selection, as the command line passes them. */
type Narrowing = {
  readonly author?: readonly string[];
  readonly since?: Time;
  readonly until?: Time;
  readonly words?: string;
  readonly category?: string;
};

/** What the commands need. `baseUrl`: that of the directory's pages; only restoring and editing need it. */
export type BotDeps = {
  readonly bots: OperatorBots;
  readonly moderation: ModerationStore;
  /** The values of an edit are checked against these settings. */
  readonly social: SocialHosts;
  readonly categories: Categories;
  readonly operator: Operator;
  readonly baseUrl: string | undefined;
  readonly terminal: Terminal;
};

/** Which bots a list shows. `missing`: only those whose template is missing. */
type Listed = Shown & { readonly state?: readonly BotState[]; readonly missing?: boolean };
type Reason = { readonly reason: string };

export const botCommands = (deps: BotDeps) => {
  const { bots, moderation, baseUrl, terminal } = deps;

  const change = async (
    action: Moderation,
    slugs: readonly string[],
    { reason: raw, ...narrowing }: Narrowing & Reason,
  ): Promise<void> => {
    const reason = reasonFrom(raw);
    if (action === 'remove' && reason === '')
      throw new CommandError('Give a reason with --reason: the page will show it.');
    if (action === 'restore') requireBaseUrl(baseUrl);
    const selection = { ...narrowing, slugs, states: moderations[action].from, nowMs: await moderation.nowMs() };
    await idsOf(bots, slugs);
    const { author, since, until, words, category } = narrowing;
    // A selection without any condition means every bot.
    if (slugs.length === 0 && [author, since, until, words, category].every((condition) => condition === undefined))
      throw new CommandError('Name bots, or select them by --author, --since, --until, --words or --category.');
    const selected = [];
    for await (const bot of selectBots(bots, selection)) selected.push(bot);
    if (selected.length > unasked || (action === 'remove' && selected.length > 0))
      await confirm(terminal, `${action} ${summary(selected.map(({ slug }) => slug))}?`);
    const changed = selected.length === 0 ? [] : await moderateBots(deps, action, selected, reason);
    showResult(
      terminal,
      { action, count: changed.length, bots: changed },
      changed.length === 0 ? 'No bot matches; nothing was changed.' : `${past[action]} ${summary(changed)}.`,
    );
  };

  return {
    listBots: async (
      slugs: readonly string[],
      { state = botStates, missing = false, limit, all, ...narrowing }: Narrowing & Listed,
    ): Promise<void> => {
      const selection = { ...narrowing, slugs, states: state, nowMs: await moderation.nowMs() };
      async function* rows() {
        for await (const bot of selectBots(bots, selection))
          if (!missing || missingTemplate(bot.fields) !== undefined) yield toRow(bot);
      }
      await showList(terminal, rows(), { limit, all, empty: 'No bot matches.' });
    },
    edit: async (slug: string, changes: Changes): Promise<void> => {
      const changed = await changeBot(deps, slug, (hash) => editedFields(deps, hash, changes));
      showResult(
        terminal,
        { slug, changed },
        changed.length === 0 ? 'The bot is like that already; nothing was changed.' : `Changed: ${changed.join(', ')}.`,
      );
    },
    hide: (slugs: readonly string[], options: Narrowing & Reason) => change('hide', slugs, options),
    remove: (slugs: readonly string[], options: Narrowing & Reason) => change('remove', slugs, options),
    restore: (slugs: readonly string[], options: Narrowing & Reason) => change('restore', slugs, options),
  };
};

const requireBaseUrl = (baseUrl: string | undefined): string => {
  if (baseUrl === undefined)
    throw new CommandError('Set BASE_URL to that of the service: the event contains the URL of the page.');
  return baseUrl;
};

const toRow = ({ slug, state, name, author, createdAtMs, installs, reason }: OperatorBot) => ({
  ...{ slug, state, name, author, added: instant(createdAtMs), installs, reason },
});

/** Returns the ids of the bots with these slugs. Throws CommandError if no bot has one of them. */
export const idsOf = async (bots: OperatorBots, slugs: readonly string[]): Promise<ReadonlyMap<string, BotId>> => {
  const found = new Map<string, BotId>();
  for (const slug of slugs) {
    const id = await bots.idOfSlug(slug);
    if (id === undefined) throw new CommandError(`No bot has the slug ${slug}; nothing was changed.`);
    found.set(slug, id);
  }
  return found;
};

/** Which bots a command is about. `nowMs`: the time by the store's clock. */
type Selection = Narrowing & {
  readonly slugs: readonly string[];
  readonly states: readonly BotState[];
  readonly nowMs: number;
};

/** The bots that match, oldest first: the listed ones, then the others. */
async function* selectBots(bots: OperatorBots, selection: Selection): AsyncGenerator<OperatorBot> {
  const fits = matcher(selection);
  if (selection.slugs.length === 0) {
    for await (const bot of bots.scan(selection.states)) if (fits(bot)) yield bot;
  }
  for (const slug of new Set(selection.slugs)) {
    const bot = await named(bots, slug);
    if (bot !== undefined && fits(bot)) yield bot;
  }
}

const named = async (bots: OperatorBots, slug: string): Promise<OperatorBot | undefined> => {
  const id = await bots.idOfSlug(slug);
  return id === undefined ? undefined : bots.read(id);
};

const matcher = ({
  states,
  author = [],
  since,
  until,
  words,
  category,
  nowMs,
}: Selection): ((bot: OperatorBot) => boolean) => {
  const handles = new Set(author.map((handle) => handle.toLowerCase()));
  const sinceMs = since === undefined ? -Infinity : toMs(since, nowMs);
  const untilMs = until === undefined ? Infinity : toMs(until, nowMs);
  return (bot) => {
    if (!states.includes(bot.state) || bot.createdAtMs < sinceMs || bot.createdAtMs > untilMs) return false;
    if (handles.size > 0 && !handles.has(bot.author.toLowerCase())) return false;
    if (category !== undefined && !splitList(bot.fields.get('categories') ?? '').includes(category)) return false;
    // As `block words` matches them.
    return words === undefined || wordsMatcher([bot.name, bot.fields.get('description') ?? ''])(words);
  };
};

/**
 * Moderates bots in one atomic step. Returns the slugs of those that changed. Throws CommandError if there are too
 * many.
 */
const moderateBots = async (
  { moderation, operator, baseUrl = '' }: BotDeps,
  action: Moderation,
  bots: readonly OperatorBot[],
  reason: string,
): Promise<readonly string[]> => {
  if (bots.length > maxModerated) {
    throw new CommandError(
      `These are ${bots.length} bots, and one step changes at most ${maxModerated}: narrow the selection, for instance with --until.`,
    );
  }
  const ids = await storeIds(moderation);
  const moderated = bots.map((bot) => ({
    id: bot.id,
    event: eventOf(action, bot, { id: ids.event(), reason, baseUrl }),
  }));
  return moderation.moderate(action, moderated, { operator, reason });
};

/** Makes ids by the store's clock: readers that resume from an event's id look for it by its time. */
export const storeIds = async (moderation: ModerationStore): Promise<Ids> => {
  const nowMs = await moderation.nowMs();
  return createIds(() => nowMs);
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
type Changes = {
  readonly category?: readonly string[];
  readonly author?: string;
  readonly sourceUrl?: string;
  readonly integration?: readonly string[];
};

type Hash = ReadonlyMap<string, string>;

/**
 * Changes a bot, listed or not, in one step. `changesOf`: the values that fields get. Returns the names of the fields
 * that changed. Throws CommandError if there is no such bot.
 */
export const changeBot = async (
  { bots, moderation, operator, ...deps }: BotDeps,
  slug: string,
  changesOf: (hash: Hash) => readonly (readonly [string, string])[],
): Promise<readonly string[]> => {
  const baseUrl = requireBaseUrl(deps.baseUrl);
  for (;;) {
    const bot = await named(bots, slug);
    if (bot === undefined) throw new CommandError(`No bot has the slug ${slug}; nothing was changed.`);
    if (bot.state === 'removed') throw new CommandError(`${slug} was removed; nothing is left of it to edit.`);
    const hash = bot.fields;
    // The event says all of this, so none of it may have changed meanwhile.
    const edited = new Map([...changingFields, 'provided'].map((name) => [name, hash.get(name) ?? '']));
    for (const [name, value] of changesOf(hash)) edited.set(name, value);
    const changed = [...edited].flatMap(([name, value]) => (value === (hash.get(name) ?? '') ? [] : [name]));
    if (changed.length === 0) return [];
    const event = botUpdated((await storeIds(moderation)).event(), new Map([...hash, ...edited]), baseUrl);
    const takesAway = isTakenAway(hash, edited);
    const outcome = await bots.edit({ id: bot.id, hash, fields: edited, event, operator, takesAway });
    if (outcome === 'changed') return changed.filter((name) => name !== 'provided');
  }
};

/** Whether an edit takes away an author, an announcement or an integration. Categories are the operator's own words. */
const isTakenAway = (before: Hash, after: Hash): boolean => {
  const left = new Set(splitList(after.get('integrations') ?? ''));
  return (
    ['author', 'source_url'].some((name) => (before.get(name) ?? '') !== '' && before.get(name) !== after.get(name)) ||
    splitList(before.get('integrations') ?? '').some((slug) => !left.has(slug))
  );
};

/** The fields that the changes name, as a hash has them. */
const editedFields = (
  { social, categories }: BotDeps,
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
