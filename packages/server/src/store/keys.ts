/**
 * THE DATA MODEL. Read this first. It has every key of the service; REDIS_KEY_PREFIX comes before each.
 *
 * Directory: one hash tag, so that publishing is one script on Redis Cluster too.
 *   state      hash   the state of the whole directory:
 *                       version     number of the last change of a bot or a post. Numbers rise, with gaps, and are
 *                                   never reused: see decision 0015
 *                       urgent      version of the last change that no reader may miss (all but install counts)
 *                       events      number of the last event: the version that published it
 *                       announced   number of the last event that is sent to all webhooks
 *                       changed_at  when the last change was made (ms), by the store's clock
 *                       began_at    when this epoch began (ms): nothing in it is dated earlier. If the clock goes
 *                                   back, it begins after the last date
 *                       server      replication id of the server that began it, if INFO has it
 *                       epoch       random: identifies the epoch
 *                       salt        for hashing install visitors
 *                       dropped_reports  counts reports that were deleted because there were too many
 *                       blocks      counts changes of `blocks` · submissions: `off` while they are closed
 *                       registered  counts registrations of webhooks, once they are made: a queue that was empty before
 *                                   may no longer be
 *                       backed_up_at  when a backup last exited with 0 (ms)
 *                       model       version of this model, see `admit.ts` · import: `unfinished` during one
 *                       acceptance  random: identifies the last time that the operator accepted the directory's size
 *   bot:<id>   hash   the bot: see `domain/bot.ts`; client, a mark of who submitted it · changed_at, when it last
 *                     changed (ms) · updated_at, when it last changed but for installs; absent if it never did since it
 *                     was added · recent_installs, its installs by day · event, the number of the event that announced
 *                     it · written, names of its integrations as people write them, where those say more than a slug,
 *                     joined by commas; and of its template
 *                       provided     the integrations that the provider named; those that people added are the others
 *                       read_at      when its last reading was claimed (ms) · read_result: what that changed, joined by
 *                                    commas, or the code of its failure; absent while it is under way
 *                       etag, last_modified   its validators when it was last read, if it had any
 *                       missed       how often in a row the provider did not have it · missed_at: since when (ms)
 *                       gone_at      when the bot was withdrawn for that (ms): it is hidden, as `template_gone`
 *   bots       zset   bot id → version at publication: the list's order, without ties
 *   templates  hash   template id → slug: uniqueness
 *   slugs      hash   slug → bot id: uniqueness; a slug is never removed
 *   suffixes   hash   base slug → next -n to try
 *   post:<id>  hash   id, url, status_id, changed_at; client, a mark of who added it; state, reason and withdrawn_at,
 *                     if it is hidden or removed
 *   posts      zset   post id → version
 *   withdrawn-posts   zset   id of a hidden or removed post → the position that it comes back to
 *   statuses   hash   status id → post id: uniqueness
 *   changes    zset   bot or post id → version of its last change: what a cached list must refetch
 *   versions   stream <version>-0: the newest 65,536, with no content; a reader of another reads everything again
 *   events     stream the event log: entry <n>-0 is event number n; fields id, type, at (ms), bot (its id), and the
 *                     reason that a removal shows. The rest of an envelope is read from the bot when it is sent
 *   event-ids  zset   event id → n, for catching up by id; trimmed with the log
 *   withdrawn  zset   bot id → the position that it comes back to, for bots that are hidden, removed or waiting for
 *                     approval; one that was never listed comes as the newest; a bot is in exactly one of bots and
 *                     withdrawn
 *   rechecks   hash   where the readings of templates by workers stand: cursor, the position of the last bot that was
 *                     claimed · due_at, when the next is (ms) · paused_until, for a provider that is overloaded (ms)
 *   missing    zset   id of a listed bot whose template was missing → when that is read next (ms)
 *   gone       zset   id of a bot that was withdrawn for that → the same
 *   blocks     hash   kind:value → reason and time, as JSON; of a client, whose value is its mark, until when
 *   reports    hash   `<report id> <bot or post id> <client> <reason>` → `<time (ms)> <text>`, for 180 days; client:
 *                     a mark of who sent it
 *   notices    hash   what the operator was notified of, for `notice-store.ts`: reported (ms) and waiting (a position),
 *                     up to where reports and bots that wait for approval are · refused, how many submissions blocks
 *                     have refused, refused_before, of which the last count began at refused_at (ms) · due_at, when the
 *                     next notice may be sent (ms) · failures, attempts of this one that failed
 *   audit      stream the audit log: a line per entry; the newest 10,000
 *   backups    stream lines of the audit log about exports and imports: they are about this store, so no backup has
 *                     them; the newest 1,000
 *   installs   zset   <bot id>:<visitor> → when it was counted (ms): for 24 hours, and the newest 200,000
 *   signing-key  string  what signs deliveries, if no setting has a key
 *   paused     string while deliveries are paused
 *
 * The note, half of all slots from the directory's: in a Cluster, another node has it.
 *   note       hash   what a process that starts must know of the directory, see `note.ts`: how many bots and posts it
 *                     had, and the acceptance under which they were counted · each setting that must be equal in all
 *                     processes → its value in the last that started
 *
 * bots:rate:<hash of a client>  string  writes in the window of the limit, for as long as it lasts
 *
 * Webhooks: 16 partitions, one hash tag each. A webhook's host determines its partition, so that the script that
 * registers it can enforce the limit per host and the uniqueness of its URL.
 *   urls          hash   canonical URL → webhook id: uniqueness
 *   hosts         hash   host → how many webhooks it has; and how many count towards each other limit, under the names
 *                        of `domain/webhook-shares.ts`
 *   domains       hash   registrable domain → how many webhooks its hosts in this partition have
 *   targets       hash   webhook id → canonical URL
 *   registrants   hash   webhook id → mark of the client that registered it; no backup has it
 *   cursor        zset   webhook id → number of the last event it has, while it is idle or behind
 *   yielded       zset   webhook id → when its last run ended with events left (ms); least recently served first
 *   leased        zset   webhook id → when its lease expires (ms)
 *   waiting       zset   webhook id → when it is tried next (ms)
 *   stopped       set    webhook id
 *   taken         hash   webhook id → number of the last event it has, while it is not in `cursor`; during a lease
 *                        `<number>:<token>`, where the token proves that a process holds the lease
 *   secrets       hash   webhook id → its owner's secret, if there is one; on a second line its headers, as JSON
 *   failures      hash   webhook id → `<failures in a row>:<category of the last>:<own faults in a row>`, if its last
 *                        attempt failed; while the endpoint is probed also `:<probe>`, see `deliveries.ts`; since it
 *                        stopped, `:stopped <ms>` instead
 *   skipped       hash   webhook id → events that it refused and was not sent again, `<event id>:<category>:<ms>`
 *                        each, the newest first, at most ten
 *   attempts      hash   webhook id → its last ten attempts, see `domain/attempt.ts`; no backup has them
 * A webhook is in exactly one of cursor, yielded, leased, waiting and stopped. Nothing else is stored per webhook, so a
 * batch of any size is claimed or settled with a handful of commands. All times are by the store's clock.
 *
 * Webhooks with a subscription of their own (`domain/subscription.ts`) have cursor, yielded, leased, waiting and
 * stopped under own-cursor, …, and:
 *   subscriptions hash   webhook id → its subscription, with its format, and, in further lines, its topics
 *   topics        zset   `<topic>\n<webhook id>`, all with the score 0
 *   asleep        zset   webhook id → number of an event up to which it has all that it wants, for webhooks that wait
 *                        for an event under one of their topics; instead of own-cursor
 *   watermark     string a number of an event: no event up to it is for any webhook that is asleep, so
 *                        that each of them has all up to it, or up to its own number if that is higher
 */
