/**
 * What only the operator does: hiding, removing and restoring bots, blocks, the submissions switch, and the audit log.
 */
import type { BotId, EventId } from '../base/ids.ts';
import { blockKinds, type Block, type BlockKind } from '../domain/block-list.ts';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** What the operator does to bots. `restore` also lists those that wait for approval. */
export const moderations = ['hide', 'remove', 'restore'] as const;
export type Moderation = (typeof moderations)[number];

/** A bot and its event. `envelope`: its JSON, with a NUL wherever the time goes. */
export type ModeratedBot = {
  readonly id: BotId;
  readonly eventId: EventId;
  readonly eventType: string;
  readonly envelope: string;
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
export type StoredBlock = Block & { readonly reason: string; readonly atMs: number };

/** The rules for a submission. `blocksVersion`: `publish` refuses a draft that was checked against another version. */
export type SubmissionRules = {
  readonly isOpen: boolean;
  readonly blocks: readonly Block[];
  readonly blocksVersion: number;
};

/** The most bots that one step may change; it bounds how long the step blocks the store. */
export const maxModerated = 5_000;

/** The most blocks, and the most lines of the audit log. */
const maxBlocks = 10_000;
export const maxAuditLines = 10_000;
const maxBackupLines = 1_000;

/** What an operator does with the whole store. */
export type StoreAction = 'export' | 'export-with-keys' | 'import' | 'rebuild';

export type ModerationStore = ReturnType<typeof createModerationStore>;

/** The operator's rules and actions. */
export const createModerationStore = (store: Store) => ({
  ...ruleStore(store),

  /** Hides, removes or lists at most `maxModerated` bots in one step. Returns the slugs of those that changed. */
  moderate: async (
    action: Moderation,
    bots: readonly ModeratedBot[],
    { operator, reason }: { readonly operator: Operator; readonly reason: string },
  ): Promise<readonly string[]> => {
    const { state, bots: listed, withdrawn, changes, events, eventIds, withheld, audit, reports } = keys;
    const reply = await store.change(
      'moderate-bots',
      [state, listed, withdrawn, changes, events, eventIds, withheld, audit, reports],
      [
        ...[action, reason, keys.directoryPrefix, maxAuditLines, operator.name, operator.command],
        ...bots.flatMap(({ id, eventId, eventType, envelope }) => [id, eventId, eventType, envelope]),
      ],
    );
    return reply as string[];
  },

  /** Records it; that of an import ends it. `count`: of records, if they are known. */
  record: async ({ name, command }: Operator, action: StoreAction, count = 0): Promise<void> => {
    const [log, most] = action === 'rebuild' ? [keys.audit, maxAuditLines] : [keys.backups, maxBackupLines];
    await store.script('record-operation', [keys.state, log], [store.offsetMs(), most, name, command, action, count]);
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
    ...(JSON.parse(stored) as { reason: string; atMs: number }),
  }));

type RuleOutcome = 'changed' | 'unchanged' | 'full';

const ruleStore = (store: Store) => {
  let known: SubmissionRules & { readonly epoch: string | null } = {
    isOpen: true,
    blocks: [],
    blocksVersion: 0,
    epoch: null,
  };

  /** One atomic step and one line in the audit log. */
  const set = async ({ name, command }: Operator, args: readonly (string | number)[]): Promise<RuleOutcome> =>
    (await store.script(
      'set-rule',
      [keys.state, keys.blocks, keys.audit],
      [store.offsetMs(), maxAuditLines, name, command, ...args],
    )) as RuleOutcome;

  return {
    /** The current rules for a submission. Blocks are read again only when they have changed. */
    submissionRules: async (): Promise<SubmissionRules> => {
      const [closed, version, epoch = null] = await store.call((redis) =>
        redis.hmget(keys.state, 'submissions', 'blocks', 'epoch'),
      );
      const blocksVersion = Number(version ?? 0);
      const isKnown = blocksVersion === known.blocksVersion && epoch === known.epoch;
      const blocks = isKnown ? known.blocks : blocksVersion === 0 ? [] : await readBlocks(store);
      known = { isOpen: closed !== 'off', blocks, blocksVersion, epoch };
      return known;
    },

    /** The blocks, oldest first. */
    blocks: async (): Promise<readonly StoredBlock[]> => (await readBlocks(store)).sort((a, b) => a.atMs - b.atMs),

    block: (operator: Operator, { kind, value }: Block, reason: string) =>
      set(operator, ['block', reason, `${kind}:${value}`, maxBlocks]),

    unblock: (operator: Operator, { kind, value }: Block) => set(operator, ['unblock', '', `${kind}:${value}`]),

    setSubmissions: (operator: Operator, isOpen: boolean, reason: string) =>
      set(operator, [isOpen ? 'open-submissions' : 'close-submissions', reason]),

    /** Pauses or resumes all deliveries, of every process. */
    setDeliveries: (operator: Operator, isPaused: boolean, reason: string) =>
      set(operator, [isPaused ? 'pause-deliveries' : 'resume-deliveries', reason, keys.paused]),
  };
};

const blockOf = (key: string): Block => {
  const colon = key.indexOf(':');
  const kind = blockKinds.find((one) => one === key.slice(0, colon)) ?? ('words' satisfies BlockKind);
  return { kind, value: key.slice(colon + 1) };
};

const auditLine = (flat: readonly string[]): AuditLine => {
  const fields = toFields(flat);
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

/** Converts Redis's alternating names and values. */
const toFields = (flat: readonly string[]): ReadonlyMap<string, string> =>
  new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : [])));
