/**
 * Checks the store for what an operator can act on: types of keys, counts, facts that contradict each other, and
 * derived rows that differ from the facts. Writes nothing. Hosts and URLs are not named: the registrants of webhooks
 * are secret.
 */
import { loggedEventTypes } from '@bot-directory/contract';
import type { BotId, PostId } from '../../base/ids.ts';
import { readUrl } from '../../base/parsed.ts';
import { blockKinds } from '../../domain/block-list.ts';
import { botStates } from '../../domain/bot.ts';
import { parseSubscription, subscriptionText } from '../../domain/subscription.ts';
import {
  allKeys,
  keys,
  keysOfPartition,
  lists,
  partitionOf,
  partitions,
  type EntryKind,
  type Partition,
} from '../keys.ts';
import { isLoss } from '../../redis/known.ts';
import {
  readTogether,
  scanByScore,
  scanHash,
  scanMembers,
  scanStream,
  toMap,
  type ReadCommand,
  type Scored,
  type Store,
} from '../../redis/redis.ts';
import { keyOf, toReport } from '../reports/report-store.ts';
import { readSize } from '../admission/note.ts';
import {
  hashAt,
  hostOf,
  mistakesInDirectory,
  mistakesInPartition,
  placesOf,
  textsOfRemoved,
  type Mistake,
} from './derived.ts';

/** A violated invariant. `derived`: `rebuild` repairs it. `about`: what the words do not name, or count. */
export type Finding = { readonly what: string; readonly derived: boolean; readonly about?: string };

export const wrong = (what: string): Finding => ({ what, derived: false });
const derivable = (what: string, about = ''): Finding => ({ what, derived: true, about });

/** How often a finding is looked at. What others are changing is found once, and damage each time. */
const looks = 3;

/** Finds violated invariants, while others may write. `onProgress` receives the progress. */
export const checkStore = async (
  store: Store,
  onProgress: (part: string) => void = () => undefined,
): Promise<readonly Finding[]> => {
  let found = await look(store, onProgress);
  for (let i = 1; i < looks && found.size > 0; i += 1) {
    const again = await look(store, onProgress);
    found = new Map([...found].filter(([name]) => again.has(name)));
  }
  return [...new Map([...found.values()].map((finding) => [finding.what, finding])).values()];
};

const look = async (store: Store, onProgress: (part: string) => void): Promise<ReadonlyMap<string, Finding>> => {
  const found = new Map<string, Finding>();
  for await (const finding of findAll(store, onProgress)) found.set(`${finding.what} ${finding.about}`, finding);
  return found;
};

async function* findAll(store: Store, onProgress: (part: string) => void): AsyncGenerator<Finding> {
  let isReadable = true;
  for await (const finding of checkTypes(store)) {
    isReadable = false;
    yield finding;
  }
  if (!isReadable) return;
  onProgress('bots, posts and events');
  yield* checkLoss(store);
  yield* checkFacts(store);
  for await (const mistake of mistakesInDirectory(store)) yield toFinding(mistake);
  for (const partition of partitions) {
    onProgress(`webhooks, part ${partition.number + 1} of ${partitions.length}`);
    yield* checkWebhooks(store, partition);
    for await (const mistake of mistakesInPartition(store, partition)) yield toFinding(mistake);
  }
}

const toFinding = ({ key, name, value, byHand }: Mistake): Finding => {
  if (!byHand)
    return derivable(`some of ${key} ${value === undefined ? 'belong to nothing' : 'are missing or wrong'}`, name);
  return wrong(value === undefined ? `${key} has ${name}, and nothing has that` : `${key} is to have two of ${value}`);
};

/** Finds keys of another type than expected: nothing that reads them can go on. */
async function* checkTypes(store: Store): AsyncGenerator<Finding> {
  for (const { key, type } of allKeys) {
    const found = await store.call((redis) => redis.type(key));
    if (found !== type && found !== 'none') yield wrong(`${key} is a ${found}, and has to be a ${type}`);
  }
}

