/** Checks every invariant of the data model in `keys.ts` in the store itself. Writes nothing. */
import type { BotId, PostId } from '../../base/ids.ts';
import { botStates } from '../../domain/withdrawal.ts';
import { keys, partitionOf, partitions, type Partition } from '../keys.ts';
import type { Store } from '../redis.ts';
import { scanByScore, scanHash } from '../scan.ts';
import { countWebhooks, hostOf } from './derive.ts';

/** A violated invariant. `derived`: `rebuild` repairs it. */
export type Finding = { readonly what: string; readonly derived: boolean };

/** Finds violated invariants. While others write, a change in progress may be reported. */
export async function* checkStore(store: Store): AsyncGenerator<Finding> {
  const counters = await readCounters(store);
  yield* checkBots(store, counters.version);
  yield* checkPosts(store, counters.version);
  yield* checkIndexes(store);
  yield* checkEvents(store, counters.events);
  for (const partition of partitions) yield* checkPartition(store, partition, counters.events);
}

type Counters = { readonly version: number; readonly events: number };

const readCounters = async (store: Store): Promise<Counters> => {
  const [version, events] = await store.call((redis) => redis.hmget(keys.state, 'version', 'events'));
  return { version: Number(version ?? 0), events: Number(events ?? 0) };
};

const wrong = (what: string): Finding => ({ what, derived: false });
const derivable = (what: string): Finding => ({ what, derived: true });

async function* checkBots(store: Store, version: number): AsyncGenerator<Finding> {
  for (const key of [keys.bots, keys.withdrawn]) {
    for await (const page of scanByScore(store, key)) {
      for (const { member, score } of page) {
        const id = member as BotId;
        const [bot, listed, withdrawn, change] = await store.call((redis) =>
          Promise.all([
            redis.hgetall(keys.bot(id)),
            redis.zscore(keys.bots, id),
            redis.zscore(keys.withdrawn, id),
            redis.zscore(keys.changes, id),
          ]),
        );
        if (bot.id !== id) {
          yield wrong(`bot ${id} is in the list, but its hash is missing`);
          continue;
        }
        const state = bot.state ?? 'listed';
        if (!botStates.some((one) => one === state)) yield wrong(`bot ${id} is in no known state`);
        if (listed !== null && withdrawn !== null) yield wrong(`bot ${id} is both listed and withdrawn`);
        if ((state === 'listed') !== (key === keys.bots)) yield wrong(`bot ${id} is ${state}, but filed as if not`);
        if (score > version) yield wrong(`bot ${id} has a position after the last change`);
        if (change === null || Number(change) < score) yield derivable(`bot ${id} is not among the changes`);
        const [owner, slug] = await store.call((redis) =>
          Promise.all([redis.hget(keys.slugs, bot.slug ?? ''), redis.hget(keys.templates, bot.template_id ?? '')]),
        );
        if (owner !== id) yield derivable(`bot ${id} is not found by its slug`);
        if (slug !== bot.slug) yield derivable(`bot ${id} is not found by its template`);
      }
    }
  }
}

async function* checkPosts(store: Store, version: number): AsyncGenerator<Finding> {
  for await (const page of scanByScore(store, keys.posts)) {
    for (const { member, score } of page) {
      const id = member as PostId;
      const post = await store.call((redis) => redis.hgetall(keys.post(id)));
      if (post.id !== id) {
        yield wrong(`post ${id} is in the feed, but its hash is missing`);
        continue;
      }
      if (score > version) yield wrong(`post ${id} has a position after the last change`);
      const [owner, change] = await store.call((redis) =>
        Promise.all([redis.hget(keys.statuses, post.status_id ?? ''), redis.zscore(keys.changes, id)]),
      );
      if (owner !== id) yield derivable(`post ${id} is not found by its status`);
      if (change === null || Number(change) < score) yield derivable(`post ${id} is not among the changes`);
    }
  }
}

