/**
 * What derives from what: the rows of the table in `keys.ts` that are `derived`, each with how it follows from facts,
 * which are bots, posts, events and webhooks. `check` reports where they differ; `rebuild` and an import correct it.
 */
import type { BotId, PostId } from '../../base/ids.ts';
import { readUrl } from '../../base/parsed.ts';
import { missingTemplate } from '../../domain/bot.ts';
import { keptOfRemoved } from '../../domain/moderation.ts';
import { parseSubscription, topicsOf } from '../../domain/subscription.ts';
import { sharesOf } from '../../domain/webhook-shares.ts';
import { registrableDomain, type WebhookUrl } from '../../domain/webhook-url.ts';
import {
  directoryRows,
  keys,
  keysOfPartition,
  lists,
  partitionRows,
  type Derived,
  type EntryKind,
  type Partition,
} from '../keys.ts';
import { keyOf } from '../reports/report-store.ts';
import { scanByScore, scanHash, scanMembers, scanStream, toMap, type Scored, type Store } from '../../redis/redis.ts';

/** The fields of a hash. */
type Fields = Readonly<Record<string, string>>;

type Kind = EntryKind | 'event';

/** A bot or post, with its position; or an event, with its number. */
type Entry = { readonly kind: Kind; readonly id: string; readonly score: number; readonly fields: Fields };

/** A webhook. `client`: the mark of who registered it, if it is known. */
type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly client: string | undefined;
  readonly subscription: string | undefined;
};

/** A name and the value that it has to have, or for a sorted set a member and its score. */
type Named = readonly [name: string, value: string | number];

/** How a row follows from facts of some kinds. */
type Derivation = {
  readonly of: readonly Kind[];
  readonly from: (entry: Entry) => readonly Named[];
  /** Whether what is stored will do: by default what is equal. */
  readonly isRight?: (stored: string, value: string) => boolean;
  /** The row may have more than what follows. */
  readonly mayHaveMore?: true;
  /** A name stays taken: what has it may have lost its place in a list. */
  readonly isForGood?: true;
};

const whereMissing = (place: 'missing' | 'gone'): Derivation => ({
  of: ['bot'],
  from: ({ id, fields }) =>
    missingTemplate(new Map(Object.entries(fields))) === place ? [[id, fields.missed_at ?? 0]] : [],
  // When it is read next.
  isRight: () => true,
});

const ofDirectory = {
  slugs: { of: ['bot'], from: ({ id, fields }) => [[fields.slug ?? '', id]], isForGood: true },
  templates: { of: ['bot'], from: ({ fields }) => [[fields.template_id ?? '', fields.slug ?? '']], isForGood: true },
  missing: whereMissing('missing'),
  gone: whereMissing('gone'),
  statuses: { of: ['post'], from: ({ id, fields }) => [[fields.status_id ?? '', id]], isForGood: true },
  changes: {
    of: ['bot', 'post'],
    from: ({ id, score }) => [[id, score]],
    isRight: (stored, value) => Number(stored) >= Number(value),
  },
  // Backups of older formats have ids of events that were taken away.
  eventIds: { of: ['event'], from: ({ id, score }) => [[id, score]], mayHaveMore: true },
} as const satisfies { readonly [Name in Derived<typeof directoryRows>]: Derivation };

const counted = (names: readonly string[]): Named[] => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
};

const ofPartition = {
  urls: (webhooks) => webhooks.map(({ url, id }) => [url, id]),
  hosts: (webhooks) =>
    counted(
      webhooks.flatMap(({ url, client }) =>
        sharesOf({ url: url as WebhookUrl, host: hostOf(url) }, client).map(({ name }) => name),
      ),
    ),
  domains: (webhooks) => counted(webhooks.map(({ url }) => registrableDomain(hostOf(url)))),
  topics: (webhooks) =>
    webhooks.flatMap(({ id, subscription }) => {
      const own = parseSubscription(subscription);
      return own === undefined ? [] : topicsOf(own).map((topic): Named => [`${topic}\n${id}`, 0]);
    }),
} as const satisfies { readonly [Name in Derived<typeof partitionRows>]: (webhooks: readonly Webhook[]) => Named[] };

/** The host whose limit a webhook counts towards. */
export const hostOf = (url: string): string => new URL(url).hostname;

/** The fields of a hash; none if there is something else under its key. */
export const hashAt = async (store: Store, key: string): Promise<Record<string, string>> =>
  (await store.call((redis) => redis.type(key))) === 'hash' ? store.call((redis) => redis.hgetall(key)) : {};

/** The fields of a removed bot or post that should not be there. */
export const textsOfRemoved = (fields: Fields): string[] => {
  if (fields.state !== 'removed') return [];
  const kept: readonly string[] = keptOfRemoved[fields.id?.startsWith('post_') ? 'post' : 'bot'];
  return Object.keys(fields).filter((name) => !kept.includes(name));
};

/** Where ids of webhooks are, in addition to their targets. */
export const placesOf = (partition: Partition) =>
  keysOfPartition(partition).flatMap(({ key, type, from }) =>
    from === 'derived' || key === partition.targets || type === 'string' || type === 'stream' ? [] : [{ key, type }],
  );

/** A derived row, and what it has to have of a page of facts. */
type Index<Fact> = Pick<Derivation, 'isRight' | 'mayHaveMore' | 'isForGood'> & {
  readonly key: string;
  readonly type: 'hash' | 'zset';
  readonly from: (facts: readonly Fact[]) => readonly Named[];
};

/**
 * What is wrong in a derived row. `value`: undefined if nothing should be there. `byHand`: two facts have the name, or
 * it is taken for good, so that nobody but an operator can say what is right.
 */
