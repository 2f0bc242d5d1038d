/**
 * Writes the records of a backup into an empty store. What they leave out is derived: indexes, counters, the order of
 * changes.
 */
import { subscriptionText, parseSubscription } from '../../domain/subscription.ts';
import type { BotId, PostId, ReportId } from '../../base/ids.ts';
import { newAcceptance } from '../admission/note.ts';
import { allKeys, keys, lists, ownQueue, partition, type RecordType, type TableKey } from '../keys.ts';
import type { RedisClient, Store } from '../../redis/redis.ts';
import { modelVersion } from '../admission/admit.ts';
import { toField, type StoredReport } from '../reports/report-store.ts';
import { joinSecrets } from '../webhooks/webhook-store.ts';
import { checkStore } from './check.ts';
import { textsOfRemoved } from './derived.ts';
import { rebuildStore } from './rebuild.ts';
import { BackupError, type BackupRecord, type RecordOf } from './records.ts';

const batchSize = 500;

/** The store is not empty; nothing was written. */
export class StoreNotEmpty extends Error {
  override readonly name = 'StoreNotEmpty';
}

/** Whether the key has what an operator did, which may be there without a bot, a post or a webhook. */
const isOfOperator = ({ key, from }: TableKey): boolean =>
  from === 'audit' || from === 'setting' || from === 'block' || key === keys.versions;

/** Throws if the store has something of ours, but for what a server that runs or a backup has written about it. */
const refuseContent = async (store: Store): Promise<void> => {
  const hasVersion = (await store.call((redis) => redis.hexists(keys.state, 'version'))) === 1;
  const found: TableKey[] = [];
  for (const one of allKeys)
    if (one.isOfServer !== true && (await store.call((redis) => redis.exists(one.key))) > 0) found.push(one);
  if (!found.every(isOfOperator)) throw new StoreNotEmpty('the store is not empty');
  const names = [...(hasVersion ? ['state'] : []), ...found.map(({ name }) => name)];
  if (names.length > 0)
    throw new StoreNotEmpty(
      `the store has no bot, post or webhook, but ${names.join(', ')}, as of commands since it was emptied: ` +
        'empty it with FLUSHDB, if nothing else is in it, and repeat the import',
    );
};

/**
 * Marks an empty store, so that no server starts on it before the import has ended. A pause comes before any webhook:
 * even a server that runs already sends nothing.
 */
const claim = async (store: Store, isPaused: boolean): Promise<void> => {
  await refuseContent(store);
  if ((await store.call((redis) => redis.hsetnx(keys.state, 'import', 'unfinished'))) !== 1)
    throw new StoreNotEmpty('the store is not empty');
  await store.call((redis) => redis.hset(keys.state, 'model', modelVersion));
  if (isPaused) await store.call((redis) => redis.set(keys.paused, '1'));
};

/**
 * How records are written. `isPaused`: deliveries are paused even if they were not in the backup. `end`: the last step,
 * which removes the mark.
 */
type Writing = {
  readonly isPaused: boolean;
  readonly onProgress: (count: number) => void;
  readonly end: (count: number) => Promise<void>;
};

/** Whether a record is of what a directory is there for. A backup of an emptied store has none. */
const isContent = ({ type }: BackupRecord): boolean => type === 'bot' || type === 'post' || type === 'webhook';

/**
 * Writes records in their order, in batches, and checks what came of them. From the first record until `end` removes
 * the mark, the store is unfinished. Throws StoreNotEmpty, or BackupError if the records do not fit together.
 */
