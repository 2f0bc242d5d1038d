/** What `check` finds, and how its parts read the store. */
import type { Store } from '../redis.ts';

/** A violated invariant. `derived`: `rebuild` repairs it. */
export type Finding = { readonly what: string; readonly derived: boolean };

/** The types of keys, by key. */
export type Types = Readonly<Record<string, 'hash' | 'zset' | 'set' | 'stream' | 'string'>>;

export const wrong = (what: string): Finding => ({ what, derived: false });
export const derivable = (what: string): Finding => ({ what, derived: true });

/** What is not as it should be, for every item of a page, all of which are read at once. */
export async function* ofEach<Item>(
  pages: AsyncIterable<readonly Item[]>,
  look: (item: Item) => Promise<readonly Finding[]>,
): AsyncGenerator<Finding> {
  for await (const page of pages) for (const found of await Promise.all(page.map(look))) yield* found;
}

/** The members of a set, sorted or not, or the names of a hash's fields, page by page. */
export async function* scanMembers(
  store: Store,
  key: string,
  type: 'set' | 'zset' | 'hash',
): AsyncGenerator<readonly string[]> {
  for (let cursor = '0'; ;) {
    const [next, found] = await store.call((redis) => {
      if (type === 'set') return redis.sscan(key, cursor);
      return type === 'zset' ? redis.zscan(key, cursor) : redis.hscan(key, cursor);
    });
    yield type === 'set' ? found : found.filter((_, i) => i % 2 === 0);
    if (next === '0') return;
    cursor = next;
  }
}

/** The fields of a hash; none if there is something else under its key. */
export const hashAt = async (store: Store, key: string): Promise<Record<string, string>> =>
  (await store.call((redis) => redis.type(key))) === 'hash' ? store.call((redis) => redis.hgetall(key)) : {};

/** Keys whose type is not the expected one: nothing that reads them can go on. */
export async function* checkTypes(store: Store, expected: readonly Types[]): AsyncGenerator<Finding> {
  for (const [key, type] of expected.flatMap((types) => Object.entries(types))) {
    const found = await store.call((redis) => redis.type(key));
    if (found !== type && found !== 'none') yield wrong(`${key} is a ${found}, and has to be a ${type}`);
  }
}
