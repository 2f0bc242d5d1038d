/**
 * Rebuilds what is derived from other data: the indexes of bots, posts, events and webhooks. Also drops
 * entries that point to nothing. Safe to repeat. A webhook that is registered at the same time may be missing from its
 * host's count until the next run.
 */
import type { BotId, PostId } from '../../base/ids.ts';
import { readUrl } from '../../base/parsed.ts';
import { subscriptionText, parseSubscription } from '../../domain/subscription.ts';
import { keys, partitions, type Partition } from '../keys.ts';
import { keyOf } from '../report-store.ts';
import { scanByScore, scanHash, scanMembers, scanStream, toMap, type Scored, type Store } from '../redis.ts';
import {
  addTopics,
  clientsOf,
  countWebhooks,
  hashAt,
  indexBot,
  indexPost,
  isTopicOf,
  placesOf,
  textsOfRemoved,
} from './derived.ts';

/** How many of each were processed. */
export type Rebuilt = {
  readonly bots: number;
  readonly posts: number;
  readonly events: number;
  readonly webhooks: number;
};

/** Rebuilds every index. `onProgress` receives its progress. */
export const rebuildStore = async (
  store: Store,
  onProgress: (part: string) => void = () => undefined,
): Promise<Rebuilt> => {
  onProgress('bots and posts');
  const bots = await rebuildEntries(store, [keys.bots, keys.withdrawn], indexBot);
  const posts = await rebuildEntries(store, [keys.posts, keys.withdrawnPosts], indexPost);
  await eachOf(store, keys.changes, (change) => dropChange(store, change));
  await rebuildSuffixes(store);
  onProgress('events');
  const events = await rebuildEvents(store);
  let webhooks = 0;
  for (const partition of partitions) {
    onProgress(`webhooks, part ${partition.number + 1} of ${partitions.length}`);
    webhooks += await rebuildPartition(store, partition);
  }
  return { bots, posts, events, webhooks };
};

/** Runs `derive` for each entry. Returns how often it was true. */
const eachOf = async (store: Store, key: string, derive: (one: Scored) => Promise<boolean>): Promise<number> => {
  let count = 0;
  for await (const page of scanByScore(store, key))
    count += (await Promise.all(page.map(derive))).filter(Boolean).length;
  return count;
};

/** Adds bots or posts to their indexes and to the changes. Returns how many there are. */
const rebuildEntries = async (store: Store, lists: readonly string[], index: typeof indexPost): Promise<number> => {
  const rebuild = async ({ member, score }: Scored): Promise<boolean> => {
    const fields = await hashAt(store, keyOf(member as BotId | PostId));
    if (fields.id === undefined) return false;
    const left = textsOfRemoved(fields);
    await store.call((redis) =>
      Promise.all([
        ...index(redis, fields),
        redis.zadd(keys.changes, 'GT', score, member),
        ...(left.length === 0 ? [] : [redis.hdel(keyOf(member as BotId | PostId), ...left)]),
      ]),
    );
    return true;
  };
  let count = 0;
  for (const key of lists) count += await eachOf(store, key, rebuild);
  return count;
};

/** Drops a change of what is in no list. */
const dropChange = async (store: Store, { member }: Scored): Promise<boolean> => {
  const positions = await store.call((redis) =>
    Promise.all([keys.bots, keys.withdrawn, keys.posts, keys.withdrawnPosts].map((key) => redis.zscore(key, member))),
  );
  if (positions.some((position) => position !== null)) return false;
  await store.call((redis) => redis.zrem(keys.changes, member));
  return true;
};

/** Drops suffixes that are not numbers. Without one, publishing looks for the next that is free. */
const rebuildSuffixes = async (store: Store): Promise<void> => {
  for await (const page of scanHash(store, keys.suffixes))
    for (const [base, next] of page)
      if (!/^[1-9]\d*$/.test(next)) await store.call((redis) => redis.hdel(keys.suffixes, base));
};

const rebuildEvents = async (store: Store): Promise<number> => {
  let count = 0;
  for await (const page of scanStream(store, keys.events)) {
    count += page.length;
    await store.call((redis) =>
      Promise.all(
        page.map(([entryId, fields]) =>
          redis.zadd(keys.eventIds, entryId.split('-')[0] ?? '', toMap(fields).get('id') ?? ''),
        ),
      ),
    );
  }
  return count;
};

const rebuildPartition = async (store: Store, partition: Partition): Promise<number> => {
  const { targets, urls, hosts, domains } = partition;
  await dropLeftovers(store, partition);
  const counts = countWebhooks();
  const seen = new Set<string>();
  for await (const page of scanHash(store, targets)) {
    const clients = await clientsOf(store, partition, page);
    for (const [id, url] of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (readUrl(url) === undefined) continue;
      counts.add(url, clients.get(id));
      await store.call((redis) => redis.hsetnx(urls, url, id));
      await rebuildTopics(store, partition, id);
    }
  }
  await dropTopics(store, partition);
  await writeCounts(store, hosts, counts.perHost);
  await writeCounts(store, domains, counts.perDomain);
  return seen.size;
};

const rebuildTopics = async (store: Store, { subscriptions, topics }: Partition, id: string): Promise<void> => {
  const own = parseSubscription(await store.call((redis) => redis.hget(subscriptions, id)));
  if (own === undefined) return;
  await store.call((redis) =>
    Promise.all([redis.hset(subscriptions, id, subscriptionText(own)), addTopics(redis, topics, { id, own })]),
  );
};

/** Deletes data of webhooks that do not exist, and URLs without a webhook. */
const dropLeftovers = async (store: Store, partition: Partition): Promise<void> => {
  const isGone = async (id: string): Promise<boolean> =>
    (await store.call((redis) => redis.hexists(partition.targets, id))) === 0;
  for await (const page of scanHash(store, partition.urls))
    for (const [url, id] of page) if (await isGone(id)) await store.call((redis) => redis.hdel(partition.urls, url));
  for (const { key, type } of placesOf(partition))
    for await (const page of scanMembers(store, key, type))
      for (const id of page)
        if (await isGone(id))
          await store.call((redis) =>
            type === 'hash' ? redis.hdel(key, id) : type === 'set' ? redis.srem(key, id) : redis.zrem(key, id),
          );
};

/** Deletes topics that no webhook has. */
const dropTopics = async (store: Store, { topics, subscriptions }: Partition): Promise<void> => {
  for await (const page of scanMembers(store, topics, 'zset'))
    for (const member of page)
      if (!(await isTopicOf(store, subscriptions, member))) await store.call((redis) => redis.zrem(topics, member));
};

const writeCounts = async (store: Store, key: string, counts: ReadonlyMap<string, number>): Promise<void> => {
  for await (const page of scanHash(store, key)) {
    for (const [name] of page) if (!counts.has(name)) await store.call((redis) => redis.hdel(key, name));
  }
  for (const [name, count] of counts) await store.call((redis) => redis.hset(key, name, count));
};
