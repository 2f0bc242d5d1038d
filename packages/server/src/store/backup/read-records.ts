/**
 * The whole store as records of a backup. While others write, each record is consistent, but two may be from different
 * moments.
 */
import type { BotId, PostId } from '../../base/ids.ts';
import { keys, lists, ownQueue, partitions, type Partition, type RecordType } from '../keys.ts';
import { readTogether, scanByScore, scanStream, toScored, type Scored, type Store } from '../../redis/redis.ts';
import { createReportStore, type StoredReport } from '../reports/report-store.ts';
import { splitSecrets } from '../webhooks/webhook-store.ts';
import { sortedFields, type BackupRecord, type RecordOf } from './records.ts';

const pageSize = 500;

type BotFields = RecordOf<'bot'>['fields'];
type ReportFields = RecordOf<'report'>['fields'];

/**
 * What is read first, so that whatever is written meanwhile fits the rest: no event or report whose bot is not there,
 * and no cursor beyond the events.
 */
type Moment = {
  readonly version: number;
  readonly last: number;
  readonly reports: readonly StoredReport[];
  readonly withKeys: boolean;
};

/** How the records of each type are read, in the order of a backup. */
const readers: {
  readonly [Type in RecordType]: (
    store: Store,
    moment: Moment,
  ) => AsyncIterable<RecordOf<Type>> | Iterable<RecordOf<Type>>;
} = {
  setting: settings,
  'signing-key': signingKeys,
  block: blocks,
  bot: bots,
  post: posts,
  report: reports,
  event: events,
  webhook: webhooks,
  audit: async function* (store) {
    for await (const page of scanStream(store, keys.audit))
      for (const [id, entry] of page) yield { type: 'audit', id, entry };
  },
};

/**
 * Reads every record. `withKeys`: includes the signing key, with which anyone can sign in our name, and the secrets and
 * headers of webhooks.
 */
export async function* readRecords(
  store: Store,
  { withKeys }: { readonly withKeys: boolean },
): AsyncGenerator<BackupRecord> {
  const counters = await store.call((redis) => redis.hmget(keys.state, 'version', 'events'));
  const [version = 0, last = 0] = counters.map(Number);
  const moment = { version, last, withKeys, reports: await createReportStore(store).list() };
  for (const read of Object.values(readers)) yield* read(store, moment);
}

async function* settings(store: Store): AsyncGenerator<RecordOf<'setting'>> {
  const [submissions, salt] = await store.call((redis) => redis.hmget(keys.state, 'submissions', 'salt'));
  const paused = await store.call((redis) => redis.get(keys.paused));
  const found = { submissions, salt, paused };
  for (const name of ['submissions', 'salt', 'paused'] as const) {
    const value = found[name];
    if (typeof value === 'string') yield { type: 'setting', name, value };
  }
}

async function* signingKeys(store: Store, { withKeys }: Moment): AsyncGenerator<RecordOf<'signing-key'>> {
  const value = withKeys ? await store.call((redis) => redis.get(keys.signingKey)) : null;
  if (value !== null) yield { type: 'signing-key', value };
}

