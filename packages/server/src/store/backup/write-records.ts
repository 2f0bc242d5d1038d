/**
 * Writes the records of a backup into an empty store. What they leave out is derived: indexes, counters, the order of
 * changes.
 */
import { registrableDomain } from '../../domain/registrable-domain.ts';
import type { BotId, PostId, ReportId } from '../../base/ids.ts';
import { keys, partition } from '../keys.ts';
import type { RedisClient, Store } from '../redis.ts';
import { modelVersion } from '../model-version.ts';
import type { BackupRecord, RecordOf } from './records.ts';
import { hostOf, indexBot, indexPost } from './derive.ts';

const batchSize = 500;

/** The store is not empty; nothing was written. */
export class StoreNotEmpty extends Error {
  override readonly name = 'StoreNotEmpty';
}

/** Whether the store is empty: the state of the directory and every partition. */
const isEmpty = async (store: Store): Promise<boolean> => {
  const directory = await store.call((redis) =>
    redis.exists(keys.state, keys.events, keys.bots, keys.withdrawn, keys.posts, keys.audit, keys.blocks),
  );
  if (directory > 0) return false;
  for (let number = 0; number < 16; number += 1) {
    if ((await store.call((redis) => redis.exists(partition(number).targets))) > 0) return false;
  }
  return true;
};

/**
 * Writes records in their order, in batches. Until it is done, the store is marked as unfinished and no server starts
 * on it. Throws StoreNotEmpty.
 */
export const writeRecords = async (
  store: Store,
  records: AsyncIterable<BackupRecord>,
  onProgress: (count: number) => void = () => undefined,
): Promise<number> => {
  if (!(await isEmpty(store))) throw new StoreNotEmpty('the store is not empty');
  await store.call((redis) => redis.hset(keys.state, 'import', 'unfinished', 'model', modelVersion));
  const highest = { version: 0, event: 0, announced: 0 };
  let count = 0;
  let batch: BackupRecord[] = [];
  const flush = async (): Promise<void> => {
    await store.call((redis) => Promise.all(batch.flatMap((record) => writeRecord(redis, record))));
    count += batch.length;
    batch = [];
    onProgress(count);
  };
  for await (const record of records) {
    if (record.type === 'bot' || record.type === 'post') highest.version = Math.max(highest.version, record.position);
    if (record.type === 'event') {
      highest.event = Math.max(highest.event, record.number);
      if (!record.withheld) highest.announced = Math.max(highest.announced, record.number);
    }
    batch.push(record);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  await finish(store, highest);
  return count;
};

const finish = async (store: Store, highest: { version: number; event: number; announced: number }): Promise<void> => {
  const blocks = await store.call((redis) => redis.hlen(keys.blocks));
  await store.call((redis) =>
    redis.hset(keys.state, {
      version: highest.version,
      urgent: highest.version,
      events: highest.event,
      announced: highest.announced,
      ...(blocks === 0 ? {} : { blocks: 1 }),
    }),
  );
  await store.call((redis) => redis.hdel(keys.state, 'import'));
};

/** The commands that restore one record. */
const writeRecord = (redis: RedisClient, record: BackupRecord): Promise<unknown>[] => {
  switch (record.type) {
    case 'setting':
      return [
        record.name === 'paused'
          ? redis.set(keys.paused, record.value)
          : redis.hset(keys.state, record.name, record.value),
      ];
    case 'signing-key':
      return [redis.set(keys.signingKey, record.value)];
    case 'block':
      return [redis.hset(keys.blocks, record.key, record.value)];
    case 'bot':
      return writeBot(redis, record);
    case 'post':
      return [
        redis.hset(keys.post(record.fields.id as PostId), record.fields),
        redis.zadd(keys.posts, record.position, record.fields.id ?? ''),
        redis.zadd(keys.changes, record.position, record.fields.id ?? ''),
        ...indexPost(redis, record.fields),
      ];
    case 'report':
      return [
        redis.hset(keys.report(record.id as ReportId), record.fields),
        redis.zadd(keys.reports, record.fields.at ?? 0, record.id),
        redis.zadd(keys.reportsOf(record.fields.bot as BotId), record.fields.at ?? 0, record.id),
      ];
    case 'event':
      return [
        redis.zadd(keys.eventIds, record.number, record.id),
        ...(record.withheld ? [redis.zadd(keys.withheld, record.number, record.id)] : []),
        ...(record.entry === null ? [] : [redis.xadd(keys.events, `${record.number}-0`, ...record.entry)]),
      ];
    case 'webhook':
      return writeWebhook(redis, record);
    case 'audit':
      return [redis.xadd(keys.audit, record.id, ...record.entry)];
  }
};

const writeBot = (redis: RedisClient, { position, listed, fields }: RecordOf<'bot'>): Promise<unknown>[] => [
  redis.hset(keys.bot(fields.id as BotId), fields),
  redis.zadd(listed ? keys.bots : keys.withdrawn, position, fields.id ?? ''),
  redis.zadd(keys.changes, position, fields.id ?? ''),
  ...indexBot(redis, fields),
];

const writeWebhook = (redis: RedisClient, record: RecordOf<'webhook'>): Promise<unknown>[] => {
  const { id, url, cursor: position } = record;
  const { urls, hosts, domains, targets, cursor, waiting, stopped, taken, failures, secrets } = partition(
    record.partition,
  );
  const isIdle = !record.stopped && record.waits_until === null;
  return [
    redis.hset(urls, url, id),
    redis.hset(targets, id, url),
    redis.hincrby(hosts, hostOf(url), 1),
    redis.hincrby(domains, registrableDomain(hostOf(url)), 1),
    isIdle ? redis.zadd(cursor, position, id) : redis.hset(taken, id, position),
    ...(record.stopped ? [redis.sadd(stopped, id)] : []),
    ...(record.waits_until === null ? [] : [redis.zadd(waiting, record.waits_until, id)]),
    ...(record.failures === null ? [] : [redis.hset(failures, id, record.failures)]),
    ...(record.secret === null ? [] : [redis.hset(secrets, id, record.secret)]),
  ];
};
