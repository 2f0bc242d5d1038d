/**
 * The operator's commands. Each that changes something is one script of the store and one line of the audit log.
 * `bot-commands.ts` has those about bots, and `backup-commands.ts` what is done with the whole store.
 */
import { defaultEventTypes, type DeliveryFailure } from '@bot-directory/contract';
import type { BotId, PostId } from '../base/ids.ts';
import { blockKinds, isSameBlock, parseBlock, type Block } from '../domain/block-list.ts';
import { filterInWords, shownFilter } from '../domain/subscription.ts';
import { handleOf, parseStatusUrl, type SocialHosts } from '../domain/links.ts';
import { maxModerated, type ReportStore } from '../store/moderation-store.ts';
import {
  postModerations,
  postStates,
  type OperatorPost,
  type OperatorPosts,
  type PostModeration,
  type PostState,
} from '../store/post-store.ts';
import { scanWebhooks, type WebhookState } from '../store/queue-state.ts';
import type { Store } from '../store/redis.ts';
import { resumeStopped } from '../store/webhook-store.ts';
import { backupCommands } from './backup-commands.ts';
import { eraseAuthor } from './erase-author.ts';
import { categoryCommands } from './category-commands.ts';
import { storeCommands } from './store-commands.ts';
import { botCommands, idsOf, type BotDeps } from './bot-commands.ts';
import {
  CommandError,
  confirm,
  instant,
  past,
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

/** What the commands need. */
type CommandDeps = BotDeps & {
  readonly store: Store;
  readonly reports: ReportStore;
  readonly posts: OperatorPosts;
};

type Reason = { readonly reason: string };
type StoppedWebhooks = { readonly stoppedSince: Time; readonly failure?: DeliveryFailure };

export type Commands = ReturnType<typeof createCommands>;

/** More than the audit log can have. */
const mostAudited = 1_000_000;

/** The commands. */
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

type ByAuthor = { readonly author?: readonly string[] };
type ListedPosts = ByAuthor & Shown & { readonly state?: readonly PostState[] };

const postCommands = ({ posts, social, operator, terminal }: CommandDeps) => {
  const change =
    (action: PostModeration) =>
    async (
      names: readonly string[],
      { author, reason: raw }: ByAuthor & { readonly reason: string },
    ): Promise<void> => {
      if (names.length === 0 && author === undefined) throw new CommandError('Name posts, or select them by --author.');
      const from: readonly PostState[] = postModerations[action].from;
      const selected = [...(await namedPosts(posts, social, names)), ...(await ofAuthors(posts, author))];
      const ids = [...new Set(selected.filter(({ state }) => from.includes(state)).map(({ id }) => id))];
      if (ids.length > maxModerated)
        throw new CommandError(`These are ${ids.length} posts, and one step changes at most ${maxModerated}.`);
      if (ids.length > unasked || (action === 'remove' && ids.length > 0))
        await confirm(terminal, `${action} ${ids.length} posts?`);
      const changed = ids.length === 0 ? [] : await posts.moderate(action, ids, { operator, reason: reasonFrom(raw) });
      const { length: count } = changed;
      const sentence = count === 0 ? 'No post matches; nothing was changed.' : `${past[action]} ${count} posts.`;
      showResult(terminal, { action, count, posts: changed }, sentence);
    };
  return {
    listPosts: async ({ author = [], state = postStates, ...shown }: ListedPosts): Promise<void> => {
      const fits = byAuthors(author);
      async function* rows() {
        for await (const post of posts.scan())
          if (state.includes(post.state) && (author.length === 0 || fits(post))) yield toRow(post);
      }
      await showList(terminal, rows(), { ...shown, empty: 'No post matches.' });
    },
    hidePosts: change('hide'),
    removePosts: change('remove'),
    restorePosts: change('restore'),
  };
};

const toRow = ({ id, url, state, reason, changedAtMs }: OperatorPost) => ({
  ...{ id, state, url, changed: instant(changedAtMs), reason },
});

/** Posts by their ids or URLs. Throws CommandError if there is no such post. */
const namedPosts = (posts: OperatorPosts, social: SocialHosts, names: readonly string[]): Promise<OperatorPost[]> =>
  Promise.all(
    names.map(async (name) => {
      const status = parseStatusUrl(name, social);
      const id = status.ok ? await posts.idOfStatus(status.value.statusId) : (name as PostId);
      const post = id === undefined ? undefined : await posts.read(id);
      if (post === undefined) throw new CommandError(`No post has the id or URL ${name}; nothing was changed.`);
      return post;
    }),
  );

const ofAuthors = async (posts: OperatorPosts, authors: readonly string[] = []): Promise<OperatorPost[]> => {
  const fits = byAuthors(authors);
  const found: OperatorPost[] = [];
  if (authors.length > 0) for await (const post of posts.scan()) if (fits(post)) found.push(post);
  return found;
};

const byAuthors = (authors: readonly string[]): ((post: OperatorPost) => boolean) => {
  const handles = new Set(authors.map((author) => author.replace(/^@/, '').toLowerCase()));
  return ({ url }) => handles.has(handleOf(url).toLowerCase());
};

/** A post is named by its id or URL, and a bot by its slug. */
const isPostName = (name: string): boolean => /^post_|[/:]/.test(name);

const ruleCommands = ({ moderation, operator, terminal }: CommandDeps) => ({
  block: async (kind: string | undefined, value: string | undefined, { reason }: Reason): Promise<void> => {
    if (kind === undefined) {
      const blocks = await moderation.blocks();
      const rows = blocks.map(({ kind, value, reason, atMs }) => ({ kind, value, reason, at: instant(atMs) }));
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
    const found = (await moderation.blocks()).filter((one) => one.kind === block.kind && isSameBlock(one, value));
    if (found.length === 0) throw new CommandError('This block does not exist.');
    for (const one of found) await moderation.unblock(operator, one);
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

const webhookCommands = ({ store, moderation, operator, terminal }: CommandDeps) => ({
  listWebhooks: async ({ state, ...shown }: Shown & { readonly state?: WebhookState }): Promise<void> => {
    async function* rows() {
      for await (const { nextAttemptAtMs, stoppedAtMs, subscription, ...webhook } of scanWebhooks(store)) {
        if (state !== undefined && webhook.state !== state) continue;
        const events = subscription?.types ?? defaultEventTypes;
        const filter = filterInWords(shownFilter(subscription));
        yield {
          ...webhook,
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

const blockFrom = (kind: string, value: string): Block => {
  const known = blockKinds.find((one) => one === kind);
  if (known === undefined) throw new CommandError(`The kind of a block must be one of ${blockKinds.join(', ')}.`);
  return valid(parseBlock(known, value));
};

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms));