/** Finds that the store is empty or was emptied, and that the operator has not accepted that. */
async function* checkLoss(store: Store): AsyncGenerator<Finding> {
  const { has, acceptance, noted = 0 } = await readSize(store);
  if (isLoss(noted, has)) yield wrong(`the directory has far fewer than the ${noted} bots and posts that it had`);
  else if (has === 0 && acceptance === '') yield wrong('the store is empty');
}

/** Yields the findings about every item. The items of a page are read at once. */
async function* ofEach<Item>(
  pages: AsyncIterable<readonly Item[]>,
  look: (item: Item) => Promise<readonly Finding[]> | readonly Finding[],
): AsyncGenerator<Finding> {
  for await (const page of pages)
    for (const found of await Promise.all(page.map(async (item) => look(item)))) yield* found;
}

/** Whether a number is higher than this one in the store, which may have risen since `known` was read. */
const isAbove = async (store: Store, counter: 'version' | 'events', value: number, known: number): Promise<boolean> =>
  value > known && value > Number((await store.call((redis) => redis.hget(keys.state, counter))) ?? 0);

/** Checks bots, posts, events, blocks and reports: their hashes, positions and numbers, and what they are about. */
async function* checkFacts(store: Store): AsyncGenerator<Finding> {
  const counters = ['version', 'urgent', 'events', 'announced'] as const;
  const found = await store.call((redis) => redis.hmget(keys.state, ...counters));
  const [version = 0, ...others] = found.map((text) => Number(text ?? 0));
  for (const [i, value] of others.entries())
    if (!(value <= version)) yield wrong(`${counters[i + 1] ?? ''} is above the version`);
  for (const kind of ['bot', 'post'] as const)
    for (const key of lists[kind]) {
      yield* checkPositions(store, key, version);
      yield* ofEach(scanByScore(store, key), (entry) => checkEntry(store, { kind, key }, entry));
    }
  yield* ofEach(scanByScore(store, keys.changes), async ({ member, score }) =>
    (await isAbove(store, 'version', score, version)) ? [wrong(`${member} has a change after the last`)] : [],
  );
  const last = Number(found[2] ?? 0);
  yield* ofEach(scanStream(store, keys.events), ([entry, flat]) => checkEvent(store, { entry, last }, toMap(flat)));
  yield* ofEach(scanHash(store, keys.blocks), ([key, stored]) => checkBlock(key, stored));
  yield* ofEach(scanHash(store, keys.reports), ([name, value]) => checkReport(store, name, value));
  yield* ofEach(scanHash(store, keys.suffixes), ([base, next]) =>
    /^[1-9]\d*$/.test(next) ? [] : [derivable(`the next suffix of ${base} is no number`)],
  );
}

/** Finds entries at one position: if a page of a list ends with one, the next page lacks the other. */
async function* checkPositions(store: Store, key: string, version: number): AsyncGenerator<Finding> {
  const all = await store.call((redis) => redis.zcard(key));
  let seen = 0;
  let last = -Infinity;
  for await (const page of scanByScore(store, key))
    for (const { member, score } of page) {
      seen += 1;
      if (score === last) yield wrong(`${member} has the position of another`);
      if (await isAbove(store, 'version', score, version))
        yield wrong(`${member} has a position after the last change`);
      last = score;
    }
  // What was taken out of the list meanwhile is in neither number.
  const left = Math.min(all, await store.call((redis) => redis.zcard(key)));
  if (seen < left) yield wrong(`some of ${key} have the position of another`);
}

/** Checks that an entry has its hash, is in the list for its state alone, and has no text if it was removed. */
const checkEntry = async (
  store: Store,
  { kind, key }: { readonly kind: EntryKind; readonly key: string },
  { member: id }: Scored,
): Promise<readonly Finding[]> => {
  const fields = await hashAt(store, keyOf(id as BotId | PostId));
  if (fields.id !== id) return [wrong(`${kind} ${id} is in a list, but its hash is missing`)];
  const [listed, withdrawn] = lists[kind];
  const state = fields.state ?? 'listed';
  const isListed = key === listed;
  const isInBoth = isListed && (await store.call((redis) => redis.zscore(withdrawn, id))) !== null;
  return [
    ...(botStates.some((one) => one === state) ? [] : [wrong(`${kind} ${id} is in no known state`)]),
    ...(isInBoth ? [wrong(`${kind} ${id} is both listed and withdrawn`)] : []),
    ...((state === 'listed') === isListed ? [] : [wrong(`${kind} ${id} is ${state}, but filed as if not`)]),
    ...(textsOfRemoved(fields).length === 0 ? [] : [derivable(`${id} was removed, but its text is still there`)]),
  ];
};