/** Finds entries of an index that lead nowhere. */
async function* checkIndexes(store: Store): AsyncGenerator<Finding> {
  for await (const page of scanHash(store, keys.slugs)) {
    for (const [slug, id] of page) {
      const found = await store.call((redis) => redis.hget(keys.bot(id as BotId), 'slug'));
      if (found !== slug) yield wrong(`slug ${slug} leads to ${id}, which has another`);
    }
  }
  for await (const page of scanHash(store, keys.templates)) {
    for (const [template, slug] of page) {
      const id = (await store.call((redis) => redis.hget(keys.slugs, slug))) as BotId | null;
      const found = id === null ? null : await store.call((redis) => redis.hget(keys.bot(id), 'template_id'));
      if (found !== template) yield wrong(`template ${template} leads to ${slug}, which was made from another`);
    }
  }
}

async function* checkEvents(store: Store, last: number): AsyncGenerator<Finding> {
  const [length, known, [newest]] = await store.call((redis) =>
    Promise.all([
      redis.xlen(keys.events),
      redis.zcard(keys.eventIds),
      redis.xrevrange(keys.events, '+', '-', 'COUNT', 1),
    ]),
  );
  if (length > known) yield derivable(`the log has ${length} events, but only ${known} are found by their id`);
  if (newest !== undefined && Number(newest[0].split('-')[0]) > last) {
    yield wrong('the log has an event with a number above the last');
  }
  for await (const page of scanByScore(store, keys.withheld)) {
    for (const { member, score } of page) {
      const number = await store.call((redis) => redis.zscore(keys.eventIds, member));
      if (Number(number) !== score) yield wrong(`event ${member} is withheld under another number than its own`);
    }
  }
}

async function* checkPartition(store: Store, partition: Partition, last: number): AsyncGenerator<Finding> {
  const counts = countWebhooks();
  for await (const page of scanHash(store, partition.targets)) {
    for (const [id, url] of page) {
      counts.add(url);
      if (partitionOf(hostOf(url)).number !== partition.number) yield wrong(`webhook ${id} is in the wrong partition`);
      yield* checkWebhook(store, partition, { id, url, last });
    }
  }
  yield* checkCounts(store, partition.hosts, counts.perHost);
  yield* checkCounts(store, partition.domains, counts.perDomain);
}

/** Hosts and domains are not named: the registrants of webhooks are secret. */
async function* checkCounts(store: Store, key: string, counts: Map<string, number>): AsyncGenerator<Finding> {
  for await (const page of scanHash(store, key)) {
    for (const [name, count] of page) {
      if (counts.get(name) !== Number(count)) yield derivable(`one of ${key} is miscounted`);
      counts.delete(name);
    }
  }
  if (counts.size > 0) yield derivable(`${counts.size} of ${key} are not counted`);
}

async function* checkWebhook(
  store: Store,
  { urls, cursor, yielded, leased, waiting, stopped, taken }: Partition,
  { id, url, last }: { readonly id: string; readonly url: string; readonly last: number },
): AsyncGenerator<Finding> {
  const [owner, idle, yieldedAt, lease, wait, isStopped, position] = await store.call((redis) =>
    Promise.all([
      redis.hget(urls, url),
      redis.zscore(cursor, id),
      redis.zscore(yielded, id),
      redis.zscore(leased, id),
      redis.zscore(waiting, id),
      redis.sismember(stopped, id),
      redis.hget(taken, id),
    ]),
  );
  if (owner !== id) yield derivable(`webhook ${id} is not found by its URL`);
  const states = [idle, yieldedAt, lease, wait].filter((score) => score !== null).length + isStopped;
  if (states !== 1) yield wrong(`webhook ${id} is in ${states} of cursor, yielded, leased, waiting and stopped`);
  if (idle === null && position === null) yield wrong(`webhook ${id} has no cursor`);
  if (Number(idle ?? position?.split(':', 1)[0]) > last) yield wrong(`webhook ${id} has a cursor after the last event`);
}
