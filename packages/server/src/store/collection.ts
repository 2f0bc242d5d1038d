/**
 * Entries in commit order: each has an ordinal, the facts that queries need, and its JSON in segments. Readers see the
 * state of the last `commit()`; a list that they hold does not change.
 */
import { unranked } from '../domain/bot-orders.ts';
import type { Paging, Position } from '../domain/listing.ts';
import { eachBitDown, OrdinalSet, wordsFor, type Bits } from '../domain/ordinals.ts';
import { Column } from './column.ts';
import { Segments } from './segments.ts';
import { selectEntries, type Selected } from './selected.ts';

/** An entry. `seq` is its commit number: unique and permanent. */
export type Entry = {
  readonly id: string;
  readonly seq: number;
  readonly version: number;
  readonly changedAtMs: number;
  readonly json: string;
};

/** An entry that is no longer in the list. `seq` is its commit number, or 0. */
export type Removal = Omit<Entry, 'id' | 'json'>;

/** Thrown by `put`: the new entry belongs before existing ones, but was missing when they were added. */
export class OutOfOrder extends Error {}

/** A list of entries of one kind. */
export class Collection {
  /** The version at which anything in it last changed. Together with the store's lineage it identifies the state. */
  version = 0;
  /** When anything in it last changed. */
  changedAtMs = 0;
  #segments = new Segments();
  readonly #listed = new OrdinalSet();
  readonly #ordinals = new Map<string, number>();
  readonly #seqs = new Column();
  readonly #versions = new Column();
  readonly #changedAtMs = new Column();
  readonly #pending = new Map<number, string | undefined>();
  #next = { version: 0, changedAtMs: 0 };

  /** The number of listed entries. */
  get size(): number {
    return this.#listed.size;
  }

  /** The bytes of the current list. */
  get segments(): Segments {
    return this.#segments;
  }

  /** An entry's JSON, copied into memory of its own. */
  copyOfJson(ordinal: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#segments.length(ordinal));
    this.#segments.copy(ordinal, bytes, 0);
    return bytes;
  }

  /** The ordinal of a listed entry. */
  ordinalOf(id: string): number | undefined {
    return this.#ordinals.get(id);
  }

  seqOf(ordinal: number): number {
    return this.#seqs.get(ordinal);
  }

  /** The state of this entry, for the stamp of its representation. */
  stateOf(ordinal: number): { readonly version: number; readonly changedAtMs: number } {
    return { version: this.#versions.get(ordinal), changedAtMs: this.#changedAtMs.get(ordinal) };
  }

  /** The first ordinal at or after a commit number. */
  ordinalFrom(seq: number): number {
    return this.#seqs.countBelow(seq);
  }

  /** The ordinals of all listed entries, as bits that the caller may change. */
  listed(): Bits {
    return this.#listed.toBits(wordsFor(this.#seqs.length));
  }

  /** The ordinals of all listed entries, ascending; of entries that come while they are iterated, too. */
  *ordinals(): Generator<number> {
    for (let ordinal = 0; ordinal < this.#seqs.length; ordinal += 1) if (this.#listed.has(ordinal)) yield ordinal;
  }

  /** A page of the list, newest first. */
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

  /** Adds an entry, or replaces the one with its id. Returns its ordinal. New entries must come in commit order. */
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

  /** Removes an entry from the list, or records the position of one that is not in it. */
  remove(id: string, { seq, version, changedAtMs }: Removal): void {
    this.#touch(version, changedAtMs);
    const ordinal = this.#ordinals.get(id);
    if (ordinal !== undefined) {
      this.#ordinals.delete(id);
      this.#listed.delete(ordinal);
      this.#pending.set(ordinal, undefined);
    } else if (seq > this.#seqs.get(this.#seqs.length - 1)) this.#seqs.set(this.#seqs.length, seq);
  }

  /** Makes all additions and removals visible to readers. */
  commit(): void {
    if (this.#pending.size > 0) this.#segments = this.#segments.with(this.#pending);
    this.#pending.clear();
    ({ version: this.version, changedAtMs: this.changedAtMs } = this.#next);
  }

  /** An entry's JSON as it was last put, committed or not. */
  latestJson(ordinal: number): string {
    return this.#pending.get(ordinal) ?? this.#segments.json(ordinal).toString();
  }

  /** An entry that returns gets its old slot; a new one gets the next. */
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
