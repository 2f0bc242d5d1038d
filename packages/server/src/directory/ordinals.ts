/**
 * Sets of ordinals, and the set of each key. Ordinals are the numbers 0, 1, 2, … that a collection gives its entries by
 * position. A set is an ascending list or, where that is smaller, a bit for each ordinal. Queries work on bits only, 32
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

  constructor(...ordinals: readonly number[]) {
    for (const ordinal of ordinals) this.add(ordinal);
  }

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
    this.#size -= 1;
    if (this.#bits !== undefined) this.#bits[ordinal >>> 5] = (this.#bits[ordinal >>> 5] ?? 0) & ~bitOf(ordinal);
    else this.#list?.splice(countBelow(this.#list, ordinal), 1);
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

  /** Passes its members that are in `among` to `use`, highest first, until that returns false. */
  eachDown(among: Bits, use: (ordinal: number) => boolean): void {
    if (this.#bits !== undefined) return eachBitDown(among, use, undefined, this.#bits);
    const list = this.#list ?? [];
    for (let i = list.length - 1; i >= 0; i -= 1) {
      const ordinal = list[i] ?? 0;
      if (hasBit(among, ordinal) && !use(ordinal)) return;
    }
  }

  /** Its lowest members that are in `among`, in ascending order. */
  first(among: Bits, most: number): number[] {
    const found: number[] = [];
    const take = (ordinal: number): boolean => found.push(ordinal) < most;
    if (this.#bits !== undefined) eachBitUp(among, take, this.#bits);
    else (this.#list ?? []).every((ordinal) => !hasBit(among, ordinal) || take(ordinal));
    return found;
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
    const longer = new Uint32Array(wordsFor(ordinal + 1 + (ordinal >>> 3)));
    longer.set(bits);
    setBit(longer, ordinal);
    this.#bits = longer;
  }
}

/** Which entries have a key: a word, a category, a handle. A key of a single entry costs only its ordinal. */
export class Postings {
  readonly #byKey = new Map<string, number | OrdinalSet>();

  /** How many entries have the key. */
  count(key: string): number {
    const found = this.#byKey.get(key);
    return found === undefined ? 0 : typeof found === 'number' ? 1 : found.size;
  }

  /** How many of the entries in `bits` have the key. */
  countIn(key: string, bits: Bits): number {
    return this.#of(key)?.countIn(bits) ?? 0;
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }

  add(key: string, ordinal: number): void {
    const found = this.#byKey.get(key);
    if (found === undefined) this.#byKey.set(key, ordinal);
    else if (typeof found !== 'number') found.add(ordinal);
    else if (found !== ordinal) this.#byKey.set(key, new OrdinalSet(found, ordinal));
  }

  delete(key: string, ordinal: number): void {
    const found = this.#byKey.get(key);
    if (typeof found === 'object') found.delete(ordinal);
    if (found === ordinal || (typeof found === 'object' && found.size === 0)) this.#byKey.delete(key);
  }

  /** Adds the entries that have the key to `into`. */
  addTo(into: Bits, key: string): void {
    addFound(this.#byKey.get(key), into);
  }

  /** Adds the entries that have a key with this beginning to `into`. */
  addBeginning(into: Bits, beginning: string): void {
    for (const [key, found] of this.#byKey) if (key.startsWith(beginning)) addFound(found, into);
  }

  /** The entries that have the key as bits that the caller owns, for `words` × 32 entries. */
  toBits(key: string, words: number): Bits {
    const bits = new Uint32Array(words);
    this.addTo(bits, key);
    return bits;
  }

  /** Removes from `from` the entries that do not have the key. */
  keepIn(from: Bits, key: string): void {
    const set = this.#of(key);
    if (set === undefined) from.fill(0);
    else set.keepIn(from);
  }

  /** Passes the entries with the key that are in `among` to `use`, highest first, until that returns false. */
  eachDown(key: string, among: Bits, use: (ordinal: number) => boolean): void {
    this.#of(key)?.eachDown(among, use);
  }

  /** The lowest entries with the key that are in `among`, in ascending order. */
  first(key: string, among: Bits, most: number): number[] {
    return this.#of(key)?.first(among, most) ?? [];
  }

  #of(key: string): OrdinalSet | undefined {
    const found = this.#byKey.get(key);
    return found === undefined ? undefined : setOf(found);
  }
}

const addFound = (found: number | OrdinalSet | undefined, into: Bits): void => {
  if (typeof found === 'object') found.addTo(into);
  else if (found !== undefined) setBit(into, found);
};

const setOf = (found: number | OrdinalSet): OrdinalSet => (typeof found === 'number' ? new OrdinalSet(found) : found);

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
): void => {
  for (let i = Math.min(wordsFor(end), bits.length, also.length) - 1; i >= 0; i -= 1) {
    let word = (bits[i] ?? 0) & (also[i] ?? 0);
    if (i === end >>> 5) word &= bitOf(end) - 1;
    while (word !== 0) {
      const bit = 31 - Math.clz32(word);
      if (!use(i * 32 + bit)) return;
      word &= ~(1 << bit);
    }
  }
};

/** The bits that are also in `also`, lowest first, until `use` returns false. */
const eachBitUp = (bits: Bits, use: (ordinal: number) => boolean, also: Bits): void => {
  for (let i = 0; i < Math.min(bits.length, also.length); i += 1)
    for (let word = (bits[i] ?? 0) & (also[i] ?? 0); word !== 0; word &= word - 1)
      if (!use(i * 32 + 31 - Math.clz32(word & -word))) return;
};

/** The ordinals in bits, highest first. */
export const ordinalsDown = (bits: Bits): number[] => {
  const down: number[] = [];
  eachBitDown(bits, (ordinal) => down.push(ordinal) > 0);
  return down;
};

/** Adds an ordinal to bits that are long enough. */
export const setBit = (bits: Bits, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] ?? 0) | bitOf(ordinal);
};

const bitOf = (ordinal: number): number => 1 << (ordinal & 31);

const countBelow = (ascending: readonly number[], value: number): number =>
  countLeading(ascending.length, (index) => (ascending[index] ?? 0) < value);
