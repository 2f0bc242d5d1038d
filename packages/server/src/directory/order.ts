/**
 * The order of a list, and the bots in each order that is kept for a sort. A sort may rank bots: the highest rank comes
 * first, and bots of equal rank newest first. Without a rank, a list is newest first. A page begins after a cursor,
 * which stays valid when its entry is removed, because it has values.
 */
import type { Bot, BotSort } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import { accepted, refused, type Parsed } from '../base/parsed.ts';
import { recentInstalls } from '../domain/bot.ts';
import { relevanceOf } from '../domain/search.ts';
import { Column } from './columns.ts';
import { countBelow, hasBit, Postings, setBit, type Bits } from './ordinals.ts';

/** What a bot does not show: when it last changed, by the store's clock, and its installs of the last days. */
export type Unshown = { readonly updatedAtMs: number; readonly recentInstalls: number };

/** How each sort ranks a bot: by a whole number, from 0 up. `words` are those of the query. */
export type RankOf = (bot: Bot, words: readonly string[], unshown: Unshown) => number;

/** The ranks of each relevance lie above those of the next lower one. */
export const ranksPerRelevance = 1_000_000_000;

const installsOf = (bot: Bot): number => bot.install_count;

/** The rank of each sort; `undefined` for a sort that does not rank. */
export const ranks: Readonly<Record<BotSort, RankOf | undefined>> = {
  newest: undefined,
  updated: (_bot, _words, { updatedAtMs }) => updatedAtMs,
  trending: (_bot, _words, { recentInstalls }) => recentInstalls,
  installs: installsOf,
  relevance: (bot, words) =>
    relevanceOf(bot, words) * ranksPerRelevance + Math.min(installsOf(bot), ranksPerRelevance - 1),
};

/** The rank of every entry in a list without ranks. */
export const unranked = 0;

/** Where a page ends and the next begins: the position and the rank of an entry. */
export type Cursor = { readonly position: number; readonly rank: number };

/** Compares two cursors of a list, last one first. */
export const compareCursors = (a: Cursor, b: Cursor): number => a.rank - b.rank || a.position - b.position;

/** A cursor as readers get it, opaque. */
export const cursorText = ({ position, rank }: Cursor, sort: BotSort): string =>
  Buffer.from(`${sort}.${position}.${rank}`).toString('base64url');

