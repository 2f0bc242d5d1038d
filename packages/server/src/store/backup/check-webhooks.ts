/** Checks the webhooks of a partition. Hosts and URLs are not named: the registrants of webhooks are secret. */
import { readUrl } from '../../base/read-url.ts';
import { partitionOf, keys, type Partition } from '../keys.ts';
import type { Store } from '../redis.ts';
import { scanHash } from '../scan.ts';
import { countWebhooks, hostOf } from './derive.ts';
import { derivable, ofEach, scanMembers, wrong, type Finding, type Types } from './findings.ts';

export const partitionTypes = (partition: Partition): Types => ({
  ...Object.fromEntries(placesOf(partition).map(({ key, type }) => [key, type])),
  ...{ [partition.urls]: 'hash', [partition.hosts]: 'hash', [partition.domains]: 'hash', [partition.targets]: 'hash' },
});

/** Checks all of it. */
export async function* checkPartition(store: Store, partition: Partition): AsyncGenerator<Finding> {
  const last = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
  const counts = countWebhooks();
  const seen = new Set<string>();
  for await (const page of scanHash(store, partition.targets)) {
    for (const [id, url] of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (readUrl(url) === undefined) {
        yield wrong(`webhook ${id} has no URL`);
        continue;
      }
      counts.add(url);
      if (partitionOf(hostOf(url)).number !== partition.number) yield wrong(`webhook ${id} is in the wrong partition`);
    }
    for (const found of await Promise.all(page.map(([id, url]) => checkWebhook(store, partition, { id, url, last }))))
      yield* found;
  }
  yield* checkCounts(store, partition.hosts, counts.perHost);
  yield* checkCounts(store, partition.domains, counts.perDomain);
  yield* checkLeftovers(store, partition, seen);
}

async function* checkCounts(store: Store, key: string, counts: Map<string, number>): AsyncGenerator<Finding> {
  for await (const page of scanHash(store, key)) {
    for (const [name, count] of page) {
      if (counts.get(name) !== Number(count)) yield derivable(`one of ${key} is miscounted`);
      counts.delete(name);
    }
  }
  if (counts.size > 0) yield derivable(`${counts.size} of ${key} are not counted`);
}

/** Where a webhook's id stands, beside its target. */
export const placesOf = ({ taken, failures, secrets, stopped, cursor, yielded, leased, waiting }: Partition) =>
  [
    ...[taken, failures, secrets].map((key) => ({ key, type: 'hash' }) as const),
    { key: stopped, type: 'set' },
    ...[cursor, yielded, leased, waiting].map((key) => ({ key, type: 'zset' }) as const),
  ] as const;

/** What is kept of a webhook that is not there would keep its URL from being registered, or be sent for ever. */
async function* checkLeftovers(
  store: Store,
  partition: Partition,
  known: ReadonlySet<string>,
): AsyncGenerator<Finding> {
  const leftOver = (key: string, id: string): readonly Finding[] =>
    known.has(id) ? [] : [derivable(`${key} has ${id}, which is no webhook`)];
  yield* ofEach(scanHash(store, partition.urls), ([, id]) => Promise.resolve(leftOver(partition.urls, id)));
  for (const { key, type } of placesOf(partition))
    yield* ofEach(scanMembers(store, key, type), (id) => Promise.resolve(leftOver(key, id)));
}

const checkWebhook = async (
  store: Store,
  { urls, cursor, yielded, leased, waiting, stopped, taken, failures }: Partition,
  { id, url, last }: { readonly id: string; readonly url: string; readonly last: number },
): Promise<Finding[]> => {
  const [owner, idle, yieldedAt, lease, wait, isStopped, position, failed] = await store.call((redis) =>
    Promise.all([
      redis.hget(urls, url),
      redis.zscore(cursor, id),
      redis.zscore(yielded, id),
      redis.zscore(leased, id),
      redis.zscore(waiting, id),
      redis.sismember(stopped, id),
      redis.hget(taken, id),
      redis.hget(failures, id),
    ]),
  );
  const states = [idle, yieldedAt, lease, wait].filter((score) => score !== null).length + isStopped;
  const [number = '', token] = (position ?? '').split(':');
  return [
    ...(owner === null ? [derivable(`webhook ${id} is not found by its URL`)] : []),
    ...(owner !== null && owner !== id ? [wrong(`webhook ${id} has the URL of ${owner}`)] : []),
    ...(states === 1 ? [] : [wrong(`webhook ${id} is in ${states} of cursor, yielded, leased, waiting and stopped`)]),
    ...(idle === null && !/^\d+$/.test(number) ? [wrong(`webhook ${id} has no cursor`)] : []),
    ...(idle !== null && position !== null ? [wrong(`webhook ${id} has two cursors`)] : []),
    ...(Number(idle ?? number) > last ? [wrong(`webhook ${id} has a cursor after the last event`)] : []),
    ...((lease === null) !== (token === undefined) ? [wrong(`webhook ${id} has a token, but no lease, or none`)] : []),
    ...(failed === null || /^\d+:\w*(?::\d+)?$/.test(failed) ? [] : [wrong(`webhook ${id} has no count of failures`)]),
  ];
};
