/**
 * Entries by position: each has an ordinal, the columns that queries need, and its JSON in segments. Readers see the
 * state of the last `commit()`; a list that they hold does not change.
 */
import type { BotSort } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import type { Paging } from './listing.ts';
import { compareCursors, cursorText, unranked, type Cursor } from './order.ts';
import { Column } from './columns.ts';
import { eachBitDown, OrdinalSet, wordsFor, type Bits } from './ordinals.ts';
import { perSegment, Segments } from './segments.ts';

/** An entry. Its position is unique and permanent, so it identifies the entry. */
export type Entry = {
  readonly position: number;
  readonly version: number;
  readonly changedAtMs: number;
  readonly json: string;
};

/** An entry that is no longer in the list. Its position is 0 if it never had one. */
export type Removal = Omit<Entry, 'json'>;

/**
 * A part of a collection, with all that is known of its entries, by ordinal: what a snapshot stores. `bytes` and
 * `bounds` are those of a segment.
 */
export type Chunk = {
  readonly positions: Float64Array;
  readonly versions: Float64Array;
  readonly changedAtMs: Float64Array;
  readonly bytes: Buffer;
  readonly bounds: Uint32Array;
};

/** Whether the entry with this index in a chunk is listed. */
export const isListed = ({ bounds }: Pick<Chunk, 'bounds'>, index: number): boolean =>
  bounds[2 * index] !== bounds[2 * index + 1];

/** The version at which a collection last changed, and when that was. */
export type CollectionState = { readonly version: number; readonly changedAtMs: number };

/** Thrown by `put`: the new entry belongs before existing ones, but was missing when they were added. */
export class OutOfOrder extends Error {}

/** A list of entries of one kind. */
export class Collection {
  /** The version at which anything in it last changed. Together with the store's epoch it identifies the state. */
  version = 0;
  /** When anything in it last changed. */
  changedAtMs = 0;
  #segments = new Segments();
  readonly #listed = new OrdinalSet();
  readonly #positions = new Column(Float64Array);
  readonly #versions = new Column(Float64Array);
  readonly #changedAtMs = new Column(Float64Array);
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

  /** The ordinal of the listed entry at a position. */
  ordinalAt(position: number): number | undefined {
    const ordinal = this.ordinalFrom(position);
    return this.#positions.get(ordinal) === position && this.#listed.has(ordinal) ? ordinal : undefined;
  }

  positionOf(ordinal: number): number {
    return this.#positions.get(ordinal);
  }

