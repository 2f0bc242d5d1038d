/**
 * How many bots and posts a directory is known to have had, by which its loss is noticed. None is ever deleted from a
 * store: those that are hidden or removed are still counted. So a store that has fewer has lost them.
 *
 * What is known is in the memory of each process, and in a note in each partition of webhooks: in a Cluster, other
 * nodes have them. A process that remembers more than an emptied store has writes the notes again, for processes that
 * start later. When the operator accepts the store as it is, everything that was known before is void. See decision
 * 0170.
 */
import { randomInt } from 'node:crypto';
import type { Log } from '../base/log.ts';
import { keys, partitions } from './keys.ts';
import type { RedisClient, Store } from './redis.ts';

/** Bots and posts, and which acceptance they were counted under: '' before the first. */
type Size = { readonly entries: number; readonly acceptance: string };

/** Whether a directory of this many entries has lost some of those that it had: all, or more than a tenth. */
export const isLoss = (had: number, has: number): boolean => has < 0.9 * had;

/** What this process knows. */
export class KnownSize {
  /** The most entries that it has seen. */
  entries = 0;
  /** How many of them are lost. */
  lost = 0;
  acceptance = '';
  readonly #log: Log;
  #noted = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Records what the store has now, or had. Returns whether the notes should say more than they do. */
  see(entries: number): boolean {
    this.entries = Math.max(this.entries, entries);
    if (!isLoss(this.entries, this.#noted)) return false;
    this.#noted = this.entries;
    return true;
  }

  /** Compares it with what the store has now. */
  compare({ entries: has, acceptance }: Size): void {
    if (acceptance !== '' && acceptance !== this.acceptance) {
      [this.entries, this.#noted] = [0, 0];
      this.acceptance = acceptance;
    }
    this.entries = Math.max(this.entries, has);
    const had = this.entries;
    const lost = isLoss(had, has) ? had - has : 0;
    // An empty store is reported as one that cannot be used.
    if (lost > this.lost && has > 0) this.#log.error({ had, has }, 'the directory has lost bots or posts');
    this.lost = lost;
  }
}

const counted = [keys.bots, keys.withdrawn, keys.posts, keys.withdrawnPosts] as const;

/** Reads the size of the directory in the store. */
export const readSize = (store: Store): Promise<Size> =>
  store.call(async (redis) => {
    const [acceptance, ...counts] = await Promise.all([
      redis.hget(keys.state, 'acceptance'),
      ...counted.map((key) => redis.zcard(key)),
    ]);
    return { acceptance: acceptance ?? '', entries: counts.reduce((sum, count) => sum + count, 0) };
  });

/** Writes the notes. */
export const writeNotes = (redis: RedisClient, { entries, acceptance }: Size): Promise<unknown> =>
  Promise.all(partitions.map(({ known }) => redis.set(known, `${entries}:${acceptance}`)));

/** Returns how many entries the notes know of, under an acceptance. A node that has some of them may be away. */
export const readNotes = async (store: Store, acceptance: string): Promise<number> => {
  const read = ({ known }: { readonly known: string }) => store.call((redis) => redis.get(known));
  const notes = await Promise.all(partitions.map((partition) => read(partition).catch(() => null)));
  return Math.max(
    ...notes.map((note) => {
      const [entries = '0', under = ''] = (note ?? '').split(':');
      return acceptance === '' || acceptance === under ? Number(entries) : 0;
    }),
  );
};

/**
 * Compares the store with what is known. Returns why it must not be served if it is empty, and this process, a note or
 * a setting says that it is not new.
 */
export const checkSize = async (store: Store, { mayBeNew }: { readonly mayBeNew: boolean }) => {
  const { known } = store;
  const size = await readSize(store);
  known.compare(size);
  if (size.entries === 0) {
    known.see(await readNotes(store, size.acceptance));
    known.compare(size);
  }
  if (known.lost > 0) await store.call((redis) => writeNotes(redis, known)).catch(() => undefined);
  if (size.entries > 0) return undefined;
  if (known.lost > 0) return `the directory is empty, and had ${known.lost} bots and posts: ${remedy}`;
  return size.acceptance === '' && !mayBeNew ? `the store is empty: ${remedy}` : undefined;
};

const remedy =
  'import a backup, correct REDIS_URL or REDIS_KEY_PREFIX, or run bot-directory-admin accept-empty if this is meant';

/** Identifies an acceptance. */
export const newAcceptance = (): string => randomInt(2 ** 48 - 1).toString(36);
