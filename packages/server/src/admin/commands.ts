/**
 * The operator's commands. Each that changes something is one script of the store and one line of the audit log.
 * `bot-commands.ts` has those about bots, and `backup-commands.ts` what is done with the whole store.
 */
import { defaultEventTypes, type DeliveryFailure } from '@bot-directory/contract';
import { blockKinds, isAtHost, parseBlock, type Block } from '../domain/block-list.ts';
import { filterInWords, shownFilter } from '../domain/subscription.ts';
import type { ReportStore } from '../store/reports/report-store.ts';
import type { OperatorPosts } from '../store/posts/post-store.ts';
import { scanTargets, scanWebhooks, type WebhookState } from '../store/webhooks/queue-state.ts';
import type { Store } from '../redis/redis.ts';
import { remove, resumeStopped } from '../store/webhooks/webhook-store.ts';
import { backupCommands } from './backup-commands.ts';
import { eraseAuthor } from './erase-author.ts';
import { categoryCommands } from './category-commands.ts';
import { storeCommands } from './store-commands.ts';
import { botCommands } from './bot-commands.ts';
import type { BotDeps } from './edit-bot.ts';
import { postCommands } from './post-commands.ts';
import { reportCommands } from './report-commands.ts';
import {
  CommandError,
  confirm,
  instant,
  isBy,
  markShown,
  reasonFrom,
  showResult,
  showList,
  showRows,
  summary,
  toMs,
  unasked,
  valid,
  type Shown,
  type Time,
} from './terminal.ts';

type CommandDeps = BotDeps & {
  readonly store: Store;
  readonly reports: ReportStore;
  readonly posts: OperatorPosts;
};

type Reason = { readonly reason: string };
type AtHost = { readonly host?: string };
type ByClient = { readonly client?: readonly string[] };
type StoppedWebhooks = { readonly stoppedSince: Time; readonly failure?: DeliveryFailure };

export type Commands = ReturnType<typeof createCommands>;

/** More than the audit log can have. */
const mostAudited = 1_000_000;

export const createCommands = (deps: CommandDeps) => ({
  ...reportCommands(deps),
  ...botCommands(deps),
  ...postCommands(deps),
  eraseAuthor: (author: string) => eraseAuthor(deps, author),
  ...ruleCommands(deps),
  ...webhookCommands(deps),
  ...backupCommands(deps),
  ...storeCommands(deps),
  ...categoryCommands(deps),
});

const ruleCommands = ({ moderation, operator, terminal }: CommandDeps) => ({
  block: async (
    kind: string | undefined,
    value: string | undefined,
    { reason, for: forMs }: Reason & { readonly for: number },
  ): Promise<void> => {
    if (kind === undefined) {
      const blocks = await moderation.blocks();
      const rows = blocks.map(({ kind, value, reason, atMs, untilMs = null }) => ({
        kind,
        value,
        reason,
        at: instant(atMs),
        until: instantOrNull(untilMs),
      }));
      showRows(terminal, rows, 'Nothing is blocked.');
      return;
    }
    const block = blockFrom(kind, value ?? '');
    const outcome = await moderation.block(
      operator,
      kind === 'client' ? { ...block, forMs } : block,
      reasonFrom(reason),
    );
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

  audit: async ({ limit, all = false }: Shown): Promise<void> => {
    async function* rows() {
      for (const { atMs, bots, ...line } of await moderation.audit(all ? mostAudited : limit + 1))
        yield { at: instant(atMs), ...line, bots: terminal.json ? bots : summary(bots) };
    }
    await showList(terminal, rows(), { limit, all, empty: 'No operator has done anything.' });
  },
});

const webhookCommands = ({ store, moderation, categories, operator, terminal }: CommandDeps) => ({
  listWebhooks: async ({
    state,
    host,
    client,
    ...shown
  }: Shown & AtHost & ByClient & { readonly state?: WebhookState }): Promise<void> => {
    const at = hostFrom(host);
    async function* rows() {
      for await (const { nextAttemptAtMs, stoppedAtMs, subscription, ...webhook } of scanWebhooks(store, at)) {
        if ((state !== undefined && webhook.state !== state) || !isBy(client, webhook.client)) continue;
        const events = subscription?.types ?? defaultEventTypes;
        const filter = filterInWords(shownFilter(subscription, categories.former));
        yield {
          ...webhook,
          client: terminal.json ? webhook.client : markShown(webhook.client),
          next_attempt: instantOrNull(nextAttemptAtMs),
          stopped_at: instantOrNull(stoppedAtMs),
          events: terminal.json ? events : events.join(', '),
          filter: terminal.json ? filter : filter.join('; '),
          format: subscription?.format ?? null,
        };
      }
    }
    await showList(terminal, rows(), { ...shown, empty: 'No webhook matches.' });
  },

  removeWebhooks: async (ids: readonly string[], { host: raw, client }: AtHost & ByClient): Promise<void> => {
    const host = hostFrom(raw);
    const isNarrowed = host !== undefined || client !== undefined;
    if ((ids.length === 0) !== isNarrowed)
      throw new CommandError('Give ids, which begin with wh_, or --host or --client.');
    const found = [];
    for await (const { id, target, client: mark } of scanTargets(store)) {
      const fits = (host === undefined || isAtHost(target.host, host)) && isBy(client, mark);
      if (isNarrowed ? fits : ids.includes(id)) found.push(target);
    }
    if (!isNarrowed && found.length < new Set(ids).size)
      throw new CommandError('An id is unknown; nothing was removed. They begin with wh_.');
    if (found.length > unasked) await confirm(terminal, `remove ${found.length} webhooks?`);
    // The line of the audit log comes first, so that nothing is removed without one.
    if (found.length > 0) await moderation.record(operator, 'remove-webhooks', found.length);
    let count = 0;
    for (const target of found) if (await remove(store, target, 'any')) count += 1;
    showResult(terminal, { removed: count }, `Removed ${count} webhooks.`);
  },

  // The line of the audit log comes first, so that no batch runs without one, whatever interrupts them.
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

/** Checked here, since the program's own refusals repeat what was written: it may be a whole URL. */
const hostFrom = (raw: string | undefined): string | undefined => raw && valid(parseBlock('host', raw)).value;

const blockFrom = (kind: string, value: string): Block => {
  const known = blockKinds.find((one) => one === kind);
  if (known === undefined) throw new CommandError(`The kind of a block must be one of ${blockKinds.join(', ')}.`);
  return valid(parseBlock(known, value));
};

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms));