import { createHash } from 'node:crypto';
import type { BotId, PostId } from '../base/ids.ts';

export type KeyType = 'hash' | 'zset' | 'set' | 'stream' | 'string';

/** A type of record in a backup. */
export type RecordType =
  | 'setting'
  | 'signing-key'
  | 'block'
  | 'bot'
  | 'post'
  | 'report'
  | 'event'
  | 'webhook'
  | 'audit';

/**
 * A row of the table of keys. `from`: where its content comes from after an import. Records of this type in a backup;
 * or it is `derived` from them, as `backup/derived.ts` says; or `nowhere`, because it is about one store and a time.
 * `isOfServer`: a server that runs, or a backup, may write it into a store that is empty.
 */
type Row = {
  readonly type: KeyType;
  readonly from: RecordType | 'derived' | 'nowhere';
  readonly isOfServer?: true;
};

/** THE TABLE of the directory's keys. Import, check and rebuild are loops over it, and a test compares the prose. */
export const directoryRows = {
  state: { type: 'hash', from: 'setting', isOfServer: true },
  bots: { type: 'zset', from: 'bot' },
  withdrawn: { type: 'zset', from: 'bot' },
  templates: { type: 'hash', from: 'derived' },
  slugs: { type: 'hash', from: 'derived' },
  suffixes: { type: 'hash', from: 'nowhere' },
  posts: { type: 'zset', from: 'post' },
  withdrawnPosts: { type: 'zset', from: 'post' },
  statuses: { type: 'hash', from: 'derived' },
  changes: { type: 'zset', from: 'derived' },
  versions: { type: 'stream', from: 'nowhere' },
  events: { type: 'stream', from: 'event' },
  eventIds: { type: 'zset', from: 'derived' },
  rechecks: { type: 'hash', from: 'nowhere', isOfServer: true },
  missing: { type: 'zset', from: 'derived' },
  gone: { type: 'zset', from: 'derived' },
  blocks: { type: 'hash', from: 'block' },
  reports: { type: 'hash', from: 'report' },
  notices: { type: 'hash', from: 'nowhere', isOfServer: true },
  audit: { type: 'stream', from: 'audit' },
  backups: { type: 'stream', from: 'nowhere', isOfServer: true },
  installs: { type: 'zset', from: 'nowhere' },
  signingKey: { type: 'string', from: 'signing-key', isOfServer: true },
  paused: { type: 'string', from: 'setting' },
} as const satisfies Readonly<Record<string, Row>>;