async function* blocks(store: Store): AsyncGenerator<RecordOf<'block'>> {
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

/** Two lists by position, each page at one instant: a bot or post is in exactly one of them. */
async function* pagesOf(store: Store, lists: readonly string[]): AsyncGenerator<readonly Scored[]> {
  let after = '-inf';
  for (;;) {
    const replies = await readTogether(
      store,
      lists.map((key) => ['ZRANGEBYSCORE', key, after, '+inf', 'WITHSCORES', 'LIMIT', 0, pageSize]),
    );
    const pages = replies.map((flat) => toScored(flat as string[]));
    const ends = pages.flatMap((page) => (page.length < pageSize ? [] : [page.at(-1)?.score ?? Infinity]));
    const end = Math.min(...ends);
    const page = pages.flat().filter(({ score }) => score <= end);
    const last = page.sort((a, b) => a.score - b.score).at(-1);
    if (last === undefined) return;
    yield page;
    after = `(${last.score}`;
  }
}

async function* bots(store: Store, { version }: Moment): AsyncGenerator<RecordOf<'bot'>> {
  // A bot that is listed for the first time meanwhile comes again, as the newest.
  const neverListed = new Set<string>();
  for await (const page of pagesOf(store, lists.bot)) {
    for (const { member, score, fields } of await hashesOf(store, page, (id) => keys.bot(id as BotId))) {
      const comesAgain = Number(fields.event) > Math.max(version, score);
      if (comesAgain || neverListed.has(member)) continue;
      if (fields.event === undefined) neverListed.add(member);
      yield { type: 'bot', position: score, listed: fields.state === undefined, fields: fields as BotFields };
    }
  }
}

async function* posts(store: Store): AsyncGenerator<RecordOf<'post'>> {
  for await (const page of pagesOf(store, lists.post)) {
    for (const { score, fields } of await hashesOf(store, page, (id) => keys.post(id as PostId)))
      yield { type: 'post', position: score, fields: fields as RecordOf<'post'>['fields'] };
  }
}

function* reports(_store: Store, moment: Moment): Generator<RecordOf<'report'>> {
  for (const { id, subject: bot, atMs, ...report } of moment.reports)
    yield { type: 'report', id, fields: sortedFields({ ...report, bot, at: String(atMs) }) as ReportFields };
}

async function* events(store: Store, { last: until }: Moment): AsyncGenerator<RecordOf<'event'>> {
  for await (const whole of scanByScore(store, keys.eventIds)) {
    const page = whole.filter(({ score }) => score <= until);
    const first = page[0];
    const last = page.at(-1);
    if (first === undefined || last === undefined) return;
    const found = await store.call((redis) => redis.xrange(keys.events, `${first.score}-0`, `${last.score}-0`));
    const entries = new Map(found);
    for (const { member, score } of page)
      yield { type: 'event', number: score, id: member, entry: entries.get(`${score}-0`) ?? null };
  }
}

async function* webhooks(store: Store, { withKeys, last }: Moment): AsyncGenerator<RecordOf<'webhook'>> {
  for (const partition of partitions) {
    const ids = (await store.call((redis) => redis.hkeys(partition.targets))).sort();
    for (let i = 0; i < ids.length; i += pageSize)
      for (const record of await webhookPage(store, partition, ids.slice(i, i + pageSize))) {
        const shown = { ...record, cursor: Math.min(record.cursor, last) };
        yield withKeys ? shown : { ...shown, secret: null, headers: null };
      }
  }
}

const webhookPage = async (
  store: Store,
  partition: Partition,
  ids: readonly string[],
): Promise<RecordOf<'webhook'>[]> => {
  const own = ownQueue(partition);
  const columns = {
    url: ['HMGET', partition.targets],
    taken: ['HMGET', partition.taken],
    failures: ['HMGET', partition.failures],
    skipped: ['HMGET', partition.skipped],
    secrets: ['HMGET', partition.secrets],
    cursor: ['ZMSCORE', partition.cursor],
    waits: ['ZMSCORE', partition.waiting],
    subscription: ['HMGET', partition.subscriptions],
    asleep: ['ZMSCORE', partition.asleep],
    ownCursor: ['ZMSCORE', own.cursor],
    ownWaits: ['ZMSCORE', own.waiting],
    stopped: ['SMISMEMBER', partition.stopped],
    ownStopped: ['SMISMEMBER', own.stopped],
  } as const satisfies Record<string, readonly [command: string, key: string]>;
  const commands = Object.values(columns).map(([command, key]) => [command, key, ...ids] as const);
  const replies = await readTogether(store, [...commands, ['GET', partition.watermark]]);
  const watermark = Number(replies.at(-1) ?? 0);
  type Row = Record<keyof typeof columns, string | number | null>;
  const rows = ids.map((_id, i) =>
    Object.fromEntries(Object.keys(columns).map((name, at) => [name, (replies[at] as Row[keyof Row][])[i] ?? null])),
  ) as Row[];
  return rows.flatMap(({ url, taken, stopped, ownStopped, ...row }, i) => {
    const asleep = row.asleep === null ? null : Math.max(Number(row.asleep), watermark);
    // While it is leased, the lease's token follows.
    const position = row.cursor ?? row.ownCursor ?? asleep ?? textOf(taken)?.split(':', 1)[0] ?? null;
    if (url === null || position === null) return [];
    const due = row.waits ?? row.ownWaits;
    const [secret, headers] = splitSecrets(textOf(row.secrets));
    return [
      {
        type: 'webhook' as const,
        partition: partition.number,
        id: ids[i] ?? '',
        url: String(url),
        cursor: Number(position),
        stopped: stopped === 1 || ownStopped === 1,
        waits_until: due === null ? null : Number(due),
        failures: textOf(row.failures),
        skipped: textOf(row.skipped),
        // Its topics follow in further lines.
        subscription: textOf(row.subscription)?.split('\n', 1)[0] ?? null,
        secret: secret || null,
        headers: headers || null,
      },
    ];
  });
};

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value));
