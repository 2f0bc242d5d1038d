/**
 * The operator's commands. Each that changes something is one script of the store and one line of the audit log; what
 * is done with the whole store is in `backup-commands.ts`.
 */
import { defaultEventTypes, type DeliveryFailure } from '@bot-directory/contract';
import type { BotId, PostId } from '../base/ids.ts';
import type { Parsed } from '../base/parsed.ts';
import { blockKinds, parseBlock, type Block } from '../domain/block-list.ts';
import { botStates, missingTemplate, moderations, type BotState, type Moderation } from '../domain/bot.ts';
import { filterInWords, shownFilter } from '../domain/interest.ts';
import type { OperatorBot, OperatorBots } from '../store/bot-store.ts';
import type { OperatorPosts } from '../store/post-store.ts';
import type { ModerationStore, Operator, ReportStore } from '../store/moderation-store.ts';
import type { Store } from '../store/redis.ts';
import { scanWebhooks, type WebhookState } from '../store/queue-state.ts';
import { resumeStopped } from '../store/webhook-store.ts';
import { backupCommands } from './backup-commands.ts';
import { namedPosts, postCommands } from './post-commands.ts';
import {
  editBot,
  idsOf,
  isNarrow,
  moderateBots,
  selectBots,
  toMs,
  toSelection,
  type Changes,
  type EditRules,
  type Narrowing,
  type Time,
} from './moderate.ts';
import {
  CommandError,
  confirm,
  instant,
  reasonFrom,
  showResult,
  showRows,
  unasked,
  type Terminal,
} from './terminal.ts';

/** What the commands need. `baseUrl`: that of the directory's pages; only restoring and editing need it. */
export type CommandDeps = EditRules & {
  readonly store: Store;
  readonly bots: OperatorBots;
  readonly moderation: ModerationStore;
  readonly reports: ReportStore;
  readonly posts: OperatorPosts;
  readonly operator: Operator;
  readonly baseUrl: string | undefined;
  readonly terminal: Terminal;
};

/** Which bots a list shows. `missing`: only those whose template is missing. */
type Shown = { readonly state?: readonly BotState[]; readonly missing?: boolean };
type Reason = { readonly reason: string };
type Limit = { readonly limit: number };
type StoppedWebhooks = { readonly stoppedSince: Time; readonly failure?: DeliveryFailure };

export type Commands = ReturnType<typeof createCommands>;

/** The commands. */
export const createCommands = (deps: CommandDeps) => ({
  ...reportCommands(deps),
  ...botCommands(deps),
  ...postCommands(deps),
  ...ruleCommands(deps),
  ...webhookCommands(deps),
  ...backupCommands(deps),
});

const reportCommands = ({ bots, posts, reports, social, operator, terminal }: CommandDeps) => ({
  listReports: async (): Promise<void> => {
    const found = await reports.list();
    const nameOf = async (subject: BotId | PostId): Promise<{ slug: string | null; post?: string }> => {
      if (!subject.startsWith('post_')) return { slug: (await bots.read(subject as BotId))?.slug ?? null };
      return { slug: null, post: (await posts.read(subject as PostId))?.url ?? subject };
    };
    const rows = [];
    for (const { id, subject, reason, text, atMs } of found)
      rows.push({ id, at: instant(atMs), ...(await nameOf(subject)), reason, text });
    showRows(terminal, rows, 'No reports.');
  },

  closeReports: async (names: readonly string[]): Promise<void> => {
    const [ofPosts, slugs] = [names.filter(isPostName), names.filter((name) => !isPostName(name))];
    const ids = new Map<string, BotId | PostId>(await idsOf(bots, slugs));
    for (const { id } of await namedPosts(posts, social, ofPosts)) ids.set(id, id);
    const count = await reports.close(ids, operator);
    showResult(terminal, { closed: count }, `Closed ${count} reports.`);
  },
});

