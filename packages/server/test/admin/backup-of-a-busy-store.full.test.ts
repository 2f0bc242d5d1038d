/** A backup can be made of a store that is full, read-only or being written to, and what it holds fits together. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { backupCommands } from '../../src/admin/backup-commands.ts';
import { readRecords } from '../../src/store/backup/read-records.ts';
import { backupLines, type BackupRecord } from '../../src/store/backup/records.ts';
import { keys, partitionOf } from '../../src/store/keys.ts';
import { createModerationStore } from '../../src/store/moderation/moderation-store.ts';
import type { Store } from '../../src/redis/redis.ts';

let operator: ReturnType<typeof operatorOf>;
let redis: Redis;
let copies: TestRedis;
let redisOfCopies: Redis;
let store: Store;
let dir: string;
const service = useStarted(() => startDelivery({ settings: { APPROVE_FIRST: 'true' } }));
beforeAll(async () => {
  operator = operatorOf(service.redis?.url ?? '', service.url);
  redis = new Redis(service.redis?.url ?? '');
  copies = await startTestRedis();
  redisOfCopies = new Redis(copies.url);
  store = await openTestStore(service.redis?.url ?? '');
  dir = mkdtempSync(join(tmpdir(), 'bot-directory-busy-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await store.close();
  redis.disconnect();
  redisOfCopies.disconnect();
  await copies.stop();
});

const recordsOf = async (from: Store): Promise<BackupRecord[]> => {
  const all = [];
  for await (const record of readRecords(from, { withKeys: true })) all.push(record);
  return all;
};

/** Imports a backup into an empty store, and expects that a backup of this store is the same. */
const expectRestorable = async (file: string): Promise<void> => {
  await redisOfCopies.flushall();
  const other = operatorOf(copies.url);
  await other.run('import', file, '--resume', '--with-keys');
  expect(await other.run('check')).toEqual([]);
  await other.run('export', '--with-keys', '--file', `${file}.again`);
  expect(readFileSync(`${file}.again`, 'utf8')).toBe(readFileSync(file, 'utf8'));
};

it('is made of a store that is full, and of one that takes no writes', async () => {
  await service.publish('Full');
  for (const [name, isAudited] of [
    ['maxmemory', true],
    ['min-replicas-to-write', false],
  ] as const) {
    const file = join(dir, `${name}.ndjson`);
    await redis.config('SET', name, '1');
    try {
      const { code, output } = await operator.attempt('export', '--with-keys', '--file', file);
      expect([code, output.includes('not in the audit log')]).toEqual([0, !isAudited]);
    } finally {
      await redis.config('SET', name, '0');
    }
    await expectRestorable(file);
  }
});

it.each(['before', 'after'])(
  'has a bot once that came %s it began, and is listed while its page is read',
  async (when) => {
    const submit = () => service.publish(`Came ${when}`);
    let slug = when === 'before' ? await submit() : undefined;
    let isListed = false;
    const meddled: Store = {
      ...store,
      script: async (...input) => {
        slug ??= await submit();
        const reply = await store.script(...input);
        if (!isListed) await operator.run('restore', slug);
        isListed = true;
        return reply;
      },
    };
    const bots = (await recordsOf(meddled)).filter((one) => one.type === 'bot');
    const position = Number(await redis.zscore(keys.bots, (await redis.hget(keys.slugs, slug ?? '')) ?? ''));
    expect(bots.filter(({ fields }) => fields.slug === slug)).toMatchObject([{ listed: true, position }]);
  },
);

/** Returns writes of every kind that may happen during a backup. Each finds what it needs. */
const writes = (): (() => Promise<unknown>)[] => {
  let n = 0;
  const paths: string[] = [];
  const one = async (...states: string[]): Promise<string> => {
    const found = await operator.run<{ slug: string }[]>('bots', '--limit', '9999', '--state', ...states);
    return found[(n += 1) % found.length]?.slug ?? '';
  };
  return [
    () => service.publish(`Waiting ${(n += 1)}`),
    async () => operator.run('restore', await one('pending')),
    async () => operator.run('hide', await one('listed')),
    async () => {
      const slug = await service.publish(`Reported ${(n += 1)}`);
      await operator.run('restore', slug);
      await service.post(`/api/bots/${slug}/reports`, { reason: 'spam' });
    },
    async () => operator.run('remove', await one('listed'), '--reason', 'Spam.'),
    async () => operator.run('restore', await one('hidden', 'removed')),
    async () => operator.run('reports', 'close', await one('listed')),
    async () => service.post(`/api/bots/${await one('listed')}/integrations`, { integrations: [`zoom-${(n += 1)}`] }),
    () => service.post('/api/feed', { url: `https://x.com/ada/status/${(n += 1)}` }),
    () => service.register(paths[paths.push(`/hook/${(n += 1)}`) - 1]),
    () => service.register(paths[paths.push(`/hook/${(n += 1)}`) - 1]),
    () => service.api('DELETE', '/api/webhooks/bots', { body: { url: service.receiver.url(paths.shift()) } }),
    () => operator.run('block', 'words', `casino ${(n += 1)}`),
    () => operator.run('deliveries', n % 2 === 0 ? 'pause' : 'resume'),
  ];
};

