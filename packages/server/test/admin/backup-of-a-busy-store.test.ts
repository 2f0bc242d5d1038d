/** A backup can be made of a store that is full, read-only or being written to, and what it holds fits together. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { readRecords } from '../../src/store/backup/read-records.ts';
import type { BackupRecord } from '../../src/store/backup/records.ts';
import { keys, partitionOf } from '../../src/store/keys.ts';
import { openStore, waitForStore, type Store } from '../../src/store/redis.ts';
import { operatorOf } from '../support/operator.ts';
import { startTestRedis } from '../support/redis.ts';
import { startService, type Service } from '../support/service.ts';

let service: Service;
let operator: ReturnType<typeof operatorOf>;
let redis: Redis;
let store: Store;
let dir: string;
beforeAll(async () => {
  service = await startService({ settings: { APPROVE_FIRST: 'true' } });
  operator = operatorOf(service.redis?.url ?? '', service.url);
  redis = new Redis(service.redis?.url ?? '');
  store = openStore([service.redis?.url ?? ''], createLog('silent'));
  await waitForStore(store, 5_000);
  dir = mkdtempSync(join(tmpdir(), 'bot-directory-busy-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await store.close();
  redis.disconnect();
  await service.stop();
});

const recordsOf = async (from: Store): Promise<BackupRecord[]> => {
  const all = [];
  for await (const record of readRecords(from, { withKeys: true })) all.push(record);
  return all;
};

/** Imports a backup, and compares the backup of what came of it. */
const expectRestorable = async (file: string): Promise<void> => {
  const empty = await startTestRedis();
  const other = operatorOf(empty.url);
  await other.run('import', file);
  expect(await other.run('check')).toEqual([]);
  await other.run('export', '--with-keys', '--file', `${file}.again`);
  expect(readFileSync(`${file}.again`, 'utf8')).toBe(readFileSync(file, 'utf8'));
  await empty.stop();
};

it('is made of a store that is full, and of one that takes no writes', async () => {
  await service.publish('Full');
  for (const [name, value, usual] of [
    ['maxmemory', '1', '0'],
    ['min-replicas-to-write', '1', '0'],
  ] as const) {
    const file = join(dir, `${name}.ndjson`);
    await redis.config('SET', name, value);
    try {
      await operator.run('export', '--with-keys', '--file', file);
    } finally {
      await redis.config('SET', name, usual);
    }
    await expectRestorable(file);
  }
});

it('has a bot once that is listed for the first time while its page is read', async () => {
  const slug = await service.publish('Approved Meanwhile');
  let isApproved = false;
  const meddled: Store = {
    ...store,
    script: async (...input) => {
      const reply = await store.script(...input);
      if (!isApproved) {
        isApproved = true;
        await operator.run('restore', slug);
      }
      return reply;
    },
  };
  const found = (await recordsOf(meddled)).filter((one) => one.type === 'bot' && one.fields.slug === slug);
  const position = Number(await redis.zscore(keys.bots, (await redis.hget(keys.slugs, slug)) ?? ''));
  expect(found).toMatchObject([{ listed: true, position }]);
});

it('has every webhook, though each is leased and handed back all the time', { timeout: 60_000 }, async () => {
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
    for (let i = 0; i < 20; i += 1)
      expect((await recordsOf(store)).filter(({ type }) => type === 'webhook')).toHaveLength(count);
  } finally {
    isOver = true;
    await working;
    await redis.del(urls, targets, cursor, taken, leased);
  }
});
