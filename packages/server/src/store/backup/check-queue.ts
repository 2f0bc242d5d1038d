/**
 * Checks the event log, the reports, and the webhooks of each partition, and says what a finding is. Hosts and URLs are
 * not named: the registrants of webhooks are secret.
 */
import { loggedEventTypes } from '@bot-directory/contract';
import type { BotId } from '../../base/ids.ts';
import { readUrl } from '../../base/parsed.ts';
import { subscriptionText, parseSubscription } from '../../domain/subscription.ts';
import { keys, ownQueue, partitionOf, type Partition, type Queue } from '../keys.ts';
import { keyOf, toReport } from '../report-store.ts';
import {
  readTogether,
  scanByScore,
  scanHash,
  scanMembers,
  scanStream,
  toMap,
  type ReadCommand,
  type Store,
} from '../redis.ts';
import { clientsOf, countWebhooks, hashAt, hostOf, isTopicOf, placesOf, topicMembers } from './derived.ts';

/** A violated invariant. `derived`: `rebuild` repairs it. `about`: what the words do not name, or count. */
export type Finding = { readonly what: string; readonly derived: boolean; readonly about?: string };

/** The types of keys, by key. */
export type Types = Readonly<Record<string, 'hash' | 'zset' | 'set' | 'stream' | 'string'>>;

export const wrong = (what: string): Finding => ({ what, derived: false });
export const derivable = (what: string, about = ''): Finding => ({ what, derived: true, about });

/** Whether a number is higher than this one in the store, which may have risen since `known` was read. */
export const isAbove = async (
  store: Store,
  counter: 'version' | 'events',
  { value, known }: { readonly value: number; readonly known: number },
): Promise<boolean> =>
  value > known && value > Number((await store.call((redis) => redis.hget(keys.state, counter))) ?? 0);

/** Yields the findings about every item. The items of a page are read at once. */
export async function* ofEach<Item>(
  pages: AsyncIterable<readonly Item[]>,
  look: (item: Item) => Promise<readonly Finding[]>,
): AsyncGenerator<Finding> {
  for await (const page of pages) for (const found of await Promise.all(page.map(look))) yield* found;
}

/** Checks that every event is found by its id, under a number that has been assigned. */
export async function* checkEvents(store: Store): AsyncGenerator<Finding> {
  const last = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
  yield* ofEach(scanStream(store, keys.events), async ([entry, fields]) => {
    const number = Number(entry.split('-')[0]);
    const id = fields[fields.indexOf('id') + 1] ?? '';
    const known = await store.call((redis) => redis.zscore(keys.eventIds, id));
    return [
      ...((await isAbove(store, 'events', { value: number, known: last }))
        ? [wrong(`event ${id} has a number above the last`)]
        : []),
      ...(known === null ? [derivable(`event ${id} is not found by its id`)] : []),
      ...(known !== null && Number(known) !== number ? [derivable(`event ${id} is found under another number`)] : []),
      ...(await checkSubject(store, id, fields)),
    ];
  });
  for await (const page of scanByScore(store, keys.eventIds))
    for (const { member, score } of page)
      if (await isAbove(store, 'events', { value: score, known: last }))
        yield wrong(`event ${member} is known by a number above the last`);
}

/** Checks that an event is of a known type, and about a bot that is there. */
const checkSubject = async (store: Store, id: string, flat: readonly string[]): Promise<Finding[]> => {
  const fields = toMap(flat);
  const bot = await hashAt(store, keys.bot(fields.get('bot') as BotId));
  return [
    ...(loggedEventTypes.some((type) => type === fields.get('type')) ? [] : [wrong(`event ${id} is of no known type`)]),
    ...(bot.id === undefined ? [wrong(`event ${id} is about a bot that is not there`)] : []),
  ];
};

/** Checks that reports can be read, and that what they are of is there. */
export async function* checkReports(store: Store): AsyncGenerator<Finding> {
  yield* ofEach(scanHash(store, keys.reports), async ([name, value]) => {
    const report = toReport(name, value);
    if (report === undefined) return [wrong(`report ${name} cannot be read`)];
    const { id: known } = await hashAt(store, keyOf(report.subject));
    return known === undefined ? [wrong(`report ${report.id} is of a bot or post that is not there`)] : [];
  });
}

export const partitionTypes = (partition: Partition): Types => ({
  ...Object.fromEntries(placesOf(partition).map(({ key, type }) => [key, type])),
  [partition.topics]: 'zset',
  [partition.watermark]: 'string',
  [partition.known]: 'string',
  [partition.urls]: 'hash',
  [partition.hosts]: 'hash',
  [partition.domains]: 'hash',
  [partition.targets]: 'hash',
  [partition.registrants]: 'hash',
});

