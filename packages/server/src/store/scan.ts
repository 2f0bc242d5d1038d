/**
 * Iterates over large keys of the store, a page at a time, since each page blocks it for only a few milliseconds; and
 * reads Redis's flat replies, in which names and values alternate.
 */
import type { RedisClient, Store } from './redis.ts';

/** A member of a sorted set, and its score. */
export type Scored = { readonly member: string; readonly score: number };

const pageSize = 500;

/** The names and values of a flat reply. */
const toPairs = (flat: readonly string[]): (readonly [string, string])[] =>
  flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []));

/** A hash, or the fields of an entry of a stream. */
export const toMap = (flat: readonly string[]): Map<string, string> => {
  const map = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) map.set(flat[i] ?? '', flat[i + 1] ?? '');
  return map;
};

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

/** The replies of a command of the family of SCAN, without those that are empty. */
async function* scanAll(
  store: Store,
  scan: (redis: RedisClient, cursor: string) => Promise<[next: string, found: string[]]>,
): AsyncGenerator<readonly string[]> {
  for (let cursor = '0'; ;) {
    const [next, found] = await store.call((redis) => scan(redis, cursor));
    if (found.length > 0) yield found;
    if (next === '0') return;
    cursor = next;
  }
}

/** The fields of a hash of any size, in no order. If the hash changes meanwhile, a field may come twice. */
export async function* scanHash(store: Store, key: string): AsyncGenerator<readonly (readonly [string, string])[]> {
  for await (const flat of scanAll(store, (redis, cursor) => redis.hscan(key, cursor, 'COUNT', pageSize)))
    yield toPairs(flat);
}

/** The members of a set, sorted or not, or the names of a hash's fields, in no order. */
export async function* scanMembers(
  store: Store,
  key: string,
  type: 'set' | 'zset' | 'hash',
): AsyncGenerator<readonly string[]> {
  const command = ({ set: 'sscan', zset: 'zscan', hash: 'hscan' } as const)[type];
  for await (const found of scanAll(store, (redis, cursor) => redis[command](key, cursor, 'COUNT', pageSize)))
    yield type === 'set' ? found : found.filter((_, i) => i % 2 === 0);
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
