/** `check` finds each way in which the data of keys.ts can be wrong, and `rebuild` repairs what can be derived. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import type { BotId, PostId } from '../../src/base/ids.ts';
import { keys, ownQueue, partitions, type Partition } from '../../src/store/keys.ts';
import { faultsOfQueues } from '../chaos/check-queues.ts';

let redis: Redis;
let dir: string;
let to: ReturnType<typeof operatorOf>;
let partition: Partition;
let webhook: string;
let url: string;
/** Every key of a store in which nothing is wrong, with its DUMP. */
const sound: [key: string, value: Buffer][] = [];

const idOf = async (slug: string): Promise<string> => (await redis.hget(keys.slugs, slug)) ?? '';
const botKey = async (slug: string): Promise<string> => keys.bot((await idOf(slug)) as BotId);

const source = useStarted(startDelivery);
const store = useStarted(startTestRedis);
beforeAll(async () => {
  redis = new Redis(store.url);
  dir = mkdtempSync(join(tmpdir(), 'bot-directory-check-'));
  to = operatorOf(store.url);
  const from = operatorOf(source.redis?.url ?? '', source.url);
  await source.register('/hook');
  for (const name of ['First', 'Second', 'Third']) await source.publish(name);
  await source.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  await source.post('/api/bots/first/reports', { reason: 'spam' });
  await from.run('edit', 'second', '--author', '@ada');
  await from.run('hide', 'third');
  await from.run('block', 'words', 'casino');
  await until('nothing is pending', async () => (await source.status('/hook')).pending_events === 0);
  await from.run('export', '--with-keys', '--file', join(dir, 'backup.ndjson'));
  await to.run('import', join(dir, 'backup.ndjson'), '--resume', '--with-keys');
  expect(await to.run('check')).toEqual([]);
  for (const one of partitions) {
    const [found] = Object.entries(await redis.hgetall(one.targets));
    if (found !== undefined) [partition, webhook, url] = [one, ...found];
  }
  for (const key of await redis.keys('*')) sound.push([key, await redis.dumpBuffer(key)]);
});
beforeEach(async () => {
  await redis.flushall();
  await Promise.all(sound.map(([key, value]) => redis.restore(key, 0, value)));
});
afterAll(() => {
  redis.disconnect();
  rmSync(dir, { recursive: true });
});

type Planted = [what: string, plant: () => Promise<unknown>, found: RegExp];

const derived: Planted[] = [
  ['a slug is missing', () => redis.hdel(keys.slugs, 'first'), /some of .*:slugs are missing or wrong/],
  ['templates are missing', () => redis.del(keys.templates), /some of .*:templates are missing/],
  ['statuses are missing', () => redis.del(keys.statuses), /some of .*:statuses are missing/],
  ['a change is missing', async () => redis.zrem(keys.changes, await idOf('first')), /some of .*:changes are missing/],
  ['a change is of nothing', () => redis.zadd(keys.changes, 1, 'bot_none'), /some of .*:changes belong to nothing/],
  [
    'a missing template has no time',
    async () => redis.hset(await botKey('first'), 'missed', 1),
    /some of .*:missing are missing/,
  ],
  [
    'a template that is gone has no time',
    async () => redis.hset(await botKey('third'), { reason: 'template_gone', gone_at: 1 }),
    /some of .*:gone are missing/,
  ],
  ['a suffix is no number', () => redis.hset(keys.suffixes, 'first', 'x'), /suffix of first/],
  ['event ids are missing', () => redis.del(keys.eventIds), /some of .*:event-ids are missing/],
  [
    'an event has another number',
    async () => redis.zincrby(keys.eventIds, -1, (await redis.zrange(keys.eventIds, '0', '0'))[0] ?? ''),
    /some of .*:event-ids are missing or wrong/,
  ],
  ['a URL is missing', () => redis.del(partition.urls), /some of .*:urls are missing/],
  [
    'a URL leads to none',
    () => redis.hset(partition.urls, 'https://a.example.com/', 'wh_none'),
    /some of .*:urls belong to nothing/,
  ],
  ['a host is miscounted', () => redis.hset(partition.hosts, '127.0.0.1', 9), /some of .*:hosts are missing or wrong/],
  ['a domain is not counted', () => redis.del(partition.domains), /some of .*:domains are missing/],
  ['a cursor is of none', () => redis.zadd(partition.cursor, 1, 'wh_none'), /cursor has wh_none/],
  ['a run is of none', () => redis.zadd(partition.yielded, 1, 'wh_none'), /yielded has wh_none/],
  ['a lease is of none', () => redis.zadd(partition.leased, 1, 'wh_none'), /leased has wh_none/],
  ['a wait is of none', () => redis.zadd(partition.waiting, 1, 'wh_none'), /waiting has wh_none/],
  ['a stop is of none', () => redis.sadd(partition.stopped, 'wh_none'), /stopped has wh_none/],
  ['a number is of none', () => redis.hset(partition.taken, 'wh_none', '1'), /taken has wh_none/],
  ['failures are of none', () => redis.hset(partition.failures, 'wh_none', '1:dns'), /failures has wh_none/],
  ['a secret is of none', () => redis.hset(partition.secrets, 'wh_none', 'whsec_x'), /secrets has wh_none/],
];

it.each(derived)('finds that %s, and rebuild fixes it', async (_what, plant, found) => {
  await plant();
  const findings = await to.run<{ finding: string; fix: string }[]>('check');
  expect(findings).toContainEqual({ finding: expect.stringMatching(found), fix: 'rebuild' });
  await to.run('rebuild');
  expect((await to.run<{ fix: string }[]>('check')).filter(({ fix }) => fix === 'rebuild')).toEqual([]);
});

