/**
 * Bots in the store: publishing, merges and installs, one script each; and the writes of a client. `directory.ts` reads
 * bots.
 */
import { limits } from '@bot-directory/contract';
import type { BotId, EventId } from '../../base/ids.ts';
import { type BotDraft, type BotState, botStates, botToHash, recentDays, splitList } from '../../domain/bot.ts';
import { presentNames, type FormerNames, type WrittenIntegrations } from '../../domain/names.ts';
import type { TemplateId } from '../../domain/links.ts';
import { markIfKnown, markOf } from '../client-mark.ts';
import { keys } from '../keys.ts';
import { maxAuditLines, untilOf, type Operator } from '../moderation/moderation-store.ts';
import { scanFromNewest, toMap, type Store } from '../../redis/redis.ts';

/** The result of publishing a draft. */
export type Publication =
  | { readonly outcome: 'published' | 'exists'; readonly slug: string }
  /** Submissions are closed. */
  | { readonly outcome: 'closed' }
  /** The blocks have changed: the draft must be checked again. */
  | { readonly outcome: 'outdated' };

/** The result of a merge. */
export type Merge =
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'removed'; readonly reason: string }
  | { readonly outcome: 'too_many' }
  | { readonly outcome: 'merged'; readonly integrations: readonly string[] };

/** The claim of the next reading of a bot's template. `atMs` is by the store's clock. */
export type Reading =
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'removed'; readonly reason: string }
  /** Another reading is under way. */
  | { readonly outcome: 'unfinished' }
  /** The last was claimed a short time ago. */
  | { readonly outcome: 'recent'; readonly atMs: number; readonly result: string; readonly nextSec: number }
  | { readonly outcome: 'claimed'; readonly atMs: number; readonly hash: ReadonlyMap<string, string> };

type ReadingReply = [outcome: Reading['outcome'], second?: string, third?: string | string[], nextSec?: number];

/** A change of a bot's fields from the values in `hash`. */
export type Edit = {
  readonly id: BotId;
  readonly hash: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
  /** Undefined if readers see no change. */
  readonly eventId: EventId | undefined;
  /** Undefined if no block matters. */
  readonly blocksVersion?: number;
  /** The operator who makes it, for the audit log. */
  readonly operator?: Operator;
};

/** A bot as the operator sees it, in whichever state. `fields`: all that is stored of it. */
export type OperatorBot = {
  readonly id: BotId;
  readonly slug: string;
  readonly state: BotState;
  readonly reason: string;
  readonly name: string;
  readonly author: string;
  readonly categories: readonly string[];
  readonly createdAtMs: number;
  readonly installs: number;
  readonly fields: ReadonlyMap<string, string>;
};

/** How a draft is published: the blocks it was checked against, whether it waits for approval, and its client. */
export type PublicationTerms = {
  readonly blocksVersion: number;
  readonly isPending: boolean;
  readonly client?: string;
};

type History = { readonly createdAtMs: number; readonly isPending: boolean; readonly removal: string | undefined };

export type BotStore = ReturnType<typeof createBotStore>;
export type OperatorBots = ReturnType<typeof operatorBots>;

/** A visitor counts once per bot within this time, in seconds. */
const installWindowSec = 86_400;
/** How long a claimed reading may be under way, in seconds: twice the time limit of fetching a template. */
const readingSec = 10;
/** The most visitors that are remembered; beyond it the oldest may count again. */
export const maxVisitors = 200_000;