  /** The state of this entry, for the validators of its representation. */
  stateOf(ordinal: number): CollectionState {
    return { version: this.#versions.get(ordinal), changedAtMs: this.#changedAtMs.get(ordinal) };
  }

  /** The first ordinal at or after a position. */
  ordinalFrom(position: number): number {
    return this.#positions.countBelow(position);
  }

  /** The ordinals of all listed entries, as bits that the caller may change. */
  listed(): Bits {
    return this.#listed.toBits(wordsFor(this.#positions.length));
  }

  /** The ordinals of all listed entries, ascending, including entries that come during the iteration. */
  *ordinals(): Generator<number> {
    for (let ordinal = 0; ordinal < this.#positions.length; ordinal += 1) if (this.#listed.has(ordinal)) yield ordinal;
  }

  /** Where a page of the list stands in it. */
  placeOf(paging: Paging): Place {
    const cursorAt = (ordinal: number): Cursor => ({ position: this.positionOf(ordinal), rank: unranked });
    return placeIn(this.page({ limit: undefined, after: undefined }).ordinals, { ...paging, sort: 'newest' }, cursorAt);
  }

  /** A page of the list, newest first. */
  page({ limit, after }: Paging): Selected {
    const bits = this.listed();
    const rest: number[] = [];
    const most = limit === undefined ? Infinity : limit + 1;
    const end = after && this.ordinalFrom(after.position);
    eachBitDown(bits, (ordinal) => rest.push(ordinal) < most, end);
    const cursorAt = (ordinal: number): Cursor => ({ position: this.positionOf(ordinal), rank: unranked });
    return selectEntries({
      rest,
      total: this.size,
      listing: { limit, sort: 'newest' },
      cursorAt,
      segments: this.segments,
    });
  }

  /** Adds an entry, or replaces the one at its position. Returns its ordinal. New entries must come by position. */
  put({ position, version, changedAtMs, json }: Entry): number {
    const ordinal = this.#ordinalFor(position);
    this.#listed.add(ordinal);
    this.#positions.set(ordinal, position);
    this.#versions.set(ordinal, version);
    this.#changedAtMs.set(ordinal, changedAtMs);
    this.#pending.set(ordinal, json);
    this.#touch(version, changedAtMs);
    return ordinal;
  }

  /** Removes an entry from the list, or records the position of one that is not in it. */
  remove({ position, version, changedAtMs }: Removal): void {
    this.#touch(version, changedAtMs);
    const ordinal = this.ordinalAt(position);
    if (ordinal !== undefined) {
      this.#listed.delete(ordinal);
      this.#pending.set(ordinal, undefined);
    } else if (position > this.#positions.get(this.#positions.length - 1))
      this.#positions.set(this.#positions.length, position);
  }

  /** Makes all additions and removals visible to readers. */
  commit(): void {
    if (this.#pending.size > 0) this.#segments = this.#segments.with(this.#pending);
    this.#pending.clear();
    ({ version: this.version, changedAtMs: this.changedAtMs } = this.#next);
  }

  /** How many chunks it consists of. */
  get chunks(): number {
    return Math.ceil(this.#positions.length / perSegment);
  }

  /** A chunk, which may hold uncommitted entries too. */
  chunk(index: number): Chunk {
    const from = index * perSegment;
    const to = (index + 1) * perSegment;
    return {
      positions: this.#positions.slice(from, to),
      versions: this.#versions.slice(from, to),
      changedAtMs: this.#changedAtMs.slice(from, to),
      ...this.#segments.segment(index),
    };
  }

  /** Appends a chunk, which readers see at once, and keeps its bytes. Returns its first ordinal. */
  restore({ positions, versions, changedAtMs, bytes, bounds }: Chunk): number {
    const first = this.#positions.length;
    for (const [i, position] of positions.entries()) {
      this.#positions.set(first + i, position);
      this.#versions.set(first + i, versions[i] ?? 0);
      this.#changedAtMs.set(first + i, changedAtMs[i] ?? 0);
    }
    // `bounds` is copied: a view would keep everything that was read in memory.
    this.#segments = this.#segments.withNext({ bytes, bounds: Uint32Array.from(bounds) });
    for (let i = 0; i < positions.length; i += 1) if (isListed({ bounds }, i)) this.#listed.add(first + i);
    return first;
  }

  /** Takes over the state of the collection whose chunks were restored. */
  restored(state: CollectionState): void {
    this.#touch(state.version, state.changedAtMs);
    this.commit();
  }

  /** An entry's JSON as it was last put, committed or not. */
  latestJson(ordinal: number): string {
    return this.#pending.get(ordinal) ?? this.#segments.json(ordinal).toString();
  }

  /** Whether that JSON includes a text. */
  protected latestIncludes(ordinal: number, text: string): boolean {
    return (this.#pending.get(ordinal) ?? this.#segments.json(ordinal)).includes(text);
  }

  /** An entry that returns gets its old ordinal; a new one gets the next. */
  #ordinalFor(position: number): number {
    const ordinal = this.#positions.countBelow(position);
    if (ordinal < this.#positions.length && this.#positions.get(ordinal) !== position) throw new OutOfOrder();
    return ordinal;
  }

  #touch(version: number, changedAtMs: number): void {
    this.#next = {
      version: Math.max(this.#next.version, version),
      changedAtMs: Math.max(this.#next.changedAtMs, changedAtMs),
    };
  }
}

/** A page, or a whole list. `next` is the cursor of the next page; `total` counts all pages. */
export type Selected = {
  readonly total: number;
  readonly ordinals: Uint32Array;
  readonly next: string | undefined;
  readonly segments: Segments;
};

/** How many entries come before a page, and the cursor of the page before it; `undefined` if that is the first. */
export type Place = { readonly before: number; readonly previous: string | undefined };

/** Where a page stands among `all` entries of its list. */
export const placeIn = (
  all: Uint32Array,
  { after, limit = all.length, sort }: Paging & { readonly sort: BotSort },
  cursorAt: (ordinal: number) => Cursor,
): Place => {
  const isBefore = (index: number): boolean =>
    after !== undefined && compareCursors(cursorAt(all[index] ?? 0), after) >= 0;
  const before = countLeading(all.length, isBefore);
  const last = all[before - limit - 1];
  return { before, previous: last === undefined ? undefined : cursorText(cursorAt(last), sort) };
};

/** The first `limit` of `rest`: the entries from the page's beginning on, with at least one more if there is one. */
export const selectEntries = ({
  rest,
  total,
  listing: { limit = rest.length, sort },
  cursorAt,
  segments,
}: {
  rest: readonly number[];
  total: number;
  listing: Pick<Paging, 'limit'> & { readonly sort: BotSort };
  cursorAt: (ordinal: number) => Cursor;
  segments: Segments;
}): Selected => {
  const ordinals = Uint32Array.from(rest.slice(0, limit));
  const last = ordinals.at(-1);
  const next = rest.length > ordinals.length && last !== undefined ? cursorText(cursorAt(last), sort) : undefined;
  return { total, ordinals, next, segments };
};
