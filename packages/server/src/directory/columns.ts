/** What is known of entries, by ordinal, in arrays of numbers. */
import { randomInt } from 'node:crypto';
import { countLeading } from '../base/binary-search.ts';

/** How many numbers a page has, as a power of two. */
const pageBits = 12;
const perPage = 2 ** pageBits;

/** Numbers by ordinal: of eight bytes, or whole numbers of four. In pages, so that growing copies nothing. */
export class Column<Numbers extends Float64Array | Int32Array> {
  readonly #make: new (length: number) => Numbers;
  readonly #pages: Numbers[] = [];
  #length = 0;

  constructor(make: new (length: number) => Numbers) {
    this.#make = make;
  }

  get length(): number {
    return this.#length;
  }

  get(ordinal: number): number {
    return this.#pages[ordinal >>> pageBits]?.[ordinal & (perPage - 1)] ?? 0;
  }

  set(ordinal: number, value: number): void {
    while (this.#pages.length <= ordinal >>> pageBits) this.#pages.push(new this.#make(perPage));
    const page = this.#pages[ordinal >>> pageBits];
    if (page !== undefined) page[ordinal & (perPage - 1)] = value;
    if (ordinal >= this.#length) this.#length = ordinal + 1;
  }

  push(value: number): void {
    this.set(this.#length, value);
  }

  /** A copy of the values from one ordinal up to another. */
  slice(from: number, to: number): Numbers {
    const copy = new this.#make(Math.max(0, Math.min(to, this.#length) - from));
    for (let i = 0; i < copy.length; i += 1) copy[i] = this.get(from + i);
    return copy;
  }

  /** How many leading values are below this one. The values must ascend. */
  countBelow(value: number): number {
    return countLeading(this.#length, (index) => this.get(index) < value);
  }
}

/** The hashes of the keys of consecutive entries, 0 for no key; `seed` and `chains` are those of their table. */
export type Hashes = { readonly seed: number; readonly chains: number; readonly hashes: Int32Array };

/**
 * Finds entries by a text that few of them share, such as a slug. It has a hash of each text, which takes much less
 * memory than the text: the caller compares the text. Entries with equal hashes are chained.
 */
export class KeyTable {
  /** Random, so that nobody can craft colliding keys. */
  #seed = randomInt(2 ** 31);
  /** The newest entry of each chain, as its ordinal + 1; 0 ends a chain. */
  readonly #heads = new Column(Int32Array);
  readonly #next = new Column(Int32Array);
  readonly #hashes = new Column(Int32Array);
  #size = 0;
  /** How many chains there were when their number was last a power of two, and how many of those were split since. */
  #chains = perPage;
  #split = 0;

  /** Adds an entry, which must not be in it. */
  add(ordinal: number, key: string): void {
    this.#add(ordinal, this.#hashOf(key));
  }

  delete(ordinal: number): void {
    const bucket = this.#bucketOf(this.#hashes.get(ordinal));
    let before = 0;
    for (let at = this.#heads.get(bucket); at !== 0; before = at, at = this.#next.get(at - 1)) {
      if (at - 1 !== ordinal) continue;
      const after = this.#next.get(ordinal);
      if (before === 0) this.#heads.set(bucket, after);
      else this.#next.set(before - 1, after);
      this.#size -= 1;
      return;
    }
  }

  /** The ordinals of all entries with a key, and perhaps of others. */
  mayHave(key: string): number[] {
    const hash = this.#hashOf(key);
    const found: number[] = [];
    for (let at = this.#heads.get(this.#bucketOf(hash)); at !== 0; at = this.#next.get(at - 1))
      if (this.#hashes.get(at - 1) === hash) found.push(at - 1);
    return found;
  }

  /** The hashes of keys, for a table that restores them. */
  hashesOf(keys: readonly (string | undefined)[]): Hashes {
    const hashes = Int32Array.from(keys, (key) => (key === undefined ? 0 : this.#hashOf(key)));
    return { seed: this.#seed, chains: this.#chains, hashes };
  }

  /** Adds entries from an ordinal on, to a table that has none but restored ones. */
  restore(first: number, { seed, chains, hashes }: Hashes): void {
    // The table begins with as many chains as it will have.
    if (this.#size === 0) [this.#seed, this.#chains] = [seed, 2 * chains];
    for (let i = 0; i < hashes.length; i += 1) {
      const hash = hashes[i] ?? 0;
      if (hash !== 0) this.#add(first + i, hash);
    }
  }

  #add(ordinal: number, hash: number): void {
    if ((this.#size += 1) > this.#chains + this.#split) this.#splitNext();
    this.#hashes.set(ordinal, hash);
    this.#chain(ordinal);
  }

  #chain(ordinal: number): void {
    const bucket = this.#bucketOf(this.#hashes.get(ordinal));
    this.#next.set(ordinal, this.#heads.get(bucket));
    this.#heads.set(bucket, ordinal + 1);
  }

  /** Splits one chain into two: splitting all at once would stall a large table. */
  #splitNext(): void {
    const head = this.#heads.get(this.#split);
    this.#heads.set(this.#split, 0);
    this.#split += 1;
    if (this.#split === this.#chains) [this.#chains, this.#split] = [2 * this.#chains, 0];
    let at = head;
    while (at !== 0) {
      const next = this.#next.get(at - 1);
      this.#chain(at - 1);
      at = next;
    }
  }

  #bucketOf(hash: number): number {
    const bucket = hash & (this.#chains - 1);
    return bucket >= this.#split ? bucket : hash & (2 * this.#chains - 1);
  }

  #hashOf(key: string): number {
    return hashOf(key, this.#seed) || 1;
  }
}

/** Stores only a 53-bit hash of each text. */
export class TextColumn {
  readonly #seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const;
  readonly #values = new Column(Float64Array);

  set(ordinal: number, text: string): void {
    this.#values.set(ordinal, this.#hashOf(text));
  }

  /** Whether the texts of ordinals are this one. */
  equals(text: string): (ordinal: number) => boolean {
    const hash = this.#hashOf(text);
    return (ordinal) => this.#values.get(ordinal) === hash;
  }

  #hashOf(text: string): number {
    const [high, low] = this.#seeds.map((seed) => hashOf(text, seed) >>> 0) as [number, number];
    return high * 2 ** 21 + (low >>> 11);
  }
}

/** FNV-1a, and the last step of MurmurHash3, without which its low bits would say little. */
const hashOf = (text: string, seed: number): number => {
  let hash = seed;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
};
