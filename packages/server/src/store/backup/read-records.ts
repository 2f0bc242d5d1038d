/**
 * The whole store as records of a backup. While others write, each record is consistent, but two may be from different
 * moments.
 */
import type { BotId, PostId, ReportId } from '../../base/ids.ts';
import { keys, partitions, type Partition } from '../keys.ts';
import type { Store } from '../redis.ts';
import { scanByScore, scanStream, type Scored } from '../scan.ts';
import { sortedFields, type BackupRecord, type RecordOf } from './records.ts';

const pageSize = 500;

/**
 * Reads every record. `withKeys`: includes the signing key and the webhooks' secrets, with which anyone can sign in our
 * name.
 */
export async function* readRecords(
  store: Store,
  { withKeys }: { readonly withKeys: boolean },
): AsyncGenerator<BackupRecord> {
  yield* settings(store, withKeys);
  yield* blocks(store);
  yield* bots(store, true);
  yield* bots(store, false);
  yield* posts(store);
  yield* reports(store);
  yield* events(store);
  for (const partition of partitions) yield* webhooks(store, partition, withKeys);
  for await (const page of scanStream(store, keys.audit)) {
    for (const [id, entry] of page) yield { type: 'audit', id, entry };
  }
}

async function* settings(store: Store, withKeys: boolean): AsyncGenerator<BackupRecord> {
  const [submissions, salt] = await store.call((redis) => redis.hmget(keys.state, 'submissions', 'salt'));
  const paused = await store.call((redis) => redis.get(keys.paused));
  const found = { submissions, salt, paused };
  for (const name of ['submissions', 'salt', 'paused'] as const) {
    const value = found[name];
    if (typeof value === 'string') yield { type: 'setting', name, value };
  }
  const signingKey = withKeys ? await store.call((redis) => redis.get(keys.signingKey)) : null;
  if (signingKey !== null) yield { type: 'signing-key', value: signingKey };
}

async function* blocks(store: Store): AsyncGenerator<BackupRecord> {
  const found = await store.call((redis) => redis.hgetall(keys.blocks));
  for (const [key, value] of Object.entries(sortedFields(found))) yield { type: 'block', key, value };
}

/** The hashes of a page of ids, in order, without those deleted meanwhile. */
const hashesOf = async (
  store: Store,
  page: readonly Scored[],
  keyOf: (id: string) => string,
): Promise<{ readonly score: number; readonly member: string; readonly fields: Record<string, string> }[]> => {
  const hashes = await Promise.all(page.map(({ member }) => store.call((redis) => redis.hgetall(keyOf(member)))));
  return page.flatMap(({ member, score }, i) => {
    const fields = sortedFields(hashes[i] ?? {});
    return Object.keys(fields).length === 0 ? [] : [{ member, score, fields }];
  });
};

async function* bots(store: Store, listed: boolean): AsyncGenerator<RecordOf<'bot'>> {
  for await (const page of scanByScore(store, listed ? keys.bots : keys.withdrawn)) {
    for (const { score, fields } of await hashesOf(store, page, (id) => keys.bot(id as BotId))) {
      yield { type: 'bot', position: score, listed, fields };
    }
  }
}

async function* posts(store: Store): AsyncGenerator<RecordOf<'post'>> {
  for await (const page of scanByScore(store, keys.posts)) {
    for (const { score, fields } of await hashesOf(store, page, (id) => keys.post(id as PostId))) {
      yield { type: 'post', position: score, fields };
    }
  }
}

/** All at once: they are few, and two may have the same millisecond. */
async function* reports(store: Store): AsyncGenerator<RecordOf<'report'>> {
  const ids = (await store.call((redis) => redis.zrange(keys.reports, '0', '-1'))).sort();
  const page = ids.map((member) => ({ member, score: 0 }));
  for (const { member, fields } of await hashesOf(store, page, (id) => keys.report(id as ReportId))) {
    yield { type: 'report', id: member, fields };
  }
}

async function* events(store: Store): AsyncGenerator<RecordOf<'event'>> {
  for await (const page of scanByScore(store, keys.eventIds)) {
    const [first, last] = [page[0], page.at(-1)];
    if (first === undefined || last === undefined) continue;
    const entries = new Map(
      await store.call((redis) => redis.xrange(keys.events, `${first.score}-0`, `${last.score}-0`)),
    );
    const withheld = new Set(await store.call((redis) => redis.zrangebyscore(keys.withheld, first.score, last.score)));
    for (const { member, score } of page) {
      const entry = entries.get(`${score}-0`) ?? null;
      yield { type: 'event', number: score, id: member, withheld: withheld.has(member), entry };
    }
  }
}

async function* webhooks(store: Store, partition: Partition, withKeys: boolean): AsyncGenerator<RecordOf<'webhook'>> {
  const ids = (await store.call((redis) => redis.hkeys(partition.targets))).sort();
  for (let i = 0; i < ids.length; i += pageSize) {
    for (const record of await webhookPage(store, partition, ids.slice(i, i + pageSize))) {
      yield withKeys ? record : { ...record, secret: null };
    }
  }
}

const webhookPage = async (
  store: Store,
  partition: Partition,
  ids: readonly string[],
): Promise<RecordOf<'webhook'>[]> => {
  const { targets, taken, failures, secrets, cursor, waiting, stopped } = partition;
  const [urls, positions, failed, kept, cursors, waits, stops] = await store.call((redis) =>
    Promise.all([
      redis.hmget(targets, ...ids),
      redis.hmget(taken, ...ids),
      redis.hmget(failures, ...ids),
      redis.hmget(secrets, ...ids),
      redis.zmscore(cursor, ...ids),
      redis.zmscore(waiting, ...ids),
      redis.smismember(stopped, ...ids),
    ]),
  );
  return ids.flatMap((id, i) => {
    const url = urls[i] ?? null;
    // While it is leased, the lease's token follows.
    const position = cursors[i] ?? positions[i]?.split(':', 1)[0] ?? null;
    if (url === null || position === null) return [];
    const due = waits[i] ?? null;
    return [
      {
        type: 'webhook' as const,
        partition: partition.number,
        id,
        url,
        cursor: Number(position),
        stopped: stops[i] === 1,
        waits_until: due === null ? null : Number(due),
        failures: failed[i] ?? null,
        secret: kept[i] ?? null,
      },
    ];
  });
};
