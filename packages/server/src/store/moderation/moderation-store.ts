/** What the operator does: moderates bots and posts, blocks, closes submissions; and the audit log. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BotId, EventId, PostId } from '../../base/ids.ts';
import { sharedWhileRunning } from '../../base/limiter.ts';
import { blockKinds, type Block, type BlockKind } from '../../domain/block-list.ts';
import { keptOfRemoved, moderations, type Moderation } from '../../domain/moderation.ts';
import { keys, movingKeys, type EntryKind } from '../keys.ts';
import { newAcceptance, noteSize, readSize } from '../admission/note.ts';
import { type Store, toMap } from '../../redis/redis.ts';

/** A bot, and the id of its event; or a post. */
export type Moderated = {
  readonly bot: { readonly id: BotId; readonly eventId: EventId };
  readonly post: { readonly id: PostId; readonly eventId?: undefined };
};

/** The operator and the command's words, for the audit log. */
export type Operator = { readonly name: string; readonly command: string };

/** A line of the audit log. `atMs` is by the store's clock. */
export type AuditLine = {
  readonly atMs: number;
  readonly by: string;
  readonly action: string;
  readonly reason: string;
  readonly command: string;
  readonly count: number;
  readonly bots: readonly string[];
};

/** A block as it is stored. */
export type StoredBlock = Block & { readonly reason: string; readonly atMs: number; readonly untilMs?: number };

/** The rules for a submission. `blocksVersion`: `publish` refuses a draft that was checked against another version. */
export type SubmissionRules = {
  readonly isOpen: boolean;
  readonly blocks: readonly Block[];
  readonly blocksVersion: number;
};

/** The most bots or posts that one step changes: it bounds how long a step blocks the store. */
export const perStep = 250;

/** The most blocks, and the most lines of the audit log. */
const maxBlocks = 10_000;
export const maxAuditLines = 10_000;
const maxBackupLines = 1_000;

/** What an operator does with the whole store, or with webhooks. */
export type StoreAction =
  | 'export'
  | 'export-with-keys'
  | 'import'
  | 'backup'
  | 'rebuild'
  | 'resume-webhooks'
  | 'remove-webhooks'
  | 'forget-settings';

export type ModerationStore = ReturnType<typeof createModerationStore>;

/** The operator's rules and actions. */
export const createModerationStore = (store: Store) => ({
  ...ruleStore(store),

  /**
   * Hides, removes or lists bots or posts, `perStep` at once. Between two steps, readers have the store for as long as
   * the first had it. Returns the slugs of the bots, or the ids of the posts, that changed.
   */
  moderate: async <Kind extends EntryKind>(
    kind: Kind,
    action: Moderation,
    entries: readonly Moderated[Kind][],
    { operator, reason }: { readonly operator: Operator; readonly reason: string },
  ): Promise<readonly string[]> => {
    const changed: string[] = [];
    for (let i = 0; i < entries.length; i += perStep) {
      const startedAtMs = performance.now();
      const reply = await store.script('moderate', movingKeys(kind, keys.audit, keys.reports), [
        maxAuditLines,
        operator.name,
        operator.command,
        kind === 'post' ? `${action}-posts` : action,
        reason,
        moderations[action].to,
        moderations[action].from.join(','),
        keptOfRemoved[kind].join(','),
        ...entries.slice(i, i + perStep).flatMap(({ id, eventId }) => [id, eventId ?? '']),
      ]);
      changed.push(...(reply as string[]));
      if (i + perStep < entries.length) await sleep(performance.now() - startedAtMs);
    }
    return changed;
  },

  /** The store's clock. */
  nowMs: async (): Promise<number> => {
    const [seconds, microseconds] = await store.call((redis) => redis.time());
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  },

  /**
   * Records an action; recording an import ends it, and recording a backup dates the last. `count`: of records or
   * webhooks, if it is known.
   */
  record: async ({ name, command }: Operator, action: StoreAction, count = 0): Promise<void> => {
    const isChange = !/^(export|import|backup)/.test(action);
    const [log, most] = isChange ? [keys.audit, maxAuditLines] : [keys.backups, maxBackupLines];
    await store.script('record-operation', [keys.state, log], [most, name, command, action, count]);
  },

  /** How many bots and posts the directory has, and how many it had, as far as the store's note says. */
  size: async (): Promise<{ readonly had: number; readonly has: number }> => {
    const { has, noted = 0 } = await readSize(store);
    return { had: Math.max(has, noted), has };
  },

  /** Accepts that the directory has this size. */
  acceptSize: async ({ name, command }: Operator, has: number): Promise<void> => {
    const acceptance = newAcceptance();
    await store.script('accept-directory', [keys.state, keys.audit], [maxAuditLines, name, command, acceptance, has]);
    // A full store refuses it. The acceptance alone voids what the note says.
    await noteSize(store, { had: has, acceptance });
  },

  /** The newest lines of the audit log, newest first. */
  audit: async (limit: number): Promise<readonly AuditLine[]> => {
    const newest = (key: string) => store.call((redis) => redis.xrevrange(key, '+', '-', 'COUNT', limit));
    const lines = (await Promise.all([keys.audit, keys.backups].map(newest))).flat();
    return lines
      .map(([, fields]) => auditLine(fields))
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, limit);
  },
});

