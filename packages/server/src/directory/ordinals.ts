/**
 * Sets of ordinals, and the set of each key. Ordinals are the numbers 0, 1, 2, … that a collection gives its entries by
 * position. A set is a short list or, if that is smaller, a bit for each ordinal. Queries work on bits only, 32
 * entries at a time.
 */
import { countLeading } from '../base/binary-search.ts';

/** One bit for each ordinal below its length × 32; higher ordinals are not in it. */
export type Bits = Uint32Array;

/** A listed number takes eight bytes, a bit an eighth of a byte: from here on, bits are smaller. */
const entriesPerListed = 64;
const shortestBits = 64;

/** A set that grows and shrinks with the entries that share something. */
export class OrdinalSet {
  #list: number[] | undefined = [];
  #bits: Bits | undefined;
  #size = 0;
  /** The members that have a key at the next level too: see `Postings`. */
  #above: OrdinalSet | undefined;

  get size(): number {
    return this.#size;
  }

  has(ordinal: number): boolean {
    if (this.#bits !== undefined) return hasBit(this.#bits, ordinal);
    const list = this.#list ?? [];
    return list[countBelow(list, ordinal)] === ordinal;
  }

  /** Adds an ordinal; fastest in ascending order. */
  add(ordinal: number): void {
    if (this.#bits !== undefined) this.#addBit(this.#bits, ordinal);
    else this.#addListed((this.#list ??= []), ordinal);
  }

  delete(ordinal: number): void {
    if (!this.has(ordinal)) return;
    this.#above?.delete(ordinal);
    this.#size -= 1;
    if (this.#bits !== undefined) this.#bits[ordinal >>> 5] = (this.#bits[ordinal >>> 5] ?? 0) & ~bitOf(ordinal);
    else this.#list?.splice(countBelow(this.#list, ordinal), 1);
  }

  /** Adds an ordinal to it and to the sets above it, up to a level. Returns whether one of them lacked it. */
  addUpTo(level: number, ordinal: number): boolean {
    const before = this.#size;
    this.add(ordinal);
    const isNewAbove = level > 0 && (this.#above ??= new OrdinalSet()).addUpTo(level - 1, ordinal);
    return isNewAbove || this.#size > before;
  }

  /** Its members at a level or above. */
  at(level: number): OrdinalSet | undefined {
    return level === 0 ? this : this.#above?.at(level - 1);
  }

  /** Adds all its members to `into`. */
  addTo(into: Bits): void {
    if (this.#bits !== undefined) unite(into, this.#bits);
    else for (const ordinal of this.#list ?? []) setBit(into, ordinal);
  }

  /** Removes from `from` all ordinals that are not members. */
  keepIn(from: Bits): void {
    intersect(from, this.#bits ?? this.toBits(from.length));
  }

  /** How many of its members are in `bits`. */
  countIn(bits: Bits): number {
    if (this.#bits === undefined) return (this.#list ?? []).filter((ordinal) => hasBit(bits, ordinal)).length;
    const both = this.toBits(bits.length);
    intersect(both, bits);
    return countBits(both);
  }

  /** Its members as bits that the caller owns, for `words` × 32 entries. */
  toBits(words: number): Bits {
    const bits = new Uint32Array(words);
    this.addTo(bits);
    return bits;
  }

  /**
   * Passes its members below `end` that are in `among` to `use`, highest first, until that returns false. Returns
   * whether it never did.
   */
  eachDown(among: Bits, use: (ordinal: number) => boolean, end = among.length * 32): boolean {
    if (this.#bits !== undefined) return eachBitDown(among, use, end, this.#bits);
    const list = this.#list ?? [];
    for (let i = countBelow(list, end) - 1; i >= 0; i -= 1) {
      const ordinal = list[i] ?? 0;
      if (hasBit(among, ordinal) && !use(ordinal)) return false;
    }
    return true;
  }

  #addListed(list: number[], ordinal: number): void {
    const last = list.at(-1) ?? -1;
    if (ordinal === last) return;
    if (ordinal > last) list.push(ordinal);
    else {
      const at = countBelow(list, ordinal);
      if (list[at] === ordinal) return;
      list.splice(at, 0, ordinal);
    }
    this.#size += 1;
    const highest = Math.max(last, ordinal);
    if (list.length <= shortestBits || list.length * entriesPerListed <= highest) return;
    this.#bits = new Uint32Array(wordsFor(highest + 1));
    for (const each of list) setBit(this.#bits, each);
    this.#list = undefined;
  }

  #addBit(bits: Bits, ordinal: number): void {
    if (hasBit(bits, ordinal)) return;
    this.#size += 1;
    if (ordinal >>> 5 < bits.length) return setBit(bits, ordinal);
    // It has become rare among the many later entries.
    if (this.#size * entriesPerListed * 2 < ordinal) {
      this.#list = [...bitsUp(bits), ordinal];
      this.#bits = undefined;
      return;
    }
    const longer = new Uint32Array(wordsFor(ordinal + 1 + (ordinal >>> 3)));
    longer.set(bits);
    setBit(longer, ordinal);
    this.#bits = longer;
  }
}

/** How many levels there are. */
const levels = 4;

/**
 * Which entries have a key: a word, a category, a handle. An entry has it at a level, 0 if that does not matter, and at
 * all lower ones. Most keys belong to a single entry, which costs only a number: its ordinal and the level.
 */
export class Postings<K extends string | number> {
  readonly #byKey = new Map<K, number | OrdinalSet>();

  /** How many entries have the key. */
  count(key: K): number {
    const found = this.#byKey.get(key);
    return found === undefined ? 0 : typeof found === 'number' ? 1 : found.size;
  }

  /** How many of the entries in `bits` have the key. */
  countIn(key: K, bits: Bits): number {
    const found = this.#byKey.get(key);
    if (typeof found === 'number') return hasBit(bits, ordinalIn(found)) ? 1 : 0;
    return found === undefined ? 0 : found.countIn(bits);
  }

  keys(): IterableIterator<K> {
    return this.#byKey.keys();
  }

  /** Returns `new` if no other entry has the key, and `known` if this one already had it, at this level or above. */
  add(key: K, ordinal: number, level = 0): 'new' | 'added' | 'known' {
    const found = this.#byKey.get(key);
    if (found === undefined) {
      this.#byKey.set(key, ordinal * levels + level);
      return 'new';
    }
    if (typeof found === 'number' && ordinalIn(found) === ordinal && levelIn(found) >= level) return 'known';
    const set = setOf(found);
    if (set !== found) this.#byKey.set(key, set);
    return set.addUpTo(level, ordinal) ? 'added' : 'known';
  }

  /** Returns whether no entry has the key any more. */
  delete(key: K, ordinal: number): boolean {
    const found = this.#byKey.get(key);
    if (typeof found === 'number') return ordinalIn(found) === ordinal && this.#byKey.delete(key);
    found?.delete(ordinal);
    return found?.size === 0 && this.#byKey.delete(key);
  }

  /** Adds the entries that have the key, at this level or above, to `into`. */
  addTo(into: Bits, key: K, level = 0): void {
    const found = this.#byKey.get(key);
    if (typeof found !== 'number') found?.at(level)?.addTo(into);
    else if (levelIn(found) >= level && ordinalIn(found) >>> 5 < into.length) setBit(into, ordinalIn(found));
  }

  /** Removes from `from` the entries that do not have the key, at this level or above. */
  keepIn(from: Bits, key: K, level = 0): void {
    const set = setOf(this.#byKey.get(key)).at(level);
    if (set === undefined) from.fill(0);
    else set.keepIn(from);
  }

  /**
   * Passes the entries with the key that are in `among` to `use`, from `end` down, until that returns false. Returns
   * whether it never did.
   */
  eachDown(
    key: K,
    { among, end }: { among: Bits; end?: number | undefined },
    use: (ordinal: number) => boolean,
  ): boolean {
    return setOf(this.#byKey.get(key)).eachDown(among, use, end);
  }
}

const ordinalIn = (single: number): number => Math.floor(single / levels);
const levelIn = (single: number): number => single % levels;

const setOf = (found: number | OrdinalSet | undefined): OrdinalSet => {
  if (found instanceof OrdinalSet) return found;
  const set = new OrdinalSet();
  if (found !== undefined) set.addUpTo(levelIn(found), ordinalIn(found));
  return set;
};

/** How many words of bits hold this many entries. */
export const wordsFor = (entries: number): number => (entries + 31) >>> 5;

/** Whether an ordinal is in bits. */
export const hasBit = (bits: Bits, ordinal: number): boolean => ((bits[ordinal >>> 5] ?? 0) & bitOf(ordinal)) !== 0;

/** Adds to `bits` all ordinals of others that it is long enough for. */
export const unite = (bits: Bits, others: Bits): void => {
  const words = Math.min(bits.length, others.length);
  for (let i = 0; i < words; i += 1) bits[i] = (bits[i] ?? 0) | (others[i] ?? 0);
};

/** Removes from `bits` all ordinals that others do not have. */
export const intersect = (bits: Bits, others: Bits): void => {
  for (let i = 0; i < bits.length; i += 1) bits[i] = (bits[i] ?? 0) & (others[i] ?? 0);
};

/** How many bits are set. */
export const countBits = (bits: Bits): number => {
  let count = 0;
  for (let word of bits) {
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return count;
};

/** The bits below `end`, highest first, until `use` returns false; with `also`, only those in both. */
export const eachBitDown = (
  bits: Bits,
  use: (ordinal: number) => boolean,
  end = bits.length * 32,
  also: Bits = bits,
): boolean => {
  for (let i = Math.min(wordsFor(end), bits.length, also.length) - 1; i >= 0; i -= 1) {
    let word = (bits[i] ?? 0) & (also[i] ?? 0);
    if (i === end >>> 5) word &= bitOf(end) - 1;
    while (word !== 0) {
      const bit = 31 - Math.clz32(word);
      if (!use(i * 32 + bit)) return false;
      word &= ~(1 << bit);
    }
  }
  return true;
};

/** How many values of an ascending list are below a value. */
export const countBelow = (ascending: ArrayLike<number>, value: number): number =>
  countLeading(ascending.length, (index) => (ascending[index] ?? 0) < value);

const bitOf = (ordinal: number): number => 1 << (ordinal & 31);

/** Adds an ordinal to bits that are long enough. */
export const setBit = (bits: Bits, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] ?? 0) | bitOf(ordinal);
};

const bitsUp = (bits: Bits): number[] => {
  const down: number[] = [];
  eachBitDown(bits, (ordinal) => down.push(ordinal) > 0);
  return down.reverse();
};
