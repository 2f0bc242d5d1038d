/** A script that changes the store does all or nothing, whatever the store can't take. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentsOf } from '@bot-directory/testing/contents';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds } from '../../src/base/ids.ts';
import type { IntegrationSlug } from '../../src/domain/names.ts';
import { parseWebhookUrl } from '../../src/domain/webhook-url.ts';
import { createBotStore } from '../../src/store/bots/bot-store.ts';
import { keys, partitionOf } from '../../src/store/keys.ts';
import { createModerationStore } from '../../src/store/moderation/moderation-store.ts';
import { createReportStore } from '../../src/store/reports/report-store.ts';
import { createPostStore } from '../../src/store/posts/post-store.ts';
import { createReadingStore } from '../../src/store/readings/reading-store.ts';
import { createWebhookStore } from '../../src/store/webhooks/webhook-store.ts';
import { waitForStore, type Store } from '../../src/redis/redis.ts';

let client: Redis;
let store: Store;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  client = new Redis(redis.url);
  store = await openTestStore(redis.url);
});
afterAll(async () => {
  await store.close();
  client.disconnect();
});

const ids = createIds(Date.now);
const bots = () => createBotStore(store);
const known = ids.bot();
/** Bots whose templates are missing, and back again. */
const dead = ids.bot();
const back = ids.bot();
const shown = ids.post();
const readings = () => createReadingStore(store);
const draft = (id: typeof known) => draftWith({ id, wantedSlug: 'same' });
const operator = { name: 'ada', command: 'test' };
const hidden = { id: known, eventId: ids.event() };
const webhooks = () => createWebhookStore(store, { perHost: 10, perDomain: 10 });
const target = (path: string) => {
  const parsed = parseWebhookUrl(`https://hooks.acme.com/${path}`, []);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const writes: Record<string, () => Promise<unknown>> = {
  publish: () => bots().publish(draft(ids.bot()), ids.event(), unblocked),
  merge: () => bots().addIntegrations(known, new Map([['slack' as IntegrationSlug, '']])),
  refresh: async () =>
    bots().edit({
      id: known,
      hash: new Map([['name', 'A bot']]),
      fields: new Map([['name', 'Another name']]),
      eventId: ids.event(),
    }),
  'claim of a reading': () => bots().claimReading(known),
  'claim of the next readings': () => readings().claimNext(4, 1_000),
  'record of a reading': () => readings().record({ id: dead, result: 'none', template: 'missing' }),
  withdrawal: () => readings().withdraw(dead, ids.event()),
  return: () =>
    readings().bringBack({
      id: back,
      blocksVersion: 0,
      hash: new Map([['name', 'A bot']]),
      fields: new Map([['name', 'Another name']]),
      eventId: ids.event(),
    }),
  install: () => bots().countInstall(known, 'visitor'),
  post: () => createPostStore(store).add({ id: ids.post(), statusId: '2', url: 'https://x.com/jo/status/2' }, 0),
  'hiding of a post': () =>
    createModerationStore(store).moderate('post', 'hide', [{ id: shown }], { operator, reason: '' }),
  report: () => createReportStore(store).add({ id: ids.report(), subject: known, reason: 'spam', text: '' }),
  block: () => createModerationStore(store).block(operator, { kind: 'words', value: 'spam' }, ''),
  close: () => createModerationStore(store).setSubmissions(operator, false, ''),
  register: () => webhooks().add(ids.webhook(), target('new')),
  resume: () => webhooks().add(ids.webhook(), target('stopped')),
  unregister: () => webhooks().remove(target('active')),
  hide: () => createModerationStore(store).moderate('bot', 'hide', [hidden], { operator, reason: '' }),
};
const { state, templates, slugs, suffixes, changes, events, eventIds, posts, statuses } = keys;
const { withdrawn, blocks, reports, audit, installs, rechecks, missing, gone, withdrawnPosts } = keys;
// No write of a caller touches `watermark`.
const { number: _number, isOwn: _isOwn, watermark: _watermark, ...partition } = partitionOf('hooks.acme.com');
const named = {
  state,
  templates,
  slugs,
  suffixes,
  bots: keys.bots,
  changes,
  events,
  eventIds,
  posts,
  statuses,
  withdrawn,
  blocks,
  reports,
  audit,
  installs,
  rechecks,
  missing,
  gone,
  withdrawnPosts,
  ...Object.fromEntries(Object.entries(partition).map(([name, key]) => [`${name} of webhooks`, key])),
};

const faults: readonly (readonly [name: string, begin: () => Promise<unknown>, end: () => Promise<unknown>])[] = [
  ['is full', () => client.config('SET', 'maxmemory', '1'), () => client.config('SET', 'maxmemory', '0')],
  ['is a replica', () => client.replicaof('127.0.0.1', 1), () => client.replicaof('NO', 'ONE')],
  [
    'has too few replicas',
    () => client.config('SET', 'min-replicas-to-write', '1'),
    () => client.config('SET', 'min-replicas-to-write', '0'),
  ],
  ...Object.entries(named).map(
    ([name, key]) =>
      [
        `holds something else as ${name}`,
        async () => {
          await client.del(key);
          await client.set(key, 'something else');
        },
        () => client.del(key),
      ] as const,
  ),
];

it.each(faults)('while the store %s, each write does all or nothing', async (_name, begin, end) => {
  await client.flushall();
  for (const id of [known, dead, back]) await bots().publish(draft(id), ids.event(), unblocked);
  await createPostStore(store).add({ id: shown, statusId: '1', url: 'https://x.com/jo/status/1' }, 0);
  await client.hset(keys.bot(dead), { missed: 3, missed_at: 1 });
  await client.hset(keys.bot(back), { state: 'hidden', reason: 'template_gone', gone_at: 1 });
  await client.zrem(keys.bots, back);
  await client.zadd(withdrawn, 1, back);
  const stopped = ids.webhook();
  for (const [id, path] of [
    [ids.webhook(), 'active'],
    [stopped, 'stopped'],
  ] as const)
    await webhooks().add(id, target(path));
  await client.zrem(partition.cursor, stopped);
  await client.hset(partition.taken, stopped, '1');
  await client.sadd(partition.stopped, stopped);
  await begin();
  let refused = 0;
  for (const [name, write] of Object.entries(writes)) {
    const before = await contentsOf(client);
    const isDone = await write().then(
      () => true,
      () => false,
    );
    if (!isDone) {
      refused += 1;
      expect([name, await contentsOf(client)]).toEqual([name, before]);
    }
    await waitForStore(store, 5_000);
  }
  expect(refused).toBeGreaterThan(0);
  await end();
});
