/**
 * The oracle of the queues: every webhook is in exactly one place of the right queue, has one cursor within the log, a
 * token exactly while it is leased, and readable failures. Operators get `check`, which says what they can act on.
 */
import { openTestStore } from '@bot-directory/testing/store';
import { keys, ownQueue, partitions, type Partition, type Queue } from '../../src/store/keys.ts';
import { readTogether, scanHash, type ReadCommand, type Store } from '../../src/redis/redis.ts';

type Reply = string | null;

/** Returns what is wrong with the webhooks of a store that nobody changes. */
export const faultsOfQueues = async (redisUrl: string): Promise<readonly string[]> => {
  const store = await openTestStore(redisUrl);
  try {
    const last = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
    const faults: string[] = [];
    for (const partition of partitions)
      for await (const page of scanHash(store, partition.targets))
        for (const [id] of page) faults.push(...(await faultsOf(store, partition, { id, last })));
    return faults;
  } finally {
    await store.close();
  }
};

const faultsOf = async (
  store: Store,
  partition: Partition,
  { id, last }: { readonly id: string; readonly last: number },
): Promise<readonly string[]> => {
  const { taken, failures, subscriptions, asleep } = partition;
  const [position, failed, subscription, sleeping, ...places] = (await readTogether(store, [
    ...[taken, failures, subscriptions].map((key) => ['HGET', key, id] as const),
    ['ZSCORE', asleep, id],
    ...[partition, ownQueue(partition)].flatMap((queue) => placeReads(queue, id)),
  ])) as [Reply, Reply, Reply, Reply, ...unknown[]];
  const common = placeFrom(places.slice(0, 5));
  const own = placeFrom(places.slice(5));
  const [place, other] = subscription === null ? [common, own] : [own, common];
  const states = [...place.states, sleeping].filter((score) => score !== null).length;
  const idle = place.idle ?? sleeping;
  const [number = '', token] = (position ?? '').split(':');
  const isElsewhere = other.states.some((score) => score !== null) || (subscription === null && sleeping !== null);
  const faults = {
    [`is in ${states} of cursor, yielded, leased, waiting, stopped and asleep`]: states !== 1,
    'is in the wrong queue': isElsewhere,
    'has no cursor': idle === null && !/^\d+$/.test(number),
    'has two cursors': idle !== null && position !== null,
    'has a cursor after the last event': Number(idle ?? number) > last,
    'has a token, but no lease, or none': (place.leased === null) === (token !== undefined),
    'has no count of failures': failed !== null && !/^\d+:\w*(?::\d+(?::[\w ]+)?)?$/.test(failed),
  };
  return Object.entries(faults).flatMap(([what, isSo]) => (isSo ? [`webhook ${id} ${what}`] : []));
};

/** What is read of a webhook's place in a queue. */
const placeReads = ({ cursor, yielded, leased, waiting, stopped }: Queue, id: string): readonly ReadCommand[] => [
  ...[cursor, yielded, leased, waiting].map((key) => ['ZSCORE', key, id] as const),
  ['SISMEMBER', stopped, id],
];

const placeFrom = (replies: readonly unknown[]) => {
  const [idle = null, yielded = null, leased = null, waiting = null] = replies as readonly Reply[];
  return { idle, leased, states: [idle, yielded, leased, waiting, replies[4] === 1 ? '' : null] };
};