/** Parses a cursor of a list with this sort. */
export const parseCursor =
  (sort: BotSort) =>
  (raw: string): Parsed<Cursor> => {
    const text = Buffer.from(raw, 'base64url').toString();
    const [, cursorSort, position, rank] = /^(\w+)\.(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
    const cursor = { position: Number(position), rank: Number(rank) };
    const isOfSort = cursorSort === sort && (ranks[sort] !== undefined || cursor.rank === unranked);
    return isOfSort && cursorText(cursor, sort) === raw
      ? accepted(cursor)
      : refused('is not a cursor of this list; take it from the Link header, with the same sort');
  };

/** A cursor in this copy: a page begins below this ordinal, at this rank. */
export type Start = { readonly ordinal: number; readonly rank: number };

/** Bots by their rank, to be iterated in the order of the sort. */
export class RankedPostings {
  readonly #postings = new Postings<number>();
  /** The ranks that occur, ascending. */
  readonly #ranks: number[] = [];

  add(rank: number, ordinal: number): void {
    if (this.#postings.add(rank, ordinal) === 'new') this.#ranks.splice(countBelow(this.#ranks, rank), 0, rank);
  }

  delete(rank: number, ordinal: number): void {
    if (this.#postings.delete(rank, ordinal)) this.#ranks.splice(countBelow(this.#ranks, rank), 1);
  }

  /** The greatest rank; 0 without entries. */
  get greatest(): number {
    return this.#ranks.at(-1) ?? 0;
  }

  /** The entries in `among`, in the order of the sort, from `start` if given, until `use` returns false. */
  each(among: Bits, start: Start | undefined, use: (ordinal: number) => boolean): void {
    const count = start === undefined ? this.#ranks.length : countBelow(this.#ranks, start.rank + 1);
    for (let i = count - 1; i >= 0; i -= 1) {
      const rank = this.#ranks[i] ?? 0;
      const end = rank === start?.rank ? start.ordinal : undefined;
      if (!this.#postings.eachDown(rank, { among, end }, use)) return;
    }
  }
}

/** Bots by their installs of the last days. The order changes with each install, and with each day. */
export class TrendingOrder {
  /** By ordinal: the installs by day, as they are stored. Old days count again if the clock goes back, and stay. */
  readonly #stored = new Map<number, string>();
  readonly #postings = new RankedPostings();
  #today = 0;

  /** The day for which bots are ranked. */
  get today(): number {
    return this.#today;
  }

  set today(day: number) {
    if (day === this.#today) return;
    const before = Array.from(this.#stored.keys(), (ordinal) => [ordinal, this.rankOf(ordinal)] as const);
    this.#today = day;
    for (const [ordinal, rank] of before) this.#move(ordinal, rank);
  }

  /** A bot's installs of the last days. */
  rankOf(ordinal: number): number {
    return recentInstalls(this.#stored.get(ordinal) ?? '', this.#today);
  }

  /** A bot's installs by day, as they are stored. */
  storedOf(ordinal: number): string {
    return this.#stored.get(ordinal) ?? '';
  }

  /** Whether any bot has an install of the last days. */
  get isAny(): boolean {
    return this.#postings.greatest > 0;
  }

  /** Adds a bot, or replaces its installs. */
  set(ordinal: number, stored: string): void {
    const before = this.rankOf(ordinal);
    if (stored === '') this.#stored.delete(ordinal);
    else this.#stored.set(ordinal, stored);
    this.#move(ordinal, before);
  }

  delete(ordinal: number): void {
    this.#postings.delete(this.rankOf(ordinal), ordinal);
    this.#stored.delete(ordinal);
  }

  /** The bots in `among`, most installs first, from `start` if given, until `use` returns false. */
  each(among: Bits, start: Start | undefined, use: (ordinal: number) => boolean): void {
    this.#postings.each(among, start, use);
  }

  #move(ordinal: number, before: number): void {
    const rank = this.rankOf(ordinal);
    if (rank !== before) this.#postings.delete(before, ordinal);
    this.#postings.add(rank, ordinal);
  }
}

/** How many entries may be passed over before they are dropped, in addition to one for each bot. */
const mostPassedOver = 1_000;
/** How many entries are sorted before other work may be done. */
const perStep = 4_096;

/**
 * Bots by when they last changed. Changes arrive in the order of time, except those of the start and those after a
 * clock went back, so each is appended, and the bot's entry before it is passed over from then on. See
 * decision 0116.
 */
export class UpdateOrder {
  /** The entries, the last update last: the bot's ordinal, and when it was. */
  #ordinals = new Column(Int32Array);
  #times = new Column(Float64Array);
  /** By ordinal: 1 + the index of its entry; 0 if it has none. */
  readonly #places = new Column(Int32Array);
  #size = 0;
  #isSorted = true;

  /** When a bot was last updated, in milliseconds by the store's clock. */
  atMs(ordinal: number): number {
    return this.#times.get(this.#places.get(ordinal) - 1);
  }

  /** Adds a bot, or moves it. */
  set(ordinal: number, atMs: number): void {
    const isKnown = this.#places.get(ordinal) > 0;
    if (isKnown && this.atMs(ordinal) === atMs) return;
    if (!isKnown) this.#size += 1;
    const last = this.#ordinals.length - 1;
    if (last >= 0 && !this.#isBelow(last, atMs, ordinal)) this.#isSorted = false;
    this.#append(ordinal, atMs);
    if (this.#ordinals.length <= 2 * this.#size + mostPassedOver) return;
    this.#isSorted = false;
    this.#sort();
  }

  delete(ordinal: number): void {
    if (this.#places.get(ordinal) === 0) return;
    this.#places.set(ordinal, 0);
    this.#size -= 1;
  }

  /** Removes from `bits` the bots that were last updated before an instant. */
  keepSince(bits: Bits, sinceMs: number): void {
    const kept = new Uint32Array(bits.length);
    this.each(bits, undefined, (ordinal) => {
      if (this.atMs(ordinal) < sinceMs) return false;
      setBit(kept, ordinal);
      return true;
    });
    bits.set(kept);
  }

  /** The bots in `among`, the last update first, from `start` if given, until `use` returns false. */
  each(among: Bits, start: Start | undefined, use: (ordinal: number) => boolean): void {
    this.#sort();
    for (let i = (start === undefined ? this.#ordinals.length : this.#countBelow(start)) - 1; i >= 0; i -= 1) {
      const ordinal = this.#ordinals.get(i);
      if (this.#places.get(ordinal) === i + 1 && hasBit(among, ordinal) && !use(ordinal)) return;
    }
  }

  /**
   * Sorts the entries, if some came out of order, and drops those that are passed over. It stops now and then, for
   * other work, which must not use it.
   */
  *sorting(): Generator<undefined> {
    if (this.#isSorted) return;
    const ordinals = this.#ordinals;
    const times = this.#times;
    // By index, from the last to the first. Most are in order; the others are below an entry that came before them.
    const sorted = new Column(Int32Array);
    const others = [] as number[];
    for (let i = ordinals.length - 1; i >= 0; i -= 1) {
      if (i % perStep === 0) yield;
      if (this.#places.get(ordinals.get(i)) !== i + 1) continue;
      const next = sorted.length === 0 ? undefined : sorted.get(sorted.length - 1);
      if (next === undefined || this.#isBelow(i, times.get(next), ordinals.get(next))) sorted.push(i);
      else others.push(i);
    }
    const compare = (a: number, b: number): number => times.get(a) - times.get(b) || ordinals.get(a) - ordinals.get(b);
    others.sort((a, b) => compare(b, a));
    [this.#ordinals, this.#times] = [new Column(Int32Array), new Column(Float64Array)];
    let left = sorted.length;
    while (left > 0 || others.length > 0) {
      if (this.#ordinals.length % perStep === 0) yield;
      const other = others.at(-1);
      const isOther = other !== undefined && (left === 0 || compare(other, sorted.get(left - 1)) < 0);
      const first = isOther ? other : sorted.get((left -= 1));
      if (isOther) others.pop();
      this.#append(ordinals.get(first), times.get(first));
    }
    this.#isSorted = true;
  }

  #sort(): void {
    const steps = this.sorting();
    while (steps.next().done !== true);
  }

  #append(ordinal: number, atMs: number): void {
    this.#ordinals.push(ordinal);
    this.#times.push(atMs);
    this.#places.set(ordinal, this.#ordinals.length);
  }

  #countBelow({ rank, ordinal }: Start): number {
    return countLeading(this.#ordinals.length, (index) => this.#isBelow(index, rank, ordinal));
  }

  #isBelow(index: number, atMs: number, ordinal: number): boolean {
    const time = this.#times.get(index);
    return time < atMs || (time === atMs && this.#ordinals.get(index) < ordinal);
  }
}
