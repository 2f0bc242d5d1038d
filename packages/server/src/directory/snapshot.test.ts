import fc from 'fast-check';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { botSorts } from '@bot-directory/contract';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { createLog } from '../base/log.ts';
import { createIds, type BotId, type PostId } from '../base/ids.ts';
import type { Moderation } from '../domain/moderation.ts';
import type { IntegrationSlug } from '../domain/names.ts';
import type { Author } from '../domain/links.ts';
import { createBotStore } from '../store/bot-store.ts';
import { keys } from '../store/keys.ts';
import { createModerationStore } from '../store/moderation-store.ts';
import { createPostStore } from '../store/post-store.ts';
import { createReadingStore } from '../store/reading-store.ts';
import type { Store } from '../store/redis.ts';
import { Copy } from './copy.ts';
import { Directory } from './directory.ts';
import type { Listing } from './listing.ts';
import type { Deflated } from './segmented-gzip.ts';
import { saveSnapshot } from './snapshot.ts';

const baseUrl = 'https://bots.example.com';
const ids = createIds(Date.now);
const by = { operator: { name: 'test', command: 'test' }, reason: 'spam' };

/** Leaves no snapshot. */
const snapshots = { release: 'test', from: Infinity, log: createLog('silent') };
let store: Store;
let bots: BotId[] = [];
let posts: PostId[] = [];
const empty = async (): Promise<void> => {
  await store.call((client) => client.flushall());
  await createModerationStore(store).acceptSize(by.operator, 0);
  [bots, posts] = [[], []];
};
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url);
});
afterEach(async () => {
  await store.call((client) => client.config('SET', 'maxmemory', '0'));
  await empty();
});
afterAll(async () => {
  await store.close();
});

const publish = async (name = `Bot ${bots.length}`): Promise<void> => {
  const id = ids.bot();
  const n = bots.length;
  bots.push(id);
  const author = n % 3 === 0 ? null : (`@maker_${n % 2}` as Author);
  const draft = draftWith({ id, name, author, categories: n % 2 === 0 ? ['SEO'] : ['Sales', 'SEO'] });
  await createBotStore(store).publish(draft, ids.event(), unblocked);
};
const addPost = async (): Promise<void> => {
  const id = ids.post();
  const statusId = String(posts.length + 1);
  posts.push(id);
  await createPostStore(store).add({ id, statusId, url: `https://x.com/maker_1/status/${statusId}` }, 0);
};
const moderate = (action: Moderation, id: BotId | undefined) => {
  const chosen = id === undefined ? [] : [{ id, eventId: ids.event() }];
  return createModerationStore(store).moderate('bot', action, chosen, by);
};
const moderatePosts = (action: Moderation, chosen: readonly PostId[]) => {
  const entries = chosen.map((id) => ({ id }));
  return createModerationStore(store).moderate('post', action, entries, by);
};

/** What can happen to a directory; `n` chooses the bot or post. */
const happenings = {
  publish: () => publish(),
  addPost,
  install: (n: number) => createBotStore(store).countInstall(bots[n % bots.length] ?? ids.bot(), String(n)),
  integrate: (n: number) =>
    createBotStore(store).addIntegrations(bots[n % bots.length] ?? ids.bot(), [`tool-${n}` as IntegrationSlug]),
  hide: (n: number) => moderate('hide', bots[n % bots.length]),
  remove: (n: number) => moderate('remove', bots[n % bots.length]),
  restore: (n: number) => moderate('restore', bots[n % bots.length]),
  hidePost: (n: number) => moderatePosts('hide', posts.slice(n % posts.length).slice(0, 1)),
  restorePost: (n: number) => moderatePosts('restore', posts.slice(n % posts.length).slice(0, 1)),
} as const;
type Happening = readonly [keyof typeof happenings, number];
const happen = async (all: readonly Happening[]): Promise<void> => {
  for (const [name, n] of all) await happenings[name](n);
};

/** Counts how a copy reads. */
const watched = () => {
  const counts = { entries: 0 };
  const counting: Store = {
    ...store,
    script: (name, ...rest) => {
      if (name === 'read-entries') counts.entries += 1;
      return store.script(name, ...rest);
    },
  };
  return { counts, store: counting };
};
/** A copy that is read now, and leaves a snapshot. */
const savingCopy = (snapshotFrom = 0) =>
  readNow(new Directory({ store, form: { baseUrl }, snapshots: { ...snapshots, from: snapshotFrom } }));
/** A copy that is read now. It leaves no snapshot. */
const copyOf = (from = store, url = baseUrl) =>
  readNow(new Directory({ store: from, form: { baseUrl: url }, snapshots }));
