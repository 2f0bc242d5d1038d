/**
 * Iterates over large keys of the store, a page at a time: each page blocks it for no more than a few milliseconds. And
 * reads Redis's flat replies, in which names and values alternate.
 */
import type { Store } from './redis.ts';

/** A member of a sorted set, and its score. */
export type Scored = { readonly member: string; readonly score: number };

const pageSize = 500;

/** The names and values of a flat reply. */
const toPairs = (flat: readonly string[]): (readonly [string, string])[] =>
  flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []));

/** A hash, or the fields of an entry of a stream. */
export const toMap = (flat: readonly string[]): ReadonlyMap<string, string> => new Map(toPairs(flat));

/** A reply WITHSCORES. */
export const toScored = (flat: readonly string[]): Scored[] =>
  toPairs(flat).map(([member, score]) => ({ member, score: Number(score) }));

/** The members of a sorted set with distinct scores, by score, including those appended meanwhile. */
export async function* scanByScore(
  store: Store,
  key: string,
  atOnce: number = pageSize,
): AsyncGenerator<readonly Scored[]> {
  for (let after = '-inf'; ;) {
    const flat = await store.call((redis) => redis.zrangebyscore(key, after, '+inf', 'WITHSCORES', 'LIMIT', 0, atOnce));
    const page = toScored(flat);
    const last = page.at(-1);
    if (last !== undefined) yield page;
    if (last === undefined || page.length < atOnce) return;
    after = `(${last.score}`;
  }
}

/** The fields of a hash of any size, in no order. If the hash changes meanwhile, a field may come twice. */
export async function* scanHash(store: Store, key: string): AsyncGenerator<readonly (readonly [string, string])[]> {
  for (let cursor = '0'; ;) {
    const [next, flat] = await store.call((redis) => redis.hscan(key, cursor, 'COUNT', pageSize));
    yield toPairs(flat);
    if (next === '0') return;
    cursor = next;
  }
}

/** The entries of a stream, in order. */
export async function* scanStream(
  store: Store,
  key: string,
): AsyncGenerator<readonly [id: string, fields: string[]][]> {
  for (let after = '-'; ;) {
    const page = await store.call((redis) => redis.xrange(key, after, '+', 'COUNT', pageSize));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = `(${last[0]}`;
  }
}
