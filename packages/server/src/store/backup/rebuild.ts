/**
 * Rebuilds what is derived from other data, as `derived.ts` says, and drops what points to nothing. Safe to repeat. A
 * webhook that is registered at the same time may be missing from its host's count until the next run.
 */
import type { BotId, PostId } from '../../base/ids.ts';
import { parseSubscription, subscriptionText } from '../../domain/subscription.ts';
import { keys, lists, partitions, type Partition } from '../keys.ts';
import { keyOf } from '../reports/report-store.ts';
import { scanByScore, scanHash, scanMembers, type Store } from '../../redis/redis.ts';
import { correct, hashAt, mistakesInDirectory, mistakesInPartition, placesOf, textsOfRemoved } from './derived.ts';

/** How many of each there are. */
export type Rebuilt = {
  readonly bots: number;
  readonly posts: number;
  readonly events: number;
  readonly webhooks: number;
};

/** Rebuilds every row that is derived. `onProgress` receives its progress. */
export const rebuildStore = async (
  store: Store,
  onProgress: (part: string) => void = () => undefined,
): Promise<Rebuilt> => {
  onProgress('bots, posts and events');
  await dropTexts(store);
  await dropSuffixes(store);
  for await (const mistake of mistakesInDirectory(store)) await correct(store, mistake);
  for (const partition of partitions) {
    onProgress(`webhooks, part ${partition.number + 1} of ${partitions.length}`);
    await dropLeftovers(store, partition);
    await rewriteTopics(store, partition);
    for await (const mistake of mistakesInPartition(store, partition)) await correct(store, mistake);
  }
  return count(store);
};

const count = async (store: Store): Promise<Rebuilt> => {
  const sizes = (names: readonly string[]) =>
    store.call(async (redis) => (await Promise.all(names.map((key) => redis.zcard(key)))).reduce((a, b) => a + b, 0));
  const webhooks = await Promise.all(partitions.map(({ targets }) => store.call((redis) => redis.hlen(targets))));
  return {
    bots: await sizes(lists.bot),
    posts: await sizes(lists.post),
    events: await store.call((redis) => redis.xlen(keys.events)),
    webhooks: webhooks.reduce((sum, size) => sum + size, 0),
  };
};

/** Drops what is left of the texts of what was removed. */
const dropTexts = async (store: Store): Promise<void> => {
  for (const list of [...lists.bot, ...lists.post])
    for await (const page of scanByScore(store, list))
      for (const { member } of page) {
        const key = keyOf(member as BotId | PostId);
        const left = textsOfRemoved(await hashAt(store, key));
        if (left.length > 0) await store.call((redis) => redis.hdel(key, ...left));
      }
};

/** Drops suffixes that are not numbers. Without one, publishing looks for the next that is free. */
const dropSuffixes = async (store: Store): Promise<void> => {
  for await (const page of scanHash(store, keys.suffixes))
    for (const [base, next] of page)
      if (!/^[1-9]\d*$/.test(next)) await store.call((redis) => redis.hdel(keys.suffixes, base));
};

/** Writes the topics that follow from a subscription next to it. */
const rewriteTopics = async (store: Store, { subscriptions }: Partition): Promise<void> => {
  for await (const page of scanHash(store, subscriptions))
    for (const [id, text] of page) {
      const own = parseSubscription(text);
      if (own !== undefined && subscriptionText(own) !== text)
        await store.call((redis) => redis.hset(subscriptions, id, subscriptionText(own)));
    }
};

/** Drops what is stored of webhooks that do not exist. */
const dropLeftovers = async (store: Store, partition: Partition): Promise<void> => {
  for (const { key, type } of placesOf(partition))
    for await (const page of scanMembers(store, key, type)) {
      const known = await store.call((redis) => redis.hmget(partition.targets, ...page));
      const gone = page.filter((_, i) => known[i] === null);
      if (gone.length > 0)
        await store.call((redis) =>
          type === 'hash'
            ? redis.hdel(key, ...gone)
            : type === 'set'
              ? redis.srem(key, ...gone)
              : redis.zrem(key, ...gone),
        );
    }
};