/** A copy that has read everything. */
const wholeCopy = async (): Promise<Directory> => {
  await store.call((client) => client.del(keys.snapshot));
  return copyOf();
};
const readNow = async (directory: Directory): Promise<Directory> => {
  await directory.freshToSearch();
  return directory;
};
type Head = { readonly id: string; readonly epoch: string };
const snapshotHead = async (): Promise<Head | undefined> => {
  const text = await store.call((client) => client.hget(keys.snapshot, 'head'));
  return text === null ? undefined : (JSON.parse(text) as Head);
};
/** Waits for a snapshot of a copy, other than `before`. The next one may follow at once. */
const untilSaved = async ({ epoch }: Directory, before?: Head): Promise<void> => {
  await until('there is a snapshot', async () => {
    const head = await snapshotHead();
    return head?.epoch === epoch && head.id !== before?.id;
  });
  await store.call((client) => client.del(keys.snapshotClaim));
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
/** All that anyone can learn from a copy. */
const contentOf = async (directory: Directory) => {
  await directory.freshToSearch();
  const found = async (listing: Partial<Listing>): Promise<string[]> =>
    [...(await directory.bots.select({ ...everything, ...listing })).ordinals].map((n) => directory.bots.bot(n).name);
  const states = [directory.bots, directory.posts].map((all) => [
    all.version,
    all.changedAtMs,
    all.size,
    Buffer.concat(all.segments.pieces()).toString(),
    Array.from(all.ordinals(), (n) => [all.positionOf(n), all.stateOf(n)]),
  ]);
  return {
    states,
    sorts: await Promise.all(botSorts.map((sort) => found({ sort }))),
    filters: await Promise.all([
      found({ words: ['bot'] }),
      found({ words: ['bot', '1'], sort: 'relevance' }),
      found({ categories: ['Sales'] }),
      found({ author: '@maker_1' as Author }),
      found({ integrations: ['tool-1' as IntegrationSlug] }),
    ]),
    removals: bots.map((id) => directory.removal(id.toLowerCase())),
    slugs: bots.map((id) => directory.bySlug(id.toLowerCase())?.bot.name),
    posts: Array.from(directory.bots.ordinals(), (n) =>
      directory.posts.about(directory.bots.bot(n)).map((post) => directory.posts.segments.parsed(post)),
    ),
  };
};

it('gives a copy all that reading the whole store gives it, whatever happened before and since', async () => {
  const happening = fc.tuple(fc.constantFrom(...(Object.keys(happenings) as Happening[0][])), fc.nat(9));
  const some = fc.array(happening, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(some, some, some, async (before, during, since) => {
      await empty();
      await happen([['publish', 0], ['addPost', 0], ...before]);
      // What takes something away may come before the snapshot is finished, and then there is none.
      const isSaved = during.every(([name]) => !/^(?:hide|remove)/.test(name));
      await Promise.all([savingCopy().then(isSaved ? untilSaved : () => undefined), happen(during)]);
      await happen(since);
      const restored = await contentOf(await copyOf());
      expect(restored).toEqual(await contentOf(await wholeCopy()));
    }),
    { numRuns: 15 },
  );
});

/** Withdraws a bot as its provider no longer has the template, which leaves the snapshot. */
const withdraw = async (id: BotId = ids.bot()): Promise<void> => {
  await store.call((client) => client.hset(keys.bot(id), { missed: 3, missed_at: 1 }));
  expect(await createReadingStore(store).withdraw(id, ids.event())).toBe('withdrawn');
};

it('knows the position of a bot that was withdrawn since, and comes back to it', async () => {
  await happen([['publish', 0]]);
  await untilSaved(await savingCopy());
  await happen([
    ['publish', 0],
    ['publish', 0],
  ]);
  await withdraw(bots[1]);
  const { counts, store: counting } = watched();
  const copy = await copyOf(counting);
  await happen([['restore', 1]]);
  expect((await contentOf(copy)).sorts[0]).toEqual(['Bot 2', 'Bot 1', 'Bot 0']);
  expect(counts.entries).toBe(0);
});

it('spans chunks, and is followed by another once much has changed', async () => {
  await Promise.all(Array.from({ length: 600 }, () => publish()));
  const writer = await savingCopy(500);
  await untilSaved(writer);
  const first = await snapshotHead();
  const { counts, store: counting } = watched();
  const copy = await copyOf(counting);
  expect((await contentOf(copy)).states).toEqual((await contentOf(writer)).states);
  expect(counts.entries).toBe(0);
  // As gzip, too, without compressing anything.
  const { segments } = copy.bots;
  expect(gunzipSync(Buffer.concat(segments.gzip() ?? []))).toEqual(Buffer.concat(segments.pieces()));

  for (let n = 0; n < 29; n += 1) await publish();
  await writer.fresh();
  expect(await store.call((client) => client.get(keys.snapshotClaim))).toBeNull();
  for (let n = 0; n < 5; n += 1) await publish();
  await writer.fresh();
  await untilSaved(writer, first);
  expect(await store.call((client) => client.keys(`${keys.snapshot}*`))).toEqual([keys.snapshot]);
});

/** What makes a snapshot useless. */
const spoiled: Readonly<Record<string, () => Promise<unknown>>> = {
  'it is of another epoch': async () => {
    await store.script('begin-epoch', [keys.state], ['another server']);
  },
  'a part of it is missing': () => store.call((client) => client.hdel(keys.snapshot, 'bots:0')),
  'a part of it is of another': () =>
    store.call(async (client) => {
      const old = 'old-snapshot';
      const current = keys.snapshot;
      await client.rename(current, `{directory}${old}`);
      await savingCopy();
      await until('there is another', async () => (await snapshotHead()) !== undefined);
      const part = await client.hgetBuffer(`{directory}${old}`, 'bots:0');
      await client.hset(current, 'bots:0', part ?? '');
    }),
  'a part of it is damaged': () => store.call((client) => client.hset(keys.snapshot, 'bots:0', 'nonsense')),
  'one bit of it is another': () =>
    store.call(async (client) => {
      const part = (await client.hgetBuffer(keys.snapshot, 'bots:0')) ?? Buffer.alloc(0);
      const { deflated } = deserialize(part) as { readonly deflated: Deflated };
      // Not a bit of the checksum, which is stored as a double: a CRC does not use its last bits.
      const at = part.indexOf(deflated.bytes) + Math.floor(deflated.bytes.length / 2);
      part.writeUInt8(part.readUInt8(at) ^ 1, at);
      await client.hset(keys.snapshot, 'bots:0', part);
    }),
  'its head is damaged': () => store.call((client) => client.hset(keys.snapshot, 'head', '{')),
  'the store no longer knows its version': async () => {
    await publish();
    await store.call((client) => client.del(keys.versions));
  },
};
it.each(Object.keys(spoiled))('is passed over if %s', async (why) => {
  await happen([
    ['publish', 0],
    ['publish', 0],
    ['addPost', 0],
  ]);
  await untilSaved(await savingCopy());
  await spoiled[why]?.();
  const { counts, store: counting } = watched();
  const copy = await contentOf(await copyOf(counting));
  expect(counts.entries).toBeGreaterThan(0);
  expect(copy).toEqual(await contentOf(await wholeCopy()));
});

it('is passed over by a process with another address', async () => {
  await happen([
    ['publish', 0],
    ['addPost', 0],
  ]);
  await untilSaved(await savingCopy());
  const { counts, store: counting } = watched();
  const other = await copyOf(counting, 'https://elsewhere.example.com');
  expect(counts.entries).toBeGreaterThan(0);
  expect(other.bots.bot(0).url).toContain('https://elsewhere.example.com');
});

const savedBy = async (isValid: () => boolean, version = 1): Promise<void> => {
  const copy = new Copy({ baseUrl });
  await copy.readWhole(store);
  await copy.settle(0);
  await saveSnapshot(store, copy, { form: '', epoch: '', version, isValid });
};
const snapshotKeys = () => store.call((client) => client.keys(`${keys.snapshot}*`));

it('is left out if the store is nearly full', async () => {
  await publish();
  const used = /used_memory:(\d+)/.exec(await store.call((client) => client.info('memory')))?.[1];
  await store.call((client) => client.config('SET', 'maxmemory', Math.round(Number(used) * 1.1)));
  await savedBy(() => true);
  expect(await snapshotKeys()).toEqual([keys.snapshotClaim]);
  await store.call(async (client) => [
    await client.config('SET', 'maxmemory', '0'),
    await client.del(keys.snapshotClaim),
  ]);
  await savedBy(() => true);
  expect((await snapshotKeys()).sort()).toEqual([keys.snapshot, keys.snapshotClaim]);
});

it('is given up if the store begins another epoch meanwhile, and what was written expires', async () => {
  await happen([
    ['publish', 0],
    ['addPost', 0],
  ]);
  let chunks = 0;
  await savedBy(() => (chunks += 1) === 1);
  const [unfinished = '', ...others] = (await snapshotKeys()).filter((key) => key !== keys.snapshotClaim);
  expect([unfinished, others]).toEqual([expect.stringContaining(`${keys.snapshot}:`), []]);
  expect(await store.call((client) => client.ttl(unfinished))).toBeGreaterThan(0);
});

const versionNow = async (): Promise<number> =>
  Number(await store.call((client) => client.hget(keys.state, 'version')));

it.each([
  ['a bot is hidden', () => moderate('hide', bots[0])],
  ['a bot is removed', () => moderate('remove', bots[0])],
  ['a post is hidden', () => moderatePosts('hide', posts)],
] as const)('goes when %s, and one that was begun before is not kept', async (_what, takeAway) => {
  await publish();
  await addPost();
  const begun = await versionNow();
  await savedBy(() => true, begun);
  expect(await snapshotKeys()).toContain(keys.snapshot);
  await takeAway();
  expect(await snapshotKeys()).toEqual([keys.snapshotClaim]);
  for (const version of [begun, await versionNow()]) {
    await store.call((client) => client.del(keys.snapshotClaim));
    await savedBy(() => true, version);
    expect((await snapshotKeys()).includes(keys.snapshot)).toBe(version > begun);
  }
});

it('is written by one process at a time', async () => {
  await publish();
  await Promise.all([savedBy(() => true), savedBy(() => true)]);
  expect((await snapshotKeys()).sort()).toEqual([keys.snapshot, keys.snapshotClaim]);
});
