/**
 * A snapshot of a copy, in the store, from which another process starts: it reads what changed since, instead of
 * everything. Whatever is missing, or of another epoch, release or form of bots, is not used. See decision 0143.
 */
import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { StoreUnreachable } from '../base/failure.ts';
import type { BotRemoval } from '../domain/bot.ts';
import { readCondition } from '../store/fit-store.ts';
import { keys } from '../store/keys.ts';
import type { Store } from '../store/redis.ts';
import type { Chunk, Collection, CollectionState } from './collection.ts';
import { deflatedOf, inflated, type Deflated } from './segmented-gzip.ts';

/** What a snapshot is of. `form` identifies what bots look like in it. */
export type SnapshotOf = { readonly form: string; readonly epoch: string };

/** The first field. `id` is in every other one, because another snapshot may take the place while one is read. */
type Head = SnapshotOf & {
  readonly id: string;
  /** The store's version. The chunks have at least every change up to it. */
  readonly version: number;
  readonly bots: Extent;
  readonly posts: Extent;
  readonly removals: readonly (readonly [slug: string, BotRemoval])[];
};
type Extent = CollectionState & { readonly chunks: number };

const kinds = ['bots', 'posts'] as const;

/** What a copy has. */
type Parts = { readonly bots: Collection; readonly posts: Collection; removals: Map<string, BotRemoval> };

/** A chunk as it is stored. `of`: the snapshot that it is of. */
type StoredChunk = Omit<Chunk, 'bytes'> & { readonly of: string; readonly deflated: Deflated };

/** How many fields are read at once, and how many of such reads are under way. */
const fieldsAtOnce = 4;
const underWay = 4;
/** How long an unfinished snapshot is kept, and the least time between two, in seconds. */
const unfinishedSec = 900;
const everySec = 300;
/** A store that is fuller gets no snapshot. */
const fullest = 0.8;

/** Restores a snapshot into an empty copy. Returns its version; `undefined` if there is none that can be used. */
export const readSnapshot = async (store: Store, of: SnapshotOf, into: Parts): Promise<number | undefined> => {
  const text = await store.call((redis) => redis.hget(keys.snapshot, 'head'));
  if (text === null) return undefined;
  try {
    const head = JSON.parse(text) as Head;
    if (head.form !== of.form || head.epoch !== of.epoch) return undefined;
    into.removals = new Map(head.removals);
    for (const kind of kinds) {
      for await (const chunk of readChunks(store, head.id, fieldsOf(kind, head[kind].chunks)))
        into[kind].restore(chunk);
      into[kind].restored(head[kind]);
    }
    return head.version;
  } catch (error) {
    if (error instanceof StoreUnreachable) throw error;
    return undefined;
  }
};

const extentOf = ({ version, changedAtMs, chunks }: Collection): Extent => ({ version, changedAtMs, chunks });

const fieldsOf = (kind: string, chunks: number): string[] => Array.from({ length: chunks }, (_, i) => `${kind}:${i}`);

/** The chunks in fields, in order; the next ones are under way while one is used. */
async function* readChunks(store: Store, id: string, fields: readonly string[]): AsyncGenerator<Chunk> {
  const replies: Promise<Chunk[]>[] = [];
  for (let i = 0; i < fields.length || replies.length > 0; i += fieldsAtOnce) {
    if (i < fields.length) {
      const reply = readSome(store, id, fields.slice(i, i + fieldsAtOnce));
      // Awaited later; until then its rejection must not count as unhandled.
      reply.catch(() => undefined);
      replies.push(reply);
    }
    if (replies.length >= underWay || i + fieldsAtOnce >= fields.length) yield* (await replies.shift()) ?? [];
  }
}

const readSome = async (store: Store, id: string, fields: readonly string[]): Promise<Chunk[]> => {
  const found = await store.call((redis) => redis.hmgetBuffer(keys.snapshot, ...fields));
  return Promise.all(
    found.map(async (bytes) => {
      if (bytes === null) throw new Error('The snapshot is not complete.');
      const { of, deflated, ...columns } = deserialize(bytes) as StoredChunk;
      if (of !== id) throw new Error('Another snapshot took its place.');
      return { ...columns, bytes: await inflated(deflated) };
    }),
  );
};

type Saving = SnapshotOf & {
  readonly version: number;
  readonly isValid: () => boolean;
  readonly replaces?: boolean;
};

/**
 * Leaves a snapshot of a copy in the store, unless another process has just done so, or memory is short.
 * `version`: that of the copy now; later changes may be in it. `isValid`: whether the copy is still of this epoch.
 * `replaces`: also if there is one. What an operator takes away from the directory takes the snapshot with it.
 */
export const saveSnapshot = async (
  store: Store,
  parts: Parts,
  { form, epoch, version, isValid, replaces = true }: Saving,
): Promise<void> => {
  const head = {
    id: randomBytes(9).toString('base64url'),
    form,
    epoch,
    version,
    bots: extentOf(parts.bots),
    posts: extentOf(parts.posts),
    removals: [...parts.removals],
  } satisfies Head;
  if (!replaces && (await store.call((redis) => redis.hexists(keys.snapshot, 'head'))) === 1) return;
  if ((await store.call((redis) => redis.set(keys.snapshotClaim, head.id, 'EX', everySec, 'NX'))) === null) return;
  const { memoryBytes = 0, memoryLimitBytes = 0 } = await readCondition(store);
  if (memoryLimitBytes > 0 && memoryBytes > fullest * memoryLimitBytes) return;

  const key = `${keys.snapshot}:${head.id}`;
  for (const kind of kinds)
    for (const [i, field] of fieldsOf(kind, head[kind].chunks).entries()) {
      if (!isValid()) return;
      const { bytes, ...columns } = parts[kind].chunk(i);
      const stored: StoredChunk = { ...columns, of: head.id, deflated: await deflatedOf(bytes) };
      await store.call((redis) => redis.hset(key, field, serialize(stored)));
      if (i === 0) await store.call((redis) => redis.expire(key, unfinishedSec));
    }
  await store.call((redis) => redis.hset(key, 'head', JSON.stringify(head)));
  await store.script('keep-snapshot', [keys.state, key, keys.snapshot], [version]);
};