/** Bots as the operator reads them, from the store itself. `former`: the names that categories had before. */
export const operatorBots = (store: Store, former?: FormerNames) => {
  const read = async (id: BotId): Promise<OperatorBot | undefined> => {
    const fields = new Map(Object.entries(await store.call((redis) => redis.hgetall(keys.bot(id)))));
    const text = (name: string): string => fields.get(name) ?? '';
    if (text('id') !== id) return undefined;
    return {
      id,
      slug: text('slug'),
      state: botStates.find((state) => state === fields.get('state')) ?? 'listed',
      reason: text('reason'),
      name: text('name'),
      author: text('author'),
      categories: presentNames(splitList(text('categories')), former),
      createdAtMs: Number(text('created_at')),
      installs: Number(text('install_count')),
      fields,
    };
  };
  return {
    read,
    edit: (edit: Edit) => editBot(store, edit),
    idOfSlug: (slug: string): Promise<BotId | undefined> => idOfSlug(store, slug),
    /** All bots in these states, newest first: the listed ones, then the others. */
    scan: async function* (states: readonly BotState[]): AsyncGenerator<OperatorBot> {
      const lists = [
        ...(states.includes('listed') ? [keys.bots] : []),
        ...(states.some((state) => state !== 'listed') ? [keys.withdrawn] : []),
      ];
      for (const key of lists)
        for await (const page of scanFromNewest(store, key))
          for (const bot of await Promise.all(page.map(({ member }) => read(member as BotId))))
            if (bot !== undefined && states.includes(bot.state)) yield bot;
    },
  };
};

const idOfSlug = async (store: Store, slug: string): Promise<BotId | undefined> =>
  ((await store.call((redis) => redis.hget(keys.slugs, slug))) ?? undefined) as BotId | undefined;

/** The bots of a store. */
export const createBotStore = (store: Store) => ({
  /** The slug of the bot published from a template, if there is one. */
  slugOfTemplate: (id: TemplateId): Promise<string | null> => store.call((redis) => redis.hget(keys.templates, id)),

  /** The id of the bot under a slug, if there is one. */
  idOfSlug: (slug: string): Promise<BotId | undefined> => idOfSlug(store, slug),

  /** The slug that a bot which wants this one would get now: see `publish-bot.lua`, which assigns it. */
  freeSlug: async (wanted: string): Promise<string> => {
    if ((await idOfSlug(store, wanted)) === undefined) return wanted;
    let suffix = Number((await store.call((redis) => redis.hget(keys.suffixes, wanted))) ?? 2);
    while ((await idOfSlug(store, `${wanted}-${suffix}`)) !== undefined) suffix += 1;
    return `${wanted}-${suffix}`;
  },

  /**
   * When the bot under a slug was published, by the store's clock, whether it waits for approval, and why it was
   * removed, in the operator's words; `removal` is `undefined` if it was not.
   */
  historyOf: async (slug: string): Promise<History> => {
    const id = await idOfSlug(store, slug);
    const fields = id && (await store.call((redis) => redis.hmget(keys.bot(id), 'state', 'reason', 'created_at')));
    const [state, reason, createdAt] = fields ?? [];
    const removal = state === 'removed' ? (reason ?? '') : undefined;
    return { createdAtMs: Number(createdAt), isPending: state === 'pending', removal };
  },

  /** Returns the link that the install action of a bot redirects to. */
  linkOf: async (id: BotId): Promise<string> => (await store.call((redis) => redis.hget(keys.bot(id), 'link'))) ?? '',

  /** Publishes the bot and its event in one step. */
  publish: (draft: BotDraft, eventId: EventId, terms: PublicationTerms): Promise<Publication> =>
    publish(store, { draft, eventId, ...terms }),

  /** Adds integrations, all or none. */
  addIntegrations: async (id: BotId, added: WrittenIntegrations): Promise<Merge> => {
    const reply = await store.script(
      'add-integrations',
      [keys.state, keys.bot(id), keys.changes],
      [id, limits.integrationsPerBot, ...[...added].flat()],
    );
    const [outcome, joined] = reply as [Merge['outcome'], string?];
    if (outcome === 'merged') return { outcome, integrations: splitList(joined ?? '') };
    return outcome === 'removed' ? { outcome, reason: joined ?? '' } : { outcome };
  },

  /** Claims the next reading of a template, at most one in `limits.refreshSec`; an unfinished one lapses sooner. */
  claimReading: async (id: BotId): Promise<Reading> => {
    const reply = await store.script('claim-reading', [keys.bot(id)], [limits.refreshSec, readingSec]);
    const [outcome, second = '', third, nextSec = 0] = reply as ReadingReply;
    if (outcome === 'removed') return { outcome, reason: second };
    if (outcome === 'recent') return { outcome, atMs: Number(second), result: String(third), nextSec };
    if (outcome === 'claimed') return { outcome, atMs: Number(second), hash: toMap(third as string[]) };
    return { outcome };
  },

  /** All that is stored of a bot. */
  hashOf: async (id: BotId): Promise<ReadonlyMap<string, string>> =>
    new Map(Object.entries(await store.call((redis) => redis.hgetall(keys.bot(id))))),

  edit: (edit: Edit) => editBot(store, edit),

  /** Counts an install by a visitor, at most once in 24 hours. */
  countInstall: async (id: BotId, visitor: string): Promise<'missing' | 'repeated' | 'counted'> => {
    const reply = await store.script(
      'count-install',
      [keys.state, keys.bot(id), keys.changes, keys.installs],
      [id, `${id}:${visitor}`, installWindowSec, maxVisitors, recentDays],
    );
    return reply as 'missing' | 'repeated' | 'counted';
  },

  /** The stored form of a visitor's network. */
  visitorOf: (network: string): Promise<string> => markOf(store, network),

  /**
   * Counts a write of a client in the current window. Returns the writes in it, and how much of it is left. A client
   * that the operator blocks has used up its window until the block ends.
   */
  countWrite: async (network: string, windowMs: number): Promise<{ writes: number; leftMs: number }> => {
    const mark = await markOf(store, network);
    const block = await store.call((redis) => redis.hget(keys.blocks, `client:${mark}`));
    const blockedMs = block === null ? 0 : untilOf(block) - (store.clock.nowMs ?? 0);
    if (blockedMs > 0) return { writes: Number.MAX_SAFE_INTEGER, leftMs: blockedMs };
    const key = keys.rateLimitPrefix + mark;
    const [writes, leftMs] = (await store.script('count-write', [key], [windowMs])) as [number, number];
    return { writes, leftMs };
  },
});

