/**
 * Entries in commit order with their JSON as bytes. The whole list's bytes are made in segments: a change remakes the
 * segment it falls in, and an answer joins them.
 */
import type { Placed } from '../domain/listing.ts';

/** An entry and its JSON. */
export type Stored = Placed & {
  readonly id: string;
  readonly json: Buffer;
  readonly changedAtMs: number;
  readonly version: number;
};

const segmentSize = 256;
const comma = Buffer.from(',');
const [open, close] = [Buffer.from('['), Buffer.from(']')];

/** A list of one kind of thing, ascending by commit order. */
export class Collection<T extends Stored> {
  /** Ascending by `seq`. */
  readonly entries: T[] = [];
  /** When anything in it last changed, in milliseconds. */
  changedAtMs = 0;
  /** The version at which anything in it last changed: with the store's epoch, its identity. */
  version = 0;
  readonly #indexes = new Map<string, number>();
  #segments: (Buffer | undefined)[] = [];
  #sorted = true;

  /** The entry with this id. */
  get(id: string): T | undefined {
    const index = this.#indexes.get(id);
    return index === undefined ? undefined : this.entries[index];
  }

  /** Adds an entry, or replaces the one with its id. Call `settle` when all that changed is in. */
  put(entry: T): void {
    this.version = Math.max(this.version, entry.version);
    this.changedAtMs = Math.max(this.changedAtMs, entry.changedAtMs);
    const index = this.#indexes.get(entry.id) ?? this.entries.length;
    if ((this.entries[index - 1]?.seq ?? 0) > entry.seq) this.#sorted = false;
    this.entries[index] = entry;
    this.#indexes.set(entry.id, index);
    this.#segments[Math.floor(index / segmentSize)] = undefined;
  }

  /** Restores commit order: an old entry that changed lately comes after newer ones when a copy is first read. */
  settle(): void {
    if (this.#sorted) return;
    this.entries.sort((a, b) => a.seq - b.seq);
    for (const [index, { id }] of this.entries.entries()) this.#indexes.set(id, index);
    this.#segments = [];
    this.#sorted = true;
  }

  clear(): void {
    this.entries.length = 0;
    this.#indexes.clear();
    this.#segments = [];
    this.#sorted = true;
    this.version = 0;
    this.changedAtMs = 0;
  }

  /** The whole list, newest first, as one JSON array. */
  bytes(): Buffer {
    const parts: Buffer[] = [];
    for (let i = Math.ceil(this.entries.length / segmentSize) - 1; i >= 0; i -= 1) {
      parts.push((this.#segments[i] ??= joined(this.entries.slice(i * segmentSize, (i + 1) * segmentSize).reverse())));
      if (i > 0) parts.push(comma);
    }
    return Buffer.concat([open, ...parts, close]);
  }
}

/** Entries as one JSON array. */
export const jsonArray = (entries: readonly Stored[]): Buffer => Buffer.concat([open, joined(entries), close]);

const joined = (entries: readonly Stored[]): Buffer => {
  const parts: Buffer[] = [];
  for (const [i, entry] of entries.entries()) {
    if (i > 0) parts.push(comma);
    parts.push(entry.json);
  }
  return Buffer.concat(parts);
};
