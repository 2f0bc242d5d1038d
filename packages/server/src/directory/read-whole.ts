/**
 * Reads all bots and posts of the store, for an empty copy: by position, in small pages so that the store can serve
 * others in between, each requested before the one before it is used, so that neither side waits for the other.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import { botHashFields } from '../domain/bot.ts';
import { keys, lists } from '../store/keys.ts';
import { postHashFields } from '../store/posts/post-store.ts';
import type { Store } from '../redis/redis.ts';

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

/** As many as a segment has. */
const entriesAtOnce = 256;

/**
 * Returns pages of all entries that existed when it began and still do. What changes meanwhile may be there in its old
 * state, in its new one or not at all, and must be read again afterwards.
 */
export async function* readWhole(store: Store): AsyncGenerator<readonly StoredEntry[]> {
  for (const [list, fields] of [
    [lists.bot, botHashFields],
    [lists.post, postHashFields],
  ] as const) {
    const columns = new Map(fields.map((name, column) => [name, column]));
    const readAfter = (position: string): Promise<unknown> => {
      const reply = store.script('read-entries', [...list, keys.changes], [position, entriesAtOnce, ...fields]);
      // Awaited later; until then its rejection must not count as unhandled.
      reply.catch(() => undefined);
      return reply;
    };
    let reply: Promise<unknown> | undefined = readAfter('-inf');
    while (reply !== undefined) {
      const rows = JSON.parse((await reply) as string) as StoredRow[];
      const [, last] = rows[entriesAtOnce - 1] ?? [];
      // The store reads the next page while this one is used.
      reply = last === undefined ? undefined : readAfter(last);
      yield rows.map(([id, position, isListed, version, values]) => ({
        id,
        position: Number(position),
        isListed,
        version: Number(version),
        hash: new Row(columns, values),
      }));
      // A pause for other work.
      await immediately();
    }
  }
}

/** An entry as `read-entries.lua` returns it. */
type StoredRow = [id: string, position: string, isListed: boolean, version: string, values: Value[]];

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
