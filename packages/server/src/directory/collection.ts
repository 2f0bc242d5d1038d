/**
 * Entries by position: each has an ordinal, a version, the time of its last change, and its JSON in segments. Readers
 * see the state of the last `commit()`; a list that they hold does not change.
 */
import type { BotSort } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import type { Paging } from './listing.ts';
import { compareCursors, cursorText, unranked, type Cursor } from './order.ts';
import { eachBitDown, ordinalsDown, OrdinalSet, wordsFor, type Bits } from './ordinals.ts';
import { Segments } from './segments.ts';

/** An entry. Its position is unique and permanent, so it identifies the entry. */
export type Entry = {
  readonly position: number;
  readonly version: number;
  readonly changedAtMs: number;
  readonly json: string;
};

/** An entry that is no longer in the list. Its position is 0 if it never had one. */
export type Removal = Omit<Entry, 'json'>;

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
  /** By ordinal. */
  readonly #positions: number[] = [];
  readonly #versions: number[] = [];
  readonly #changedAtMs: number[] = [];
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
    return this.#positions[ordinal] === position && this.#listed.has(ordinal) ? ordinal : undefined;
  }

  positionOf(ordinal: number): number {
    return this.#positions[ordinal] ?? 0;
  }

  /** The state of this entry, for the validators of its representation. */
  stateOf(ordinal: number): CollectionState {
    return { version: this.#versions[ordinal] ?? 0, changedAtMs: this.#changedAtMs[ordinal] ?? 0 };
  }

  /** The first ordinal at or after a position. */
  ordinalFrom(position: number): number {
    return countLeading(this.#positions.length, (index) => (this.#positions[index] ?? 0) < position);
  }

  /** The ordinals of all listed entries, as bits that the caller may change. */
  listed(): Bits {
    return this.#listed.toBits(wordsFor(this.#positions.length));
  }

  /** The ordinals of all listed entries, the newest first. */
  ordinals(): number[] {
    return ordinalsDown(this.listed());
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
    this.#positions[ordinal] = position;
    this.#versions[ordinal] = version;
    this.#changedAtMs[ordinal] = changedAtMs;
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
    } else if (position > (this.#positions.at(-1) ?? 0)) this.#positions.push(position);
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

  /** An entry that returns gets its old ordinal; a new one gets the next. */
  #ordinalFor(position: number): number {
    const ordinal = this.ordinalFrom(position);
    if (ordinal < this.#positions.length && this.#positions[ordinal] !== position) throw new OutOfOrder();
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
