/**
 * Rebuilds everything that can be derived: the indexes of bots, posts, events and webhooks. Safe to repeat. A webhook
 * that is registered at the same time may be missing from its host's count until the next run.
 */
import type { BotId, PostId } from '../../base/ids.ts';
import { keys, partitions, type Partition } from '../keys.ts';
import type { Store } from '../redis.ts';
import { scanByScore, scanHash, scanStream } from '../scan.ts';
import { countWebhooks, indexBot, indexPost } from './derive.ts';

/** How many of each were processed. */
export type Rebuilt = {
  readonly bots: number;
  readonly posts: number;
  readonly events: number;
  readonly webhooks: number;
};

/** Rebuilds every index. */
export const rebuildStore = async (store: Store): Promise<Rebuilt> => {
  const bots = (await rebuildBots(store, keys.bots)) + (await rebuildBots(store, keys.withdrawn));
  const posts = await rebuildPosts(store);
  const events = await rebuildEvents(store);
  let webhooks = 0;
  for (const partition of partitions) webhooks += await rebuildPartition(store, partition);
  return { bots, posts, events, webhooks };
};

const rebuildBots = async (store: Store, key: string): Promise<number> => {
  let count = 0;
  for await (const page of scanByScore(store, key)) {
    for (const { member, score } of page) {
      const fields = await store.call((redis) => redis.hgetall(keys.bot(member as BotId)));
      if (fields.id === undefined) continue;
      count += 1;
      await store.call((redis) =>
        Promise.all([...indexBot(redis, fields), redis.zadd(keys.changes, 'GT', score, member)]),
      );
    }
  }
  return count;
};

const rebuildPosts = async (store: Store): Promise<number> => {
  let count = 0;
  for await (const page of scanByScore(store, keys.posts)) {
    for (const { member, score } of page) {
      const fields = await store.call((redis) => redis.hgetall(keys.post(member as PostId)));
      if (fields.id === undefined) continue;
      count += 1;
      await store.call((redis) =>
        Promise.all([...indexPost(redis, fields), redis.zadd(keys.changes, 'GT', score, member)]),
      );
    }
  }
  return count;
};

const rebuildEvents = async (store: Store): Promise<number> => {
  let count = 0;
  for await (const page of scanStream(store, keys.events)) {
    count += page.length;
    await store.call((redis) =>
      Promise.all(
        page.map(([entryId, fields]) =>
          redis.zadd(keys.eventIds, Number(entryId.split('-')[0]), fields[fields.indexOf('id') + 1] ?? ''),
        ),
      ),
    );
  }
  return count;
};

const rebuildPartition = async (store: Store, { targets, urls, hosts, domains }: Partition): Promise<number> => {
  const counts = countWebhooks();
  const seen = new Set<string>();
  for await (const page of scanHash(store, targets)) {
    for (const [id, url] of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      counts.add(url);
      await store.call((redis) => redis.hset(urls, url, id));
    }
  }
  await writeCounts(store, hosts, counts.perHost);
  await writeCounts(store, domains, counts.perDomain);
  return seen.size;
};

const writeCounts = async (store: Store, key: string, counts: ReadonlyMap<string, number>): Promise<void> => {
  for await (const page of scanHash(store, key)) {
    for (const [name] of page) if (!counts.has(name)) await store.call((redis) => redis.hdel(key, name));
  }
  for (const [name, count] of counts) await store.call((redis) => redis.hset(key, name, count));
};
