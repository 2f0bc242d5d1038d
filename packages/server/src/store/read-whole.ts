/**
 * Reads all bots and posts of the store, for an empty copy: in commit order, in small pages so that the store can serve
 * others in between, with several requests in flight so that neither side waits for the other.
 */
import { botHashFields } from '../domain/bot-fields.ts';
import { keys } from './keys.ts';
import { postHashFields } from './post-store.ts';
import type { Store } from './redis.ts';

/**
 * A bot or a post: its commit number, the version of its last change, and its hash. One that is no longer in the list
 * keeps its commit number (0 if it never had one), and may come back.
 */
export type StoredEntry = {
  readonly id: string;
  readonly seq: number;
  readonly version: number;
  readonly isListed: boolean;
  readonly hash: Hash;
};

/** The fields of a hash that somebody reads. `size` is 0 if there is no such hash. */
export type Hash = Pick<ReadonlyMap<string, string>, 'get' | 'size'>;

const idsAtOnce = 2_000;
const entriesAtOnce = 100;
const underWay = 6;

/**
 * Passes on every entry that existed when it began and still does. What changes meanwhile may be passed in its old
 * state, its new one or not at all, and must be read again afterwards.
 */
export const readWhole = async (store: Store, take: (entry: StoredEntry) => void): Promise<void> => {
  const withdrawn = await placesOfWithdrawn(store);
  for (const [list, fields] of [
    [keys.bots, botHashFields],
    [keys.posts, postHashFields],
  ] as const) {
    const replies: Promise<StoredEntry[]>[] = [];
    const takeFirst = async (): Promise<void> => {
      for (const entry of (await replies.shift()) ?? []) if (entry.hash.size > 0) take(entry);
    };
    for await (const listed of placesOf(store, list)) {
      const placed = list === keys.bots ? withWithdrawn(listed, withdrawn) : listed;
      for (let i = 0; i < placed.length; i += entriesAtOnce) {
        const reply = readEntries(store, placed.slice(i, i + entriesAtOnce), fields);
        // Awaited later; until then its rejection must not count as unhandled.
        reply.catch(() => undefined);
        if (replies.push(reply) >= underWay) await takeFirst();
      }
    }
    while (replies.length > 0) await takeFirst();
  }
};

type Placed = { readonly id: string; readonly seq: number; readonly isListed: boolean };

async function* placesOf(store: Store, list: string): AsyncGenerator<Placed[]> {
  for (let after = '-inf'; ;) {
    const reply = await store.call((redis) =>
      redis.zrangebyscore(list, after, '+inf', 'WITHSCORES', 'LIMIT', 0, idsAtOnce),
    );
    const placed = Array.from({ length: reply.length / 2 }, (_, i) => ({
      id: reply[2 * i] ?? '',
      seq: Number(reply[2 * i + 1]),
      isListed: true,
    }));
    yield placed;
    if (placed.length < idsAtOnce) return;
    after = `(${reply.at(-1) ?? ''}`;
  }
}

/** Entries that are not listed now, in commit order: few, compared with the listed ones. */
const placesOfWithdrawn = async (store: Store): Promise<Placed[]> => {
  const reply = await store.call((redis) => redis.zrangebyscore(keys.withdrawn, '-inf', '+inf', 'WITHSCORES'));
  return Array.from({ length: reply.length / 2 }, (_, i) => ({
    id: reply[2 * i] ?? '',
    seq: Number(reply[2 * i + 1]),
    isListed: false,
  }));
};

/**
 * Merges entries with those of `withdrawn` that belong before or between them, and removes these from it; with all of
 * them, when no more entries follow.
 */
const withWithdrawn = (listed: readonly Placed[], withdrawn: Placed[]): readonly Placed[] => {
  const last = listed.length < idsAtOnce ? Infinity : (listed.at(-1)?.seq ?? Infinity);
  const count = withdrawn.filter(({ seq }) => seq < last).length;
  return count === 0 ? listed : [...listed, ...withdrawn.splice(0, count)].sort((a, b) => a.seq - b.seq);
};

const readEntries = async (
  store: Store,
  placed: readonly Placed[],
  fields: readonly string[],
): Promise<StoredEntry[]> => {
  const reply = await store.script(
    'read-entries',
    [keys.changes],
    [keys.directoryPrefix, fields.length, ...fields, ...placed.map(({ id }) => id)],
  );
  const columns = new Map(fields.map((name, column) => [name, column]));
  const entries = JSON.parse(reply as string) as [version: string, values: Value[]][];
  return entries.map(([version, values], i) => ({
    id: placed[i]?.id ?? '',
    seq: placed[i]?.seq ?? 0,
    isListed: placed[i]?.isListed ?? false,
    version: Number(version),
    hash: new Row(columns, values),
  }));
};

/** False: the hash does not have the field. */
type Value = string | false;

/** A hash as one row of a reply. Making a map of each would take as long as parsing it. */
class Row implements Hash {
  constructor(
    private readonly columns: ReadonlyMap<string, number>,
    private readonly values: readonly Value[],
  ) {}

  get size(): number {
    return this.values.some((value) => value !== false) ? this.values.length : 0;
  }

  get(field: string): string | undefined {
    const column = this.columns.get(field);
    if (column === undefined) throw new Error(`The field ${field} is not among those that are read.`);
    return this.values[column] || undefined;
  }
}

/** A hash from a script's flat list. */
export const hashOf = (fields: readonly string[]): Map<string, string> => {
  const hash = new Map<string, string>();
  for (let i = 0; i < fields.length; i += 2) hash.set(fields[i] ?? '', fields[i + 1] ?? '');
  return hash;
};
