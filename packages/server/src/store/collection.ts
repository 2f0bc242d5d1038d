/**
 * Entries in commit order: an ordinal for each, what a query must know of it, and its JSON in segments. Readers see the
 * state of the last `commit()`; a list that they hold stays as it was.
 */
import { unranked } from '../domain/bot-orders.ts';
import type { Paging, Position } from '../domain/listing.ts';
import { eachBitDown, OrdinalSet, wordsFor, type Bits } from '../domain/ordinals.ts';
import { Column } from './column.ts';
import { Segments } from './segments.ts';
import { selectEntries, type Selected } from './selected.ts';

/** An entry. `seq` is its commit number: unique, and the same for ever. */
export type Entry = {
  readonly id: string;
  readonly seq: number;
  readonly version: number;
  readonly changedAtMs: number;
  readonly json: Buffer;
};

/** An entry that is not in the list any more. `seq` is its commit number, or 0. */
export type Removal = Omit<Entry, 'id' | 'json'>;

/** Thrown by `put`: an entry that stands before others that are there was not there when they were put. */
export class OutOfOrder extends Error {}

/** A list of one kind of thing. */
export class Collection {
  /** The version at which anything in it last changed: with the store's lineage, its identity. */
  version = 0;
  /** When anything in it last changed. */
  changedAtMs = 0;
  #segments = new Segments();
  readonly #listed = new OrdinalSet();
  readonly #ordinals = new Map<string, number>();
  readonly #seqs = new Column();
  readonly #versions = new Column();
  readonly #changedAtMs = new Column();
  readonly #pending = new Map<number, Buffer | undefined>();
  #next = { version: 0, changedAtMs: 0 };

  /** How many entries are listed. */
  get size(): number {
    return this.#listed.size;
  }

  /** The bytes of the list as it is now. */
  get segments(): Segments {
    return this.#segments;
  }

  /** An entry's JSON, in memory of its own. */
  copyOfJson(ordinal: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#segments.length(ordinal));
    this.#segments.copy(ordinal, bytes, 0);
    return bytes;
  }

  /** The ordinal of an entry that is listed. */
  ordinalOf(id: string): number | undefined {
    return this.#ordinals.get(id);
  }

  seqOf(ordinal: number): number {
    return this.#seqs.get(ordinal);
  }

  /** What a representation of this one entry says of itself. */
  stateOf(ordinal: number): { readonly version: number; readonly changedAtMs: number } {
    return { version: this.#versions.get(ordinal), changedAtMs: this.#changedAtMs.get(ordinal) };
  }

  /** The first ordinal that is not below a commit number. */
  ordinalFrom(seq: number): number {
    return this.#seqs.countBelow(seq);
  }

  /** The ordinals of all that is listed, as bits that the caller may change. */
  listed(): Bits {
    return this.#listed.toBits(wordsFor(this.#seqs.length));
  }

  /** A page of it, newest first. */
  page({ limit, after }: Paging): Selected {
    const bits = this.listed();
    const rest: number[] = [];
    const most = limit === undefined ? Infinity : limit + 1;
    const end = after === undefined ? this.#seqs.length : this.ordinalFrom(after.seq);
    eachBitDown(bits, end, (ordinal) => rest.push(ordinal) < most);
    const position = (ordinal: number): Position => ({ seq: this.seqOf(ordinal), rank: unranked });
    return selectEntries({
      rest,
      total: this.size,
      listing: { limit, sort: 'newest' },
      position,
      segments: this.segments,
    });
  }

  /** Adds an entry, or replaces the one with its id. Gives its ordinal. New ones come in commit order. */
  put({ id, seq, version, changedAtMs, json }: Entry): number {
    const ordinal = this.#ordinals.get(id) ?? this.#slotFor(seq);
    this.#ordinals.set(id, ordinal);
    this.#listed.add(ordinal);
    this.#seqs.set(ordinal, seq);
    this.#versions.set(ordinal, version);
    this.#changedAtMs.set(ordinal, changedAtMs);
    this.#pending.set(ordinal, json);
    this.#touch(version, changedAtMs);
    return ordinal;
  }

  /** Takes an entry out of the list, or remembers the place of one that is not in it. */
  remove(id: string, { seq, version, changedAtMs }: Removal): void {
    this.#touch(version, changedAtMs);
    const ordinal = this.#ordinals.get(id);
    if (ordinal !== undefined) {
      this.#ordinals.delete(id);
      this.#listed.delete(ordinal);
      this.#pending.set(ordinal, undefined);
    } else if (seq > this.#seqs.get(this.#seqs.length - 1)) this.#seqs.set(this.#seqs.length, seq);
  }

  /** Shows readers all that was put and removed. */
  commit(): void {
    if (this.#pending.size > 0) this.#segments = this.#segments.with(this.#pending);
    this.#pending.clear();
    ({ version: this.version, changedAtMs: this.changedAtMs } = this.#next);
  }

  /** An entry's JSON as it was put last, committed or not. */
  latestJson(ordinal: number): Buffer {
    return this.#pending.get(ordinal) ?? this.#segments.json(ordinal);
  }

  /** One that comes back has its old place; a new one has the next. */
  #slotFor(seq: number): number {
    const ordinal = this.#seqs.countBelow(seq);
    if (ordinal < this.#seqs.length && this.#seqs.get(ordinal) !== seq) throw new OutOfOrder();
    return ordinal;
  }

  #touch(version: number, changedAtMs: number): void {
    this.#next = {
      version: Math.max(this.#next.version, version),
      changedAtMs: Math.max(this.#next.changedAtMs, changedAtMs),
    };
  }
}
