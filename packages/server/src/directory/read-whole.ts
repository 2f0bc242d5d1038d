/**
 * Reads all bots and posts of the store, for an empty copy: by position, in small pages so that the store can serve
 * others in between, with several requests in flight so that neither side waits for the other.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import { botHashFields } from '../domain/bot.ts';
import { keys } from '../store/keys.ts';
import { postHashFields } from '../store/posts/post-store.ts';
import { scanByScore, type Store } from '../redis/redis.ts';

/**
 * A bot or a post: its position, the version of its last change, and its hash. One that is no longer in the list keeps
 * its position (0 if it never had one), and may come back.
 */
export type StoredEntry = {
  readonly id: string;
  readonly position: number;
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
  const bots = await withdrawnEntries(store, keys.withdrawn);
  const posts = await withdrawnEntries(store, keys.withdrawnPosts);
  for (const [list, fields] of [
    [withWithdrawn(positionsIn(store, keys.bots), bots), botHashFields],
    [withWithdrawn(positionsIn(store, keys.posts), posts), postHashFields],
  ] as const) {
    const replies: Promise<StoredEntry[]>[] = [];
    const takeFirst = async (): Promise<void> => {
      // Replies that came together are taken one by one, with pauses for other work.
      await immediately();
      for (const entry of (await replies.shift()) ?? []) if (entry.hash.size > 0) take(entry);
    };
    for await (const page of list) {
      for (let i = 0; i < page.length; i += entriesAtOnce) {
        const reply = readEntries(store, page.slice(i, i + entriesAtOnce), fields);
        // Awaited later; until then its rejection must not count as unhandled.
        reply.catch(() => undefined);
        if (replies.push(reply) >= underWay) await takeFirst();
      }
    }
    while (replies.length > 0) await takeFirst();
  }
};

type Positioned = { readonly id: string; readonly position: number; readonly isListed: boolean };

async function* positionsIn(store: Store, list: string, isListed = true): AsyncGenerator<readonly Positioned[]> {
  for await (const page of scanByScore(store, list, idsAtOnce))
    yield page.map(({ member, score }) => ({ id: member, position: score, isListed }));
}

/** Entries that are not listed now, by position: few, compared with the listed ones. */
const withdrawnEntries = async (store: Store, list: string): Promise<Positioned[]> => {
  const all: Positioned[] = [];
  for await (const page of positionsIn(store, list, false)) all.push(...page);
  return all;
};

/** Merges pages of listed entries with those that are not listed, by position. */
async function* withWithdrawn(
  pages: AsyncIterable<readonly Positioned[]>,
  withdrawn: readonly Positioned[],
): AsyncGenerator<readonly Positioned[]> {
  let rest = withdrawn;
  for await (const listed of pages) {
    const last = listed.at(-1)?.position ?? 0;
    const before = rest.filter(({ position }) => position < last);
    rest = rest.slice(before.length);
    yield before.length === 0 ? listed : [...listed, ...before].sort((a, b) => a.position - b.position);
  }
  yield rest;
}

const readEntries = async (
  store: Store,
  page: readonly Positioned[],
  fields: readonly string[],
): Promise<StoredEntry[]> => {
  const args = [fields.length, ...fields, ...page.map(({ id }) => id)];
  const reply = await store.script('read-entries', [keys.changes], args);
  const columns = new Map(fields.map((name, column) => [name, column]));
  const entries = JSON.parse(reply as string) as [version: string, values: Value[]][];
  return entries.map(([version, values], i) => ({
    id: page[i]?.id ?? '',
    position: page[i]?.position ?? 0,
    isListed: page[i]?.isListed ?? false,
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