/** Checks that an event has a number that has been assigned, is of a known type, and is about a bot that is there. */
const checkEvent = async (
  store: Store,
  { entry, last }: { readonly entry: string; readonly last: number },
  fields: ReadonlyMap<string, string>,
): Promise<readonly Finding[]> => {
  const id = fields.get('id') ?? '';
  const bot = await hashAt(store, keys.bot(fields.get('bot') as BotId));
  const isKnown = loggedEventTypes.some((type) => type === fields.get('type'));
  return [
    ...((await isAbove(store, 'events', Number(entry.split('-')[0]), last))
      ? [wrong(`event ${id} has a number above the last`)]
      : []),
    ...(isKnown ? [] : [wrong(`event ${id} is of no known type`)]),
    ...(bot.id === undefined ? [wrong(`event ${id} is about a bot that is not there`)] : []),
  ];
};

const checkBlock = (key: string, stored: string): Finding[] => {
  const isKnown = blockKinds.some((kind) => key.startsWith(`${kind}:`));
  try {
    const { atMs } = JSON.parse(stored) as { atMs?: unknown };
    if (isKnown && typeof atMs === 'number') return [];
  } catch {
    // It is no JSON.
  }
  return [wrong(`block ${key} cannot be read`)];
};

const checkReport = async (store: Store, name: string, value: string): Promise<readonly Finding[]> => {
  const report = toReport(name, value);
  if (report === undefined) return [wrong(`report ${name} cannot be read`)];
  const { id } = await hashAt(store, keyOf(report.subject));
  return id === undefined ? [wrong(`report ${report.id} is of a bot or post that is not there`)] : [];
};

/** Checks the webhooks of a partition: their URLs, their number, and that nothing is stored of unknown ones. */
async function* checkWebhooks(store: Store, partition: Partition): AsyncGenerator<Finding> {
  yield* ofEach(scanHash(store, partition.targets), ([id, url]) => {
    if (readUrl(url) === undefined) return [wrong(`webhook ${id} has no URL`)];
    const isHere = partitionOf(hostOf(url)).number === partition.number;
    return isHere ? [] : [wrong(`webhook ${id} is in the wrong partition`)];
  });
  yield* checkCount(store, partition);
  for (const { key, type } of placesOf(partition))
    yield* ofEach(scanMembers(store, key, type), async (id) =>
      (await store.call((redis) => redis.hexists(partition.targets, id))) === 1
        ? []
        : [derivable(`${key} has ${id}, which is no webhook`)],
    );
  yield* ofEach(scanHash(store, partition.subscriptions), ([id, text]) => {
    const own = parseSubscription(text);
    if (own === undefined) return [wrong(`webhook ${id} has no readable subscription`)];
    return subscriptionText(own) === text ? [] : [derivable(`webhook ${id} has topics of another subscription`)];
  });
}

/** Checks that there are as many webhooks in the queues as there are, at one instant. */
async function* checkCount(store: Store, partition: Partition): AsyncGenerator<Finding> {
  const queued = keysOfPartition(partition).filter(({ name }) =>
    ['cursor', 'yielded', 'leased', 'waiting', 'stopped', 'asleep'].includes(name),
  );
  const [all = 0, ...counts] = (await readTogether(store, [
    ['HLEN', partition.targets],
    ...queued.map(({ key, type }): ReadCommand => [type === 'set' ? 'SCARD' : 'ZCARD', key]),
  ])) as number[];
  const sum = counts.reduce((a, b) => a + b, 0);
  if (sum !== all) yield wrong(`of ${all} webhooks in ${partition.targets}, ${sum} are in queues`);
}