type PublicationInput = PublicationTerms & { readonly draft: BotDraft; readonly eventId: EventId };

const publish = async (
  store: Store,
  { draft, eventId, blocksVersion, isPending, client }: PublicationInput,
): Promise<Publication> => {
  const mark = await markIfKnown(store, client);
  const { state, templates, slugs, suffixes, bots, changes, events, eventIds, withdrawn } = keys;
  const reply = await store.script(
    'publish-bot',
    [state, templates, slugs, suffixes, keys.bot(draft.id), bots, changes, events, eventIds, withdrawn],
    [
      draft.id,
      draft.templateId,
      draft.wantedSlug,
      eventId,
      blocksVersion,
      isPending ? 1 : 0,
      ...botToHash(draft),
      ...(mark === undefined ? [] : ['client', mark]),
    ],
  );
  const [outcome, slug = ''] = reply as [Publication['outcome'], string?];
  return outcome === 'closed' || outcome === 'outdated' ? { outcome } : { outcome, slug };
};

/**
 * Changes fields of a bot in one step, if they still have the values in `hash`; `outdated` if they or the blocks have
 * changed. Without an operator, a bot that is not listed is `missing`.
 */
const editBot = async (
  store: Store,
  { id, hash, fields, eventId, blocksVersion, operator }: Edit,
): Promise<'missing' | 'outdated' | 'changed'> => {
  const { state, changes, events, eventIds, audit } = keys;
  const reply = await store.script(
    'edit-bot',
    [state, keys.bot(id), changes, events, eventIds, audit],
    [
      maxAuditLines,
      operator?.name ?? '',
      operator?.command ?? '',
      id,
      eventId ?? '',
      blocksVersion ?? '',
      ...changeArgs(hash, fields),
    ],
  );
  return reply as 'missing' | 'outdated' | 'changed';
};

/** A change of fields from the values in `hash`, as scripts take it. */
export const changeArgs = (
  hash: ReadonlyMap<string, string>,
  fields: ReadonlyMap<string, string>,
): (string | number)[] => [...fields].flatMap(([name, value]) => [name, hash.get(name) ?? '', value]);
