/** The size of the directory in the store, and the notes there of what it had: see `known.ts`. */
import { randomInt } from 'node:crypto';
import { keys, partitions } from '../keys.ts';
import type { Size } from '../../redis/known.ts';
import type { RedisClient, Store } from '../../redis/redis.ts';

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
export const checkSize = async (store: Store, size: Size, { mayBeNew }: { readonly mayBeNew: boolean }) => {
  const { known } = store;
  known.compare(size);
  known.count(await readNotes(store, size.acceptance));
  known.compare(size);
  if (known.lost > 0) await store.call((redis) => writeNotes(redis, known)).catch(() => undefined);
  if (size.entries > 0) return undefined;
  if (known.lost > 0) return `the directory is empty, and had ${known.lost} bots and posts: ${remedy}`;
  return size.acceptance === '' && !mayBeNew ? `the store is empty: ${remedy}` : undefined;
};

const remedy =
  'import a backup, correct REDIS_URL or REDIS_KEY_PREFIX, or run bot-directory-admin accept-empty if this is meant';

/** Identifies an acceptance. */
export const newAcceptance = (): string => randomInt(2 ** 48 - 1).toString(36);
