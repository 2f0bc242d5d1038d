import { afterAll, beforeAll, expect, it } from 'vitest';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds, type BotId } from '../base/ids.ts';
import type { Listing } from './listing.ts';
import { createBotStore } from '../store/bots/bot-store.ts';
import { Directory } from './directory.ts';
import { keys } from '../store/keys.ts';
import type { Store } from '../redis/redis.ts';

let store: Store;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url);
});
afterAll(async () => {
  await store.close();
});

const baseUrl = 'https://bots.example.com';
const ids = createIds(Date.now);
const publish = async (name: string): Promise<BotId> => {
  const id = ids.bot();
  const draft = draftWith({ id, name, wantedSlug: name, description: 'Sorts mail' });
  await createBotStore(store).publish(draft, ids.event(), unblocked);
  return id;
};
/** What the operator's script does to the list. */
const move = async (id: string, from: string, to: string): Promise<void> => {
  await store.call(async (client) => {
    const position = (await client.zscore(from, id)) ?? '0';
    await client.zrem(from, id);
    await client.zadd(to, position, id);
    const version = await client.hincrby(keys.state, 'version', 1);
    await client.hset(keys.state, 'urgent', version);
    await client.zadd(keys.changes, version, id);
  });
};

const everything: Listing = {
  limit: undefined,
  after: undefined,
  sort: 'newest',
  author: undefined,
  updatedSinceMs: undefined,
  categories: [],
  integrations: [],
  words: [],
};
const shown = async (directory: Directory) => {
  await directory.fresh();
  const { bots } = directory;
  const names = async (listing: Partial<Listing>): Promise<string[]> =>
    [...(await bots.select({ ...everything, ...listing })).ordinals].map((ordinal) => bots.bot(ordinal).name);
  return {
    all: bots.newest(100).map(({ name }) => name),
    found: await names({ words: ['mail'], categories: ['SEO'] }),
    byInstalls: await names({ sort: 'installs' }),
    count: bots.index.countCategories(['SEO'])[0]?.count,
    slugs: ['one', 'two', 'three'].filter((slug) => directory.bySlug(slug) !== undefined),
    version: bots.version,
  };
};

it('takes a bot out of every list, count and index, and back to its position, in a copy of any age', async () => {
  const early = new Directory({ store, form: { baseUrl } });
  await early.fresh();
  await publish('one');
  const two = await publish('two');
  await publish('three');
  const all = ['three', 'two', 'one'];
  expect((await shown(early)).all).toEqual(all);

  await move(two, keys.bots, keys.withdrawn);
  const late = new Directory({ store, form: { baseUrl } });
  const without = await shown(early);
  const names = ['three', 'one'];
  expect(without).toMatchObject({ all: names, found: names, byInstalls: names, count: 2, slugs: ['one', 'three'] });
  // The same version, or a tag would stand for two lists.
  expect(await shown(late)).toEqual(without);

  await move(two, keys.withdrawn, keys.bots);
  const restored = await shown(late);
  expect(restored).toMatchObject({ all, found: all, byInstalls: all, count: 3, slugs: ['one', 'two', 'three'] });
  expect(await shown(early)).toEqual(restored);
});

it('reads everything again when an entry does not fit in', async () => {
  const directory = new Directory({ store, form: { baseUrl } });
  await directory.fresh();
  // A bot that was nowhere until now stands between two others.
  const id = await publish('between');
  await store.call(async (client) => {
    const [position = '0'] = (await client.zrangebyscore(keys.bots, '-inf', '+inf', 'WITHSCORES')).slice(1);
    await client.zadd(keys.bots, Number(position) + 0.5, id);
  });
  expect((await shown(directory)).all).toEqual(['three', 'two', 'between', 'one']);
});

it('knows that the newest bot was removed, in a copy that is read later', async () => {
  const id = await publish('four');
  await store.call((client) => client.hset(keys.bot(id), 'state', 'removed', 'reason', 'spam', 'withdrawn_at', 7));
  await move(id, keys.bots, keys.withdrawn);
  const directory = new Directory({ store, form: { baseUrl } });
  expect((await shown(directory)).all).not.toContain('four');
  expect(directory.removal('four')).toEqual({ reason: 'spam', atMs: 7 });
  expect(() => directory.ordinalOf('four')).toThrow(expect.objectContaining({ code: 'bot_gone' }));
});