/** Wraps the store: something happens before one of its reads. Reads that begin together are one; `reads` counts. */
const meddledBefore = (read: number, happen: () => Promise<unknown>): { store: Store; reads: () => number } => {
  let reads = 0;
  let hasBegun = false;
  let happening = Promise.resolve<unknown>(undefined);
  const before = (): Promise<unknown> => {
    if (!hasBegun) {
      reads += 1;
      if (reads === read) happening = happen();
      queueMicrotask(() => (hasBegun = false));
    }
    hasBegun = true;
    return happening;
  };
  return {
    store: {
      ...store,
      call: (use) => before().then(() => store.call(use)),
      script: (...input) => before().then(() => store.script(...input)),
    },
    reads: () => reads,
  };
};

/** Expects no event about a bot that the backup does not have. */
const expectBotsOfEvents = (file: string): void => {
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as BackupRecord);
  const ids = records.flatMap((record) => (record.type === 'bot' ? [record.fields.id] : []));
  const reported = records.flatMap((record) => {
    if (record.type !== 'event' || record.entry === null) return [];
    return [record.entry[record.entry.indexOf('bot') + 1] ?? ''];
  });
  expect(reported.filter((id) => !ids.includes(id))).toEqual([]);
};

// It makes and restores a backup for each of about 40 points in time.
const timeout = 300_000;

it('fits together, whatever is written between any two of its reads', { timeout }, async () => {
  const each = writes();
  const all = async (): Promise<void> => {
    for (const write of each) await write();
  };
  for (let i = 0; i < 8; i += 1) await service.publish(`First ${i}`);
  await operator.run('restore', 'first-0', 'first-1', 'first-2', 'first-3');
  await all();
  // The later reads are of partitions, all alike.
  for (let read = 1; ; read += read < 20 ? 1 : 13) {
    const file = join(dir, `busy-${read}.ndjson`);
    const meddled = meddledBefore(read, all);
    await writeFile(file, backupLines(readRecords(meddled.store, { withKeys: true })));
    if (meddled.reads() < read) break;
    expectBotsOfEvents(file);
    await expectRestorable(file);
  }
});

it.each([
  [1, true],
  [3, false],
])('is of one moment unless bots changed during each of three attempts: %i', async (disturbed, isOneMoment) => {
  let times = 0;
  const meddled: Store = {
    ...store,
    script: async (...input) => {
      const reply = await store.script(...input);
      // The first page of bots, which is read once in each attempt.
      const [name, read, args] = input;
      const isFirstPage = name === 'read-together' && read.includes(keys.bots) && args.includes('-inf');
      if (isFirstPage && (times += 1) <= disturbed) await service.publish(`During ${disturbed}, ${times}`);
      return reply;
    },
  };
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const terminal = { json: true, yes: true, out: say, progress: say, warn: say, fail: () => undefined };
  const moderation = createModerationStore(store);
  const commands = backupCommands({ store: meddled, moderation, operator: { name: 'a', command: 'b' }, terminal });
  await commands.backup(dir, { keep: 1, withKeys: true });
  const { file, one_moment } = JSON.parse(said.join('')) as { file: string; one_moment: boolean };
  expect(one_moment).toBe(isOneMoment);
  await expectRestorable(file);
});

it('has every webhook, although all are leased and returned again and again', async () => {
  const count = 500;
  const { urls, targets, cursor, taken, leased } = partitionOf('hooks.example.com');
  const ids = Array.from({ length: count }, (_, i) => `wh_${String(i).padStart(26, '0')}`);
  for (const id of ids) {
    const url = `https://hooks.example.com/${id}`;
    await redis.multi().hset(urls, url, id).hset(targets, id, url).zadd(cursor, 0, id).exec();
  }
  const all = ids.flatMap((id) => ['0', id]);
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) {
      await redis
        .multi()
        .zrem(cursor, ...ids)
        .zadd(leased, ...all)
        .hset(taken, ...ids.flatMap((id) => [id, '0:t']))
        .exec();
      await redis
        .multi()
        .zrem(leased, ...ids)
        .hdel(taken, ...ids)
        .zadd(cursor, ...all)
        .exec();
    }
  };
  const working = work();
  try {
    for (let i = 0; i < 5; i += 1)
      expect((await recordsOf(store)).filter((one) => one.type === 'webhook' && ids.includes(one.id))).toHaveLength(
        count,
      );
  } finally {
    isOver = true;
    await working;
    await redis.del(urls, targets, cursor, taken, leased);
  }
});