export const writeRecords = async (
  store: Store,
  records: AsyncIterable<BackupRecord>,
  { isPaused, onProgress, end }: Writing,
): Promise<number> => {
  const tally = new Tally();
  let count = 0;
  let batch: BackupRecord[] = [];
  // Claimed once there is something to restore: another file leaves the store as it is.
  let isClaimed = false;
  const flush = async (): Promise<void> => {
    await store.call((redis) => Promise.all(batch.flatMap((record) => writeRecord(redis, record))));
    count += batch.length;
    batch = [];
    onProgress(count);
  };
  for await (const record of records) {
    tally.add(record);
    batch.push(record);
    if (!isClaimed && isContent(record)) {
      await claim(store, isPaused);
      isClaimed = true;
    }
    if (isClaimed && batch.length >= batchSize) await flush();
  }
  if (!isClaimed) throw new BackupError('the backup has no bot, no post and no webhook: nothing was imported');
  await flush();
  await finish(store, tally);
  await end(count);
  return count;
};

/** Leaves out what is not kept of what an operator removed: the first backups have it. */
const withoutTexts = <Fields extends Readonly<Record<string, string>>>(fields: Fields): Fields => {
  const left = textsOfRemoved(fields);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.includes(name))) as Fields;
};

/** What there is of each, and the highest numbers. `announced`: of the events that all webhooks are sent. */
class Tally {
  readonly counts: Partial<Record<BackupRecord['type'], number>> = {};
  version = 0;
  event = 0;
  announced = 0;
  #cursor = 0;
  #audit: readonly [ms: number, sequence: number] = [-1, 0];

  add(record: BackupRecord): void {
    this.counts[record.type] = (this.counts[record.type] ?? 0) + 1;
    if (record.type === 'bot' || record.type === 'post') this.version = Math.max(this.version, record.position);
    if (record.type === 'event') this.#addEvent(record);
    if (record.type === 'webhook') this.#addCursor(record);
    if (record.type === 'audit') this.#addAudit(record);
  }

  /** The number of the last event. Of a log that is empty, because all were too old, the webhooks know it. */
  get last(): number {
    return this.event === 0 ? this.#cursor : this.event;
  }

  #addCursor({ id, cursor, subscription }: RecordOf<'webhook'>): void {
    if (this.event > 0 && cursor > this.event)
      throw new BackupError(`the cursor of webhook ${id} is after the last event`);
    this.#cursor = Math.max(this.#cursor, cursor);
    if (subscription === null) this.announced = Math.max(this.announced, cursor);
  }

  #addEvent({ number, id, entry }: RecordOf<'event'>): void {
    if (number <= this.event) throw new BackupError(`event ${id} is not in its order`);
    this.event = number;
    if (entry?.[entry.indexOf('type') + 1] === 'bot.created') this.announced = Math.max(this.announced, number);
  }

  #addAudit({ id }: RecordOf<'audit'>): void {
    const [ms = 0, sequence = 0] = id.split('-').map(Number);
    const [lastMs, lastSequence] = this.#audit;
    if (ms < lastMs || (ms === lastMs && sequence <= lastSequence))
      throw new BackupError(`line ${id} of the audit log is not in its order`);
    this.#audit = [ms, sequence];
  }
}

const finish = async (store: Store, tally: Tally): Promise<void> => {
  const blocks = await store.call((redis) => redis.hlen(keys.blocks));
  const { last } = tally;
  const announced = Math.min(tally.announced, last);
  const version = Math.max(tally.version, last);
  await store.call((redis) =>
    redis.hset(keys.state, {
      version,
      urgent: version,
      events: last,
      announced,
      acceptance: newAcceptance(),
      ...(blocks === 0 ? {} : { blocks: 1 }),
    }),
  );
  // Responses of a former store may have been dated later than all that was restored.
  await store.script('begin-epoch', [keys.state], ['import']);
  await checkWritten(store, tally.counts);
};

/** Where each record of a type has its place. */
const placesOfRecords = (type: RecordType): readonly TableKey[] =>
  allKeys.filter(({ from, name }) => (type === 'webhook' ? name === 'targets' : from === type));