const botCommands = (deps: CommandDeps) => {
  const { bots, operator, moderation, baseUrl, terminal } = deps;

  const change = async (
    action: Moderation,
    slugs: readonly string[],
    { reason: raw, ...narrowing }: Narrowing & Reason,
  ): Promise<void> => {
    const reason = reasonFrom(raw);
    if (action === 'remove' && reason === '')
      throw new CommandError('Give a reason with --reason: the page will show it.');
    if (action === 'restore') requireBaseUrl(baseUrl);
    const selection = await toSelection(moderation, { slugs, states: moderations[action].from, narrowing });
    await idsOf(bots, slugs);
    if (!isNarrow(selection))
      throw new CommandError('Name bots, or select them by --author, --since, --until or --words.');
    const selected = await collect(selectBots(bots, selection));
    if (selected.length > unasked || (action === 'remove' && selected.length > 0))
      await confirm(terminal, `${action} ${summary(selected.map(({ slug }) => slug))}?`);
    const changed =
      selected.length === 0
        ? []
        : await moderateBots({ moderation, baseUrl: baseUrl ?? '' }, action, selected, { operator, reason });
    showResult(
      terminal,
      { action, count: changed.length, bots: changed },
      changed.length === 0 ? 'No bot matches; nothing was changed.' : `${past[action]} ${summary(changed)}.`,
    );
  };

  return {
    listBots: async (
      slugs: readonly string[],
      { state = botStates, missing = false, limit, ...narrowing }: Narrowing & Limit & Shown,
    ): Promise<void> => {
      const selection = await toSelection(moderation, { slugs, states: state, narrowing });
      const rows = [];
      for await (const bot of selectBots(bots, selection)) {
        if (missing && missingTemplate(bot.fields) === undefined) continue;
        rows.push(toRow(bot));
        if (rows.length === limit) break;
      }
      showRows(terminal, rows, 'No bot matches.');
    },
    edit: async (slug: string, changes: Changes): Promise<void> => {
      const changed = await editBot({ ...deps, baseUrl: requireBaseUrl(baseUrl) }, slug, changes);
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

/** A post is named by its id or URL, and a bot by its slug. */
const isPostName = (name: string): boolean => /^post_|[/:]/.test(name);

const past = { hide: 'Hidden:', remove: 'Removed:', restore: 'Listed:' } as const;

const summary = (slugs: readonly string[]): string =>
  slugs.length <= unasked ? slugs.join(', ') : `${slugs.length} bots`;

const toRow = ({ slug, state, name, author, createdAtMs, installs, reason }: OperatorBot) => ({
  slug,
  state,
  name,
  author,
  added: instant(createdAtMs),
  installs,
  reason,
});

const ruleCommands = ({ moderation, operator, terminal }: CommandDeps) => ({
  block: async (kind: string | undefined, value: string | undefined, { reason }: Reason): Promise<void> => {
    if (kind === undefined) {
      const blocks = await moderation.blocks();
      const rows = blocks.map(({ atMs, ...block }) => ({ ...block, at: instant(atMs) }));
      showRows(terminal, rows, 'Nothing is blocked.');
      return;
    }
    const block = blockFrom(kind, value ?? '');
    const outcome = await moderation.block(operator, block, reasonFrom(reason));
    if (outcome === 'full') throw new CommandError('The limit of blocks is reached.');
    showResult(terminal, block, `Blocked: ${block.kind} ${block.value}.`);
  },

  unblock: async (kind: string, value: string): Promise<void> => {
    const block = blockFrom(kind, value);
    const outcome = await moderation.unblock(operator, block);
    if (outcome === 'unchanged') throw new CommandError('This block does not exist.');
    showResult(terminal, block, `No longer blocked: ${block.kind} ${block.value}.`);
  },

  submissions: async (position: string, { reason }: Reason): Promise<void> => {
    const isOpen = position === 'on';
    await moderation.setSubmissions(operator, isOpen, reasonFrom(reason));
    showResult(terminal, { submissions: position }, isOpen ? 'Submissions are open.' : 'Submissions are closed.');
  },

  deliveries: async (position: string, { reason }: Reason): Promise<void> => {
    const isPaused = position === 'pause';
    await moderation.setDeliveries(operator, isPaused, reasonFrom(reason));
    showResult(terminal, { deliveries: position }, isPaused ? 'Deliveries are paused.' : 'Deliveries are resumed.');
  },

  audit: async ({ limit }: Limit): Promise<void> => {
    const lines = await moderation.audit(limit);
    showRows(
      terminal,
      lines.map(({ atMs, bots, ...line }) => ({
        at: instant(atMs),
        ...line,
        bots: terminal.json ? bots : summary(bots),
      })),
      'No operator has done anything.',
    );
  },
});

const webhookCommands = ({ store, moderation, operator, terminal }: CommandDeps) => ({
  listWebhooks: async ({ state, limit }: Limit & { readonly state?: WebhookState }): Promise<void> => {
    const rows = [];
    for await (const { nextAttemptAtMs, stoppedAtMs, interest, ...webhook } of scanWebhooks(store)) {
      if (state !== undefined && webhook.state !== state) continue;
      const events = interest?.types ?? defaultEventTypes;
      const filter = filterInWords(shownFilter(interest));
      rows.push({
        ...webhook,
        next_attempt: instantOrNull(nextAttemptAtMs),
        stopped_at: instantOrNull(stoppedAtMs),
        events: terminal.json ? events : events.join(', '),
        filter: terminal.json ? filter : filter.join('; '),
        format: interest?.format ?? null,
      });
      if (rows.length === limit) break;
    }
    showRows(terminal, rows, 'No webhook matches.');
  },

  // The audit log gets its line first: whatever interrupts the batches, none of them is without one.
  resumeWebhooks: async ({ stoppedSince, failure }: StoppedWebhooks): Promise<void> => {
    const selection = { sinceMs: toMs(stoppedSince, await moderation.nowMs()), failure };
    const found = await resumeStopped(store, selection, 'count');
    if (found > unasked) await confirm(terminal, `resume ${found} webhooks?`);
    if (found > 0) await moderation.record(operator, 'resume-webhooks', found);
    const resumed = found === 0 ? 0 : await resumeStopped(store, selection, 'resume');
    showResult(
      terminal,
      { resumed },
      resumed === 0 ? 'No webhook matches; nothing was changed.' : `Resumed ${resumed} webhooks where they stopped.`,
    );
  },
});

const blockFrom = (kind: string, value: string): Block => {
  const known = blockKinds.find((one) => one === kind);
  if (known === undefined) throw new CommandError(`The kind of a block must be one of ${blockKinds.join(', ')}.`);
  const parsed: Parsed<Block> = parseBlock(known, value);
  if (!parsed.ok) throw new CommandError(parsed.why);
  return parsed.value;
};

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms));

const collect = async <T>(values: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
};
