/**
 * Finds entries by a text that few of them share, such as a slug. Of each it has a hash, not the text, which would take
 * ten times as much memory: the caller compares the text. Entries with equal hashes are chained.
 */
import { randomInt } from 'node:crypto';
import { Column } from './ordinals.ts';

/** The hashes of the keys of some entries in a row, 0 for one without a key, and what they were made with. */
export type Hashes = { readonly seed: number; readonly hashes: Int32Array };

/** A table of keys. */
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

  /** FNV-1a, and the last step of MurmurHash3, without which its low bits would say little. */
  #hashOf(key: string): number {
    let hash = this.#seed;
    for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x0100_0193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
    return hash ^ (hash >>> 16) || 1;
  }
}