const readBlocks = async (store: Store): Promise<StoredBlock[]> =>
  Object.entries(await store.call((redis) => redis.hgetall(keys.blocks))).map(([key, stored]) => ({
    ...blockOf(key),
    ...(JSON.parse(stored) as Omit<StoredBlock, keyof Block>),
  }));

/** When a stored block of a client ends (ms). */
export const untilOf = (stored: string): number => (JSON.parse(stored) as { untilMs?: number }).untilMs ?? Infinity;

type RuleOutcome = 'changed' | 'unchanged' | 'full';

const ruleStore = (store: Store) => {
  let known: SubmissionRules & { readonly epoch: string | null } = {
    isOpen: true,
    blocks: [],
    blocksVersion: 0,
    epoch: null,
  };

  /** Changes a rule in one atomic step, with a line in the audit log if it changed. */
  const set = async ({ name, command }: Operator, args: readonly (string | number)[]): Promise<RuleOutcome> =>
    (await store.script(
      'set-rule',
      [keys.state, keys.blocks, keys.audit, keys.paused],
      [maxAuditLines, name, command, ...args],
    )) as RuleOutcome;

  return {
    /**
     * The current rules for a submission. Blocks are read again only when they have changed. Submissions share a
     * reading: the script that publishes refuses a draft if the reading missed a change.
     */
    submissionRules: sharedWhileRunning(async (): Promise<SubmissionRules> => {
      const [closed, version, epoch = null] = await store.call((redis) =>
        redis.hmget(keys.state, 'submissions', 'blocks', 'epoch'),
      );
      const blocksVersion = Number(version ?? 0);
      const isKnown = blocksVersion === known.blocksVersion && epoch === known.epoch;
      const blocks = isKnown ? known.blocks : blocksVersion === 0 ? [] : await readBlocks(store);
      known = { isOpen: closed !== 'off', blocks, blocksVersion, epoch };
      return known;
    }),

    /** The blocks, oldest first. */
    blocks: async (): Promise<readonly StoredBlock[]> => (await readBlocks(store)).sort((a, b) => a.atMs - b.atMs),

    /** `forMs`: how long a client is blocked. */
    block: (operator: Operator, { kind, value, forMs }: Block & { readonly forMs?: number }, reason: string) =>
      set(operator, ['block', reason, `${kind}:${value}`, maxBlocks, forMs ?? '']),

    unblock: (operator: Operator, { kind, value }: Block) => set(operator, ['unblock', '', `${kind}:${value}`]),

    setSubmissions: (operator: Operator, isOpen: boolean, reason: string) =>
      set(operator, [isOpen ? 'open-submissions' : 'close-submissions', reason]),

    /** Pauses or resumes all deliveries, of every process. */
    setDeliveries: (operator: Operator, isPaused: boolean, reason: string) =>
      set(operator, [isPaused ? 'pause-deliveries' : 'resume-deliveries', reason]),
  };
};

const blockOf = (key: string): Block => {
  const colon = key.indexOf(':');
  const kind = blockKinds.find((one) => one === key.slice(0, colon)) ?? ('words' satisfies BlockKind);
  return { kind, value: key.slice(colon + 1) };
};

const auditLine = (flat: readonly string[]): AuditLine => {
  const fields = toMap(flat);
  const text = (name: string): string => fields.get(name) ?? '';
  const bots = text('bots');
  return {
    atMs: Number(text('at')),
    by: text('by'),
    action: text('action'),
    reason: text('reason'),
    command: text('command'),
    count: Number(text('count')),
    bots: bots === '' ? [] : bots.split(','),
  };
};
