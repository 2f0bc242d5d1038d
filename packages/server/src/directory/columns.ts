/** What is known of entries, by ordinal, in arrays of numbers. */
import { randomInt } from 'node:crypto';
import { countBelow } from './ordinals.ts';

/** Numbers by ordinal: of eight bytes, or whole ones of four. */
export class Column<Numbers extends Float64Array | Int32Array> {
  readonly #make: new (length: number) => Numbers;
  #values: Numbers;
  #length = 0;

  constructor(make: new (length: number) => Numbers) {
    this.#make = make;
    this.#values = new make(1_024);
  }

  get length(): number {
    return this.#length;
  }

  get(ordinal: number): number {
    return this.#values[ordinal] ?? 0;
  }

  set(ordinal: number, value: number): void {
    if (ordinal >= this.#values.length) {
      const longer = new this.#make(Math.ceil((ordinal + 1) * 1.25));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[ordinal] = value;
    this.#length = Math.max(this.#length, ordinal + 1);
  }

  /** A copy of the values from one ordinal up to another. */
  slice(from: number, to: number): Numbers {
    return this.#values.slice(from, Math.min(to, this.#length)) as Numbers;
  }

  /** How many leading values are below this one. The values must ascend. */
  countBelow(value: number): number {
    return countBelow(this.#values, value, this.#length);
  }
}

/** The hashes of the keys of some entries in a row, 0 for one without a key, and what they were made with. */
export type Hashes = { readonly seed: number; readonly hashes: Int32Array };

/**
 * Finds entries by a text that few of them share, such as a slug. Of each it has a hash, not the text, which would take
 * ten times as much memory: the caller compares the text. Entries with equal hashes are chained.
 */
export class KeyTable {
  /** Unknown to strangers, who could otherwise choose keys with equal hashes. */
  #seed = randomInt(2 ** 31);
  /** The newest entry of each chain, as its ordinal + 1; 0 ends a chain. */
  #heads = new Int32Array(1_024);
  readonly #next = new Column(Int32Array);
  readonly #hashes = new Column(Int32Array);
  #size = 0;

  /** Adds an entry, which must not be in it. */
  add(ordinal: number, key: string): void {
    this.#add(ordinal, this.#hashOf(key));
  }

  delete(ordinal: number): void {
    const bucket = this.#bucketOf(this.#hashes.get(ordinal));
    let before = 0;
    for (let at = this.#heads[bucket] ?? 0; at !== 0; before = at, at = this.#next.get(at - 1)) {
      if (at - 1 !== ordinal) continue;
      const after = this.#next.get(ordinal);
      if (before === 0) this.#heads[bucket] = after;
      else this.#next.set(before - 1, after);
      this.#size -= 1;
      return;
    }
  }

  /** The ordinals of all entries with a key, and perhaps of others. */
  mayHave(key: string): number[] {
    const hash = this.#hashOf(key);
    const found: number[] = [];
    for (let at = this.#heads[this.#bucketOf(hash)] ?? 0; at !== 0; at = this.#next.get(at - 1))
      if (this.#hashes.get(at - 1) === hash) found.push(at - 1);
    return found;
  }

  /** The hashes of keys, for a table that restores them. */
  hashesOf(keys: readonly (string | undefined)[]): Hashes {
    return { seed: this.#seed, hashes: Int32Array.from(keys, (key) => (key === undefined ? 0 : this.#hashOf(key))) };
  }

  /** Adds entries from an ordinal on, to a table that has none but restored ones. */
  restore(first: number, { seed, hashes }: Hashes): void {
    this.#seed = seed;
    for (const [i, hash] of hashes.entries()) if (hash !== 0) this.#add(first + i, hash);
  }

  #add(ordinal: number, hash: number): void {
    if ((this.#size += 1) > this.#heads.length) this.#widen();
    this.#hashes.set(ordinal, hash);
    this.#chain(ordinal);
  }

  #chain(ordinal: number): void {
    const bucket = this.#bucketOf(this.#hashes.get(ordinal));
    this.#next.set(ordinal, this.#heads[bucket] ?? 0);
    this.#heads[bucket] = ordinal + 1;
  }

  #widen(): void {
    const before = this.#heads;
    this.#heads = new Int32Array(2 * before.length);
    for (const head of before)
      for (let at = head; at !== 0;) {
        const next = this.#next.get(at - 1);
        this.#chain(at - 1);
        at = next;
      }
  }

  #bucketOf(hash: number): number {
    return hash & (this.#heads.length - 1);
  }

  #hashOf(key: string): number {
    return hashOf(key, this.#seed) || 1;
  }
}

/** Compares texts by hashes of 53 bits, which are all that it has of them. */
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