const byHand: Planted[] = [
  ['a bot has no hash', async () => redis.del(await botKey('first')), /hash is missing/],
  ['a bot is no hash', async () => redis.set(await botKey('first'), 'x'), /WRONGTYPE|hash is missing/],
  [
    'a bot is listed twice',
    async () => redis.zadd(keys.withdrawn, 1, await idOf('first')),
    /both listed and withdrawn/,
  ],
  [
    'a bot is in no list',
    async () => redis.zrem(keys.bots, await idOf('first')),
    /slugs has first, and nothing has that/,
  ],
  ['a bot is in no state', async () => redis.hset(await botKey('third'), 'state', 'x'), /no known state/],
  ['a bot is filed wrongly', async () => redis.hset(await botKey('first'), 'state', 'hidden'), /filed as if not/],
  ['a bot is of the future', async () => redis.zadd(keys.bots, 9e15, await idOf('first')), /after the last change/],
  [
    'two bots share a position',
    async () => redis.zadd(keys.bots, (await redis.zscore(keys.bots, await idOf('second'))) ?? 0, await idOf('first')),
    /position of another/,
  ],
  [
    'two bots share a slug',
    async () => redis.hset(await botKey('second'), 'slug', 'first'),
    /slugs is to have two of bot_/,
  ],
  [
    'a slug leads elsewhere',
    () => redis.hset(keys.slugs, 'fourth', 'bot_none'),
    /slugs has fourth, and nothing has that/,
  ],
  [
    'a template leads elsewhere',
    () => redis.hset(keys.templates, 'none', 'first'),
    /templates has none, and nothing has that/,
  ],
  [
    'a status leads elsewhere',
    () => redis.hset(keys.statuses, '2', 'post_none'),
    /statuses has 2, and nothing has that/,
  ],
  [
    'a post has no hash',
    async () => redis.del(keys.post((await redis.hvals(keys.statuses))[0] as PostId)),
    /post .* hash is missing/,
  ],
  ['a counter is ahead', () => redis.hset(keys.state, 'announced', '9e15'), /announced is above/],
  ['an event is ahead', () => redis.hset(keys.state, 'events', 1), /above the last/],
  [
    'an event is about nothing',
    () => redis.xadd(keys.events, '*', 'id', 'evt_none', 'type', 'bot.updated', 'at', '1', 'bot', 'bot_none'),
    /evt_none is about a bot that is not there/,
  ],
  [
    'an event is of no type',
    async () => redis.xadd(keys.events, '*', 'id', 'evt_none', 'type', 'x', 'at', '1', 'bot', await idOf('first')),
    /evt_none is of no known type/,
  ],
  ['a block is unreadable', () => redis.hset(keys.blocks, 'words:x', '{'), /block words:x cannot be read/],
  ['a report is unreadable', () => redis.hset(keys.reports, 'rep_none', 'x'), /report rep_none cannot be read/],
  [
    'a report is of nothing',
    () => redis.hset(keys.reports, 'rep_none bot_none mark spam', '1 '),
    /rep_none is of a bot or post that is not there/,
  ],
  ['a key is of another type', () => redis.set(keys.templates, 'x'), /templates is a string/],
  [
    'a key of webhooks is',
    async () => [await redis.del(partition.cursor), await redis.set(partition.cursor, 'x')],
    /cursor is a string/,
  ],
  ['a webhook is in two states', () => redis.sadd(partition.stopped, webhook), /of 1 webhooks in .*, 2 are in queues/],
  ['a webhook is in none', () => redis.zrem(partition.cursor, webhook), /of 1 webhooks in .*, 0 are in queues/],
  ['a target is no URL', () => redis.hset(partition.targets, webhook, 'x'), /has no URL/],
  ['a URL is of two', () => redis.hset(partition.targets, 'wh_two', url), /urls is to have two of wh_/],
];

it.each(byHand)('finds that %s, which it leaves to the operator', async (_what, plant, found) => {
  await plant();
  const findings = await to.run<{ finding: string; fix: string }[]>('check');
  expect(findings).toContainEqual({ finding: expect.stringMatching(found), fix: 'by hand' });
});

/** What nobody can repair by a command is left to the oracle of the other tests. */
const ofQueues: Planted[] = [
  ['is in two states', () => redis.sadd(partition.stopped, webhook), /is in 2 of cursor/],
  ['is in none', () => redis.zrem(partition.cursor, webhook), /is in 0 of cursor/],
  ['is in the wrong queue', () => redis.zadd(ownQueue(partition).waiting, 1, webhook), /wrong queue/],
  ['has two cursors', () => redis.hset(partition.taken, webhook, '1'), /two cursors/],
  ['has a cursor that is ahead', () => redis.zadd(partition.cursor, 9e15, webhook), /cursor after the last event/],
  ['has a token without a lease', () => redis.hset(partition.taken, webhook, '1:token'), /a token, but no lease/],
  ['has failures that are no count', () => redis.hset(partition.failures, webhook, 'x'), /no count of failures/],
];

it.each(ofQueues)('a webhook that %s is found by the oracle of the queues', async (_what, plant, found) => {
  expect(await faultsOfQueues(store.url)).toEqual([]);
  await plant();
  expect(await faultsOfQueues(store.url)).toContainEqual(expect.stringMatching(found));
});