/** The row of the note. */
const noteRows = {
  note: { type: 'hash', from: 'nowhere', isOfServer: true },
} as const satisfies Readonly<Record<string, Row>>;

/** The rows of a queue of webhooks. */
const queueRows = {
  cursor: { type: 'zset', from: 'webhook' },
  yielded: { type: 'zset', from: 'nowhere' },
  leased: { type: 'zset', from: 'nowhere' },
  waiting: { type: 'zset', from: 'webhook' },
  stopped: { type: 'set', from: 'webhook' },
} as const satisfies Readonly<Record<string, Row>>;

/** The rows of a partition of webhooks, of which each has a queue, and another one of its own. */
export const partitionRows = {
  urls: { type: 'hash', from: 'derived' },
  hosts: { type: 'hash', from: 'derived' },
  domains: { type: 'hash', from: 'derived' },
  targets: { type: 'hash', from: 'webhook' },
  registrants: { type: 'hash', from: 'nowhere' },
  ...queueRows,
  taken: { type: 'hash', from: 'webhook' },
  secrets: { type: 'hash', from: 'webhook' },
  failures: { type: 'hash', from: 'webhook' },
  skipped: { type: 'hash', from: 'webhook' },
  attempts: { type: 'hash', from: 'nowhere' },
  subscriptions: { type: 'hash', from: 'webhook' },
  topics: { type: 'zset', from: 'derived' },
  asleep: { type: 'zset', from: 'nowhere' },
  watermark: { type: 'string', from: 'nowhere' },
} as const satisfies Readonly<Record<string, Row>>;

type Rows = Readonly<Record<string, Row>>;

/** The keys of rows: `eventIds` is `<prefix>event-ids`. */
const keysOf = <Table extends Rows>(prefix: string, rows: Table) =>
  Object.fromEntries(
    Object.keys(rows).map((name) => [name, prefix + name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)]),
  ) as { readonly [Name in keyof Table]: string };

/** The names of rows that are derived. */
export type Derived<Table extends Rows> = {
  [Name in keyof Table]: Table[Name]['from'] extends 'derived' ? Name : never;
}[keyof Table];