/** Finds duplicate records, which overwrite the first. Any other mismatch is a broken invariant. */
const checkWritten = async (store: Store, counts: Tally['counts']): Promise<void> => {
  for (const type of ['bot', 'post', 'report', 'block', 'webhook'] as const) {
    let found = 0;
    for (const { key, type: kind } of placesOfRecords(type))
      found += await store.call((redis) => (kind === 'hash' ? redis.hlen(key) : redis.zcard(key)));
    if (found !== (counts[type] ?? 0)) throw new BackupError(`a record of type ${type} is there twice`);
  }
  await rebuildStore(store);
  const [first] = await checkStore(store);
  if (first !== undefined) throw new BackupError(`the backup is damaged: ${first.what}`);
};

/** How a record is restored. What its content derives is rebuilt afterwards. */
const writers: {
  readonly [Type in RecordType]: (redis: RedisClient, record: RecordOf<Type>) => Promise<unknown>[];
} = {
  setting: (redis, { name, value }) => [
    name === 'paused' ? redis.set(keys.paused, value) : redis.hset(keys.state, name, value),
  ],
  'signing-key': (redis, { value }) => [redis.set(keys.signingKey, value)],
  block: (redis, { key, value }) => [redis.hset(keys.blocks, key, value)],
  bot: (redis, { position, listed, fields }) => [
    redis.hset(keys.bot(fields.id as BotId), withoutTexts(fields)),
    redis.zadd(lists.bot[listed ? 0 : 1], position, fields.id),
  ],
  post: (redis, { position, fields }) => [
    redis.hset(keys.post(fields.id as PostId), withoutTexts(fields)),
    redis.zadd(lists.post[fields.state === undefined ? 0 : 1], position, fields.id),
  ],
  report: (redis, record) => [redis.hset(keys.reports, ...reportField(record))],
  // One of an older format that was taken away has no entry.
  event: (redis, { number, id, entry }) => [
    entry === null ? redis.zadd(keys.eventIds, number, id) : redis.xadd(keys.events, `${number}-0`, ...entry),
  ],
  webhook: (redis, record) => writeWebhook(redis, record),
  audit: (redis, { id, entry }) => [redis.xadd(keys.audit, id, ...entry)],
};

const writeRecord = <Type extends RecordType>(redis: RedisClient, record: RecordOf<Type>) =>
  writers[record.type](redis, record);

const reportField = ({ id, fields }: RecordOf<'report'>): [name: string, value: string] =>
  toField({
    id: id as ReportId,
    subject: fields.bot as BotId | PostId,
    client: fields.client ?? '',
    reason: (fields.reason ?? '') as StoredReport['reason'],
    atMs: Number(fields.at),
    text: fields.text ?? '',
  });

const writeWebhook = (redis: RedisClient, record: RecordOf<'webhook'>): Promise<unknown>[] => {
  const { id, url, subscription, cursor: position } = record;
  const common = partition(record.partition);
  const { targets, taken, failures, skipped, subscriptions, secrets } = common;
  const { cursor, waiting, stopped } = subscription === null ? common : ownQueue(common);
  const own = parseSubscription(subscription);
  const isIdle = !record.stopped && record.waits_until === null;
  const hasKeys = record.secret !== null || record.headers !== null;
  return [
    redis.hset(targets, id, url),
    isIdle ? redis.zadd(cursor, position, id) : redis.hset(taken, id, position),
    ...(record.stopped ? [redis.sadd(stopped, id)] : []),
    ...(record.waits_until === null ? [] : [redis.zadd(waiting, record.waits_until, id)]),
    ...(record.failures === null ? [] : [redis.hset(failures, id, record.failures)]),
    ...(record.skipped === null ? [] : [redis.hset(skipped, id, record.skipped)]),
    ...(hasKeys ? [redis.hset(secrets, id, joinSecrets(record.secret ?? '', record.headers ?? ''))] : []),
    ...(own === undefined ? [] : [redis.hset(subscriptions, id, subscriptionText(own))]),
  ];
};
