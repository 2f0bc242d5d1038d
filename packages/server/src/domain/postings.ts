/**
 * Which entries have a key: a word, a category, a handle. Most keys belong to a single entry, which costs only a
 * number.
 */
import { OrdinalSet, type Bits } from './ordinals.ts';

/** Key → ordinals. */
export class Postings<K extends string | number> {
  readonly #byKey = new Map<K, number | OrdinalSet>();

  /** How many entries have the key. */
  count(key: K): number {
    const found = this.#byKey.get(key);
    return found === undefined ? 0 : typeof found === 'number' ? 1 : found.size;
  }

  keys(): IterableIterator<K> {
    return this.#byKey.keys();
  }

  /** Returns `new` if no other entry has the key, and `known` if this one already had it. */
  add(key: K, ordinal: number): 'new' | 'added' | 'known' {
    const found = this.#byKey.get(key);
    if (found === undefined) {
      this.#byKey.set(key, ordinal);
      return 'new';
    }
    if (found === ordinal) return 'known';
    const set = typeof found === 'number' ? setOf(found) : found;
    if (set !== found) this.#byKey.set(key, set);
    const before = set.size;
    set.add(ordinal);
    return set.size === before ? 'known' : 'added';
  }

  /** Returns whether no entry has the key any more. */
  delete(key: K, ordinal: number): boolean {
    const found = this.#byKey.get(key);
    if (found === undefined || (typeof found === 'number' && found !== ordinal)) return false;
    if (typeof found === 'number') return this.#byKey.delete(key);
    found.delete(ordinal);
    return found.size === 0 && this.#byKey.delete(key);
  }

  /** Adds the entries that have the key to `into`. */
  addTo(into: Bits, key: K): void {
    const found = this.#byKey.get(key);
    if (found !== undefined) setOf(found).addTo(into);
  }

  /** Removes from `from` the entries that do not have the key. */
  keepIn(from: Bits, key: K): void {
    setOf(this.#byKey.get(key)).keepIn(from);
  }

  /**
   * The entries with the key that are in `among`, from `end` down, until `use` returns false. Returns whether `use`
   * never did.
   */
  eachDown(key: K, { among, end }: { among: Bits; end: number }, use: (ordinal: number) => boolean): boolean {
    return setOf(this.#byKey.get(key)).eachDown(among, end, use);
  }
}

const setOf = (found: number | OrdinalSet | undefined): OrdinalSet => {
  if (found instanceof OrdinalSet) return found;
  const set = new OrdinalSet();
  if (found !== undefined) set.add(found);
  return set;
};