const directory = 'bots:{directory}:';

/** Keys of the directory, its event log and the note. */
export const keys = {
  ...keysOf(directory, directoryRows),
  ...keysOf('bots:{known}:', noteRows),
  bot: (id: BotId) => `${directory}bot:${id}`,
  post: (id: PostId) => `${directory}post:${id}`,
  rateLimitPrefix: 'bots:rate:',
} as const;

/** Where bots and posts are, in the order of their positions: those that are listed, and the others. */
export const lists = {
  bot: [keys.bots, keys.withdrawn],
  post: [keys.posts, keys.withdrawnPosts],
} as const;

/** What an operator moderates. */
export type EntryKind = keyof typeof lists;

/**
 * The keys of a script that moves bots or posts to the list or out of it, in the order of `movingKeys` in
 * `include/move-entry.lua`, and its own.
 */
export const movingKeys = (kind: EntryKind, ...own: string[]): readonly string[] => {
  const { state, changes, events, eventIds, missing, gone } = keys;
  return [state, ...lists[kind], changes, events, eventIds, missing, gone, ...own];
};

/** The number of partitions of webhooks. Fixed: changing it would lose webhooks. */
const partitionCount = 16;

/** Keys of one partition of webhooks. */
export type Partition = ReturnType<typeof partition>;

/** Keys of one queue of webhooks: a partition, or what `ownQueue` makes of it. Each has another number. */
export type Queue = { readonly [Name in keyof Omit<Partition, 'number' | 'isOwn'>]: string } & {
  readonly number: number;
  /** Whether its webhooks have subscriptions of their own. */
  readonly isOwn: boolean;
};

/** The partition with this number, 0 … 15. */
export const partition = (number: number) =>
  ({ number, isOwn: false, ...keysOf(`bots:{webhooks-${number}}:`, partitionRows) }) as const;

/** All partitions, in order. */
export const partitions: readonly Partition[] = Array.from({ length: partitionCount }, (_, number) =>
  partition(number),
);

/** The same keys for the webhooks of a partition that have a subscription of their own, with a queue of their own. */
export const ownQueue = (common: Partition): Queue => ({
  ...common,
  number: common.number + partitionCount,
  isOwn: true,
  ...keysOf(`bots:{webhooks-${common.number}}:own-`, queueRows),
});

/** Everything about one webhook, in the order of `webhookKeys` in `include/webhook.lua`. */
export const webhookKeys = (common: Partition): readonly string[] => {
  const { urls, hosts, domains, targets, secrets, taken, failures, skipped } = common;
  const { subscriptions, topics, asleep, watermark, registrants, attempts } = common;
  return [
    urls,
    hosts,
    domains,
    targets,
    secrets,
    taken,
    failures,
    skipped,
    subscriptions,
    topics,
    asleep,
    watermark,
    registrants,
    attempts,
    ...[common, ownQueue(common)].flatMap((queue) => [
      queue.cursor,
      queue.yielded,
      queue.leased,
      queue.waiting,
      queue.stopped,
    ]),
  ];
};

/** All queues, by number: those of the partitions, then those of webhooks with a subscription of their own. */
export const queues: readonly Queue[] = [...partitions, ...partitions.map(ownQueue)];

/** The partition of every webhook at this host. */
export const partitionOf = (host: string): Partition =>
  partition(createHash('sha256').update(host).digest().readUInt16BE(0) % partitionCount);

/** A key that is in the table: its name there, and its row. */
export type TableKey = Row & { readonly name: string; readonly key: string };

const withRows = (of: Readonly<Record<string, unknown>>, rows: Rows): TableKey[] =>
  Object.entries(rows).map(([name, row]) => ({ ...row, name, key: String(of[name]) }));

/** Every key of a partition, with those of both of its queues. */
export const keysOfPartition = (common: Partition): readonly TableKey[] => [
  ...withRows(common, partitionRows),
  ...withRows(ownQueue(common), queueRows),
];

/** Every key of the table. */
export const allKeys: readonly TableKey[] = [
  ...withRows(keys, directoryRows),
  ...withRows(keys, noteRows),
  ...partitions.flatMap((one) => keysOfPartition(one)),
];
