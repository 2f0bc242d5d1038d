/**
 * The operator's commands about bots: which of them a command is about, and what it does to them. It reads the
 * selection; one script does the rest.
 */
import type { BotId } from '../base/ids.ts';
import { botStates, missingTemplate, type BotState } from '../domain/bot.ts';
import { wordsMatcher } from '../domain/block-list.ts';
import { moderations, type Moderation } from '../domain/moderation.ts';
import { presentName } from '../domain/names.ts';
import type { OperatorBot, OperatorBots } from '../store/bots/bot-store.ts';
import { changeBot, editedFields, named, type BotDeps, type Changes } from './edit-bot.ts';
import { moderate } from './moderate.ts';
import {
  CommandError,
  instant,
  isBy,
  reasonFrom,
  showList,
  showResult,
  showRows,
  toMs,
  type Shown,
  type Time,
} from './terminal.ts';

/** Options that narrow a selection, as the command line passes them. */
type Narrowing = {
  readonly author?: readonly string[];
  readonly since?: Time;
  readonly until?: Time;
  readonly words?: string;
  readonly category?: string;
  readonly client?: readonly string[];
};

/** Which bots a list shows. `missing`: only those whose template is missing. */
type Listed = Shown & { readonly state?: readonly BotState[]; readonly missing?: boolean };
type Reason = { readonly reason: string };

export const botCommands = (deps: BotDeps) => {
  const { bots, terminal } = deps;

  const change = async (
    action: Moderation,
    slugs: readonly string[],
    { reason: raw, ...narrowing }: Narrowing & Reason,
  ): Promise<void> => {
    const reason = reasonFrom(raw);
    if (action === 'remove' && reason === '')
      throw new CommandError('Give a reason with --reason: the page will show it.');
    const selection = await selectionOf(deps, { ...narrowing, slugs, states: moderations[action].from });
    await idsOf(bots, slugs);
    // A selection without any condition means every bot.
    if (slugs.length === 0 && Object.keys(narrowing).length === 0)
      throw new CommandError(
        'Name bots, or select them by --author, --since, --until, --words, --category or --client.',
      );
    const selected = [];
    for await (const bot of selectBots(bots, selection)) selected.push(bot);
    await moderate(deps, action, {
      kind: 'bot',
      ids: selected.map(({ id }) => id),
      names: selected.map(({ slug }) => slug),
      reason,
    });
  };

  return {
    listBots: (slugs: readonly string[], options: Narrowing & Listed) => listBots(deps, slugs, options),
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

/** Lists bots. Those that are named are shown whole. */
const listBots = async (
  deps: BotDeps,
  slugs: readonly string[],
  { state = botStates, missing = false, limit, all, ...narrowing }: Narrowing & Listed,
): Promise<void> => {
  const { bots, terminal } = deps;
  const selection = await selectionOf(deps, { ...narrowing, slugs, states: state });
  async function* found() {
    for await (const bot of selectBots(bots, selection))
      if (!missing || missingTemplate(bot.fields) !== undefined) yield bot;
  }
  async function* shown() {
    for await (const bot of found()) yield terminal.json ? wholeRow(bot) : toRow(bot);
  }
  if (slugs.length === 0 || terminal.json) return showList(terminal, shown(), { limit, all, empty: 'No bot matches.' });
  for await (const bot of found())
    showRows(
      terminal,
      Object.entries(wholeRow(bot)).map(([field, value]) => ({ field, value })),
      '',
    );
};

const toRow = ({ slug, state, name, author, createdAtMs, installs, reason }: OperatorBot) => ({
  slug,
  state,
  name,
  author,
  added: instant(createdAtMs),
  installs,
  reason,
});

/** All that an operator may want to know of a bot. */
const wholeRow = (bot: OperatorBot) => {
  const text = (name: string): string => bot.fields.get(name) ?? '';
  return {
    ...toRow(bot),
    id: bot.id,
    description: text('description'),
    link: text('link'),
    source_url: text('source_url'),
    integrations: text('integrations'),
    categories: bot.categories.join(','),
    client: text('client'),
  };
};

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

/** A selection as of now. A category may be given by a former name. */
const selectionOf = async (
  { moderation, categories: { former } }: BotDeps,
  { category, ...asked }: Omit<Selection, 'nowMs'>,
): Promise<Selection> => ({
  ...asked,
  ...(category === undefined ? {} : { category: presentName(category, former) }),
  nowMs: await moderation.nowMs(),
});

/** The bots that match, newest first: the listed ones, then the others. */
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

const matcher = ({
  states,
  author = [],
  since,
  until,
  words,
  category,
  client,
  nowMs,
}: Selection): ((bot: OperatorBot) => boolean) => {
  const handles = new Set(author.map((handle) => handle.toLowerCase()));
  const sinceMs = since === undefined ? -Infinity : toMs(since, nowMs);
  const untilMs = until === undefined ? Infinity : toMs(until, nowMs);
  return (bot) => {
    if (!states.includes(bot.state) || bot.createdAtMs < sinceMs || bot.createdAtMs > untilMs) return false;
    if (handles.size > 0 && !handles.has(bot.author.toLowerCase())) return false;
    if (!isBy(client, bot.fields.get('client') ?? '')) return false;
    if (category !== undefined && !bot.categories.includes(category)) return false;
    // As `block words` matches them.
    return words === undefined || wordsMatcher([bot.name, bot.fields.get('description') ?? ''])(words);
  };
};