export type Mistake = {
  readonly key: string;
  readonly type: 'hash' | 'zset';
  readonly name: string;
  readonly value: string | undefined;
  readonly byHand: boolean;
};

/** Finds what is wrong in the derived rows of the directory. */
export async function* mistakesInDirectory(store: Store): AsyncGenerator<Mistake> {
  const indexes = Object.entries<Derivation>(ofDirectory).map(([name, { of, from, ...rest }]) => ({
    ...rest,
    of,
    key: keys[name as keyof typeof ofDirectory],
    type: directoryRows[name as keyof typeof ofDirectory].type,
    from: (page: readonly Entry[]) => page.filter(({ kind }) => of.includes(kind)).flatMap(from),
  }));
  const ofEvents = indexes.filter(({ of }) => of.includes('event'));
  yield* mistakes(
    store,
    indexes.filter((one) => !ofEvents.includes(one)),
    entries(store),
  );
  yield* mistakes(store, ofEvents, events(store));
}

/** Finds what is wrong in the derived rows of a partition. */
export async function* mistakesInPartition(store: Store, partition: Partition): AsyncGenerator<Mistake> {
  const indexes = Object.entries(ofPartition).map(([name, from]) => ({
    from,
    key: partition[name as keyof typeof ofPartition],
    type: partitionRows[name as keyof typeof ofPartition].type,
  }));
  yield* mistakes(store, indexes, webhooks(store, partition));
}

/** Pages of bots and posts in whatever state. One without a hash is a fault of its list. */
async function* entries(store: Store): AsyncGenerator<readonly Entry[]> {
  for (const kind of ['bot', 'post'] as const)
    for (const key of lists[kind])
      for await (const page of scanByScore(store, key)) {
        const read = async ({ member: id, score }: Scored): Promise<Entry> => {
          const fields = await hashAt(store, keyOf(id as BotId | PostId));
          return { kind, id, score, fields };
        };
        yield (await Promise.all(page.map(read))).filter(({ id, fields }) => fields.id === id);
      }
}

/** Pages of events. */
async function* events(store: Store): AsyncGenerator<readonly Entry[]> {
  for await (const page of scanStream(store, keys.events))
    yield page.map(([entry, flat]) => {
      const fields = Object.fromEntries(toMap(flat));
      return { kind: 'event', id: fields.id ?? '', score: Number(entry.split('-')[0]), fields };
    });
}

/** All webhooks of a partition in one page, because some of them are counted. */
async function* webhooks(
  store: Store,
  { targets, registrants, subscriptions }: Partition,
): AsyncGenerator<readonly Webhook[]> {
  const found = new Map<string, Webhook>();
  for await (const page of scanHash(store, targets)) {
    const ids = page.map(([id]) => id);
    const [clients, texts] = await store.call((redis) =>
      Promise.all([redis.hmget(registrants, ...ids), redis.hmget(subscriptions, ...ids)]),
    );
    for (const [i, [id, url]] of page.entries())
      if (readUrl(url) !== undefined)
        found.set(id, { id, url, client: clients[i] ?? undefined, subscription: texts[i] ?? undefined });
  }
  yield [...found.values()];
}

const atOnce = 500;

/**
 * Compares rows with pages of facts. The names in a row are read before the facts, so that one that is added meanwhile
 * does not look superfluous.
 */
async function* mistakes<Fact>(
  store: Store,
  indexes: readonly Index<Fact>[],
  pages: AsyncIterable<readonly Fact[]>,
): AsyncGenerator<Mistake> {
  const compared = [];
  for (const index of indexes)
    compared.push({
      index,
      before: index.mayHaveMore ? new Set<string>() : await namesAt(store, index),
      found: new Map<string, string>(),
    });
  for await (const page of pages)
    for (const { index, found } of compared) {
      const named = index.from(page).map(([name, value]) => [name, String(value)] as const);
      for (let i = 0; i < named.length; i += atOnce)
        yield* mistakesAmong(store, index, named.slice(i, i + atOnce), found);
    }
  for (const { index, before, found } of compared)
    for (const name of before)
      if (!found.has(name)) yield { ...placeOf(index), name, value: undefined, byHand: index.isForGood === true };
}

/** Compares some names of a row, and adds them to those that were found before. */
async function* mistakesAmong<Fact>(
  store: Store,
  index: Index<Fact>,
  named: readonly (readonly [string, string])[],
  found: Map<string, string>,
): AsyncGenerator<Mistake> {
  const { key, type, isRight = (stored, value) => stored === value } = index;
  const names = named.map(([name]) => name);
  const stored = await store.call((redis) =>
    type === 'hash' ? redis.hmget(key, ...names) : redis.zmscore(key, ...names),
  );
  for (const [i, [name, value]] of named.entries()) {
    const other = found.get(name);
    if (!index.mayHaveMore) found.set(name, other ?? value);
    const there = stored[i] ?? null;
    if (other !== undefined && other !== value) yield { ...placeOf(index), name, value, byHand: true };
    else if (there === null || !isRight(there, value)) yield { ...placeOf(index), name, value, byHand: false };
  }
}

const placeOf = <Fact>({ key, type }: Index<Fact>) => ({ key, type });

const namesAt = async <Fact>(store: Store, { key, type }: Index<Fact>): Promise<Set<string>> => {
  const names = new Set<string>();
  for await (const page of scanMembers(store, key, type)) for (const name of page) names.add(name);
  return names;
};

/** Corrects a row, if what is right follows from the facts. */
export const correct = async (store: Store, { key, type, name, value, byHand }: Mistake): Promise<void> => {
  if (byHand) return;
  await store.call((redis): Promise<unknown> => {
    if (type === 'hash') return value === undefined ? redis.hdel(key, name) : redis.hset(key, name, value);
    return value === undefined ? redis.zrem(key, name) : redis.zadd(key, value, name);
  });
};