/** Checks all webhooks of a partition. */
export async function* checkPartition(store: Store, partition: Partition): AsyncGenerator<Finding> {
  const last = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
  const counts = countWebhooks();
  const seen = new Set<string>();
  for await (const page of scanHash(store, partition.targets)) {
    const clients = await clientsOf(store, partition, page);
    for (const [id, url] of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (readUrl(url) === undefined) {
        yield wrong(`webhook ${id} has no URL`);
        continue;
      }
      counts.add(url, clients.get(id));
      if (partitionOf(hostOf(url)).number !== partition.number) yield wrong(`webhook ${id} is in the wrong partition`);
    }
    for (const found of await Promise.all(page.map(([id, url]) => checkWebhook(store, partition, { id, url, last }))))
      yield* found;
  }
  yield* checkCounts(store, partition.hosts, counts.perHost);
  yield* checkCounts(store, partition.domains, counts.perDomain);
  yield* checkLeftovers(store, partition, seen);
  yield* checkTopics(store, partition);
}

async function* checkCounts(store: Store, key: string, counts: Map<string, number>): AsyncGenerator<Finding> {
  for await (const page of scanHash(store, key)) {
    for (const [name, count] of page) {
      const off = Number(count) - (counts.get(name) ?? 0);
      if (off !== 0) yield derivable(`some of ${key} are miscounted`, `${name} by ${off}`);
      counts.delete(name);
    }
  }
  for (const name of counts.keys()) yield derivable(`some of ${key} are not counted`, name);
}

/** Finds what is stored of unknown webhooks, whose URL could not be registered, or would be called forever. */
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
  partition: Partition,
  { id, url, last }: { readonly id: string; readonly url: string; readonly last: number },
): Promise<Finding[]> => {
  const { urls, taken, failures, subscriptions, asleep, topics } = partition;
  // At one instant: between two reads it could move from one queue to another.
  const [holder, position, failed, subscription, sleeping, ...places] = (await readTogether(store, [
    ['HGET', urls, url],
    ...[taken, failures, subscriptions].map((key) => ['HGET', key, id] as const),
    ['ZSCORE', asleep, id],
    ...[partition, ownQueue(partition)].flatMap((queue) => placeReads(queue, id)),
  ])) as [Reply, Reply, Reply, Reply, Reply, ...unknown[]];
  const common = placeFrom(places.slice(0, 5));
  const own = placeFrom(places.slice(5));
  const [place, other] = subscription === null ? [common, own] : [own, common];
  const states = [...place.states, sleeping].filter((score) => score !== null).length;
  const idle = place.idle ?? sleeping;
  const [number = '', token] = (position ?? '').split(':');
  return [
    ...(holder === null ? [derivable(`webhook ${id} is not found by its URL`)] : []),
    ...(holder !== null && holder !== id ? [wrong(`webhook ${id} has the URL of ${holder}`)] : []),
    ...(states === 1
      ? []
      : [wrong(`webhook ${id} is in ${states} of cursor, yielded, leased, waiting, stopped and asleep`)]),
    ...(other.states.some((score) => score !== null) || (subscription === null && sleeping !== null)
      ? [wrong(`webhook ${id} is in the wrong queue`)]
      : []),
    ...(idle === null && !/^\d+$/.test(number) ? [wrong(`webhook ${id} has no cursor`)] : []),
    ...(idle !== null && position !== null ? [wrong(`webhook ${id} has two cursors`)] : []),
    ...((await isAbove(store, 'events', { value: Number(idle ?? number), known: last }))
      ? [wrong(`webhook ${id} has a cursor after the last event`)]
      : []),
    ...((place.leased === null) !== (token === undefined)
      ? [wrong(`webhook ${id} has a token, but no lease, or none`)]
      : []),
    ...(failed === null || /^\d+:\w*(?::\d+(?::[\w ]+)?)?$/.test(failed)
      ? []
      : [wrong(`webhook ${id} has no count of failures`)]),
    ...(subscription === null ? [] : await checkSubscription(store, topics, { id, subscription })),
  ];
};

type Reply = string | null;

/** What is read of a webhook's place in a queue. */
const placeReads = ({ cursor, yielded, leased, waiting, stopped }: Queue, id: string): readonly ReadCommand[] => [
  ...[cursor, yielded, leased, waiting].map((key) => ['ZSCORE', key, id] as const),
  ['SISMEMBER', stopped, id],
];

const placeFrom = (replies: readonly unknown[]) => {
  const [idle = null, yielded = null, leased = null, waiting = null] = replies as readonly Reply[];
  return { idle, leased, states: [idle, yielded, leased, waiting, replies[4] === 1 ? '' : null] };
};

const checkSubscription = async (
  store: Store,
  topics: string,
  { id, subscription }: { readonly id: string; readonly subscription: string },
): Promise<Finding[]> => {
  const own = parseSubscription(subscription);
  if (own === undefined) return [wrong(`webhook ${id} has no readable subscription`)];
  const found = await store.call((redis) => redis.zmscore(topics, ...topicMembers(id, own)));
  return subscription === subscriptionText(own) && found.every((score) => score !== null)
    ? []
    : [derivable(`webhook ${id} is not found by the topics of its subscription`)];
};

/** Finds members of topics whose webhook has no such topic: they would be examined forever. */
async function* checkTopics(store: Store, { topics, subscriptions }: Partition): AsyncGenerator<Finding> {
  yield* ofEach(scanMembers(store, topics, 'zset'), async (member) =>
    (await isTopicOf(store, subscriptions, member))
      ? []
      : [derivable(`${topics} has a topic that no webhook has`, member)],
  );
}
