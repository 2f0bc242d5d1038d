/**
 * The order of a list, and the bots in each order that is kept for a sort. A sort may rank bots: the highest rank comes
 * first, and bots of equal rank newest first. Without a rank, a list is newest first. A page begins after a cursor,
 * which stays valid when its entry is removed, because it has values.
 */
import type { Bot, BotSort } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import { accepted, refused, type Parsed } from '../base/parsed.ts';
import { relevanceOf } from '../domain/search.ts';
import { hasBit, type Bits } from './ordinals.ts';

/** What lists don't show: a bot's last change, by the store's clock, its installs of the last days, its template. */
export type Unshown = {
  readonly updatedAtMs: number;
  readonly recentInstalls: number;
  readonly templateId: string;
};

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

/** Bots by a rank. It is sorted when it is first read; from then on a bot that changes is moved. */
export class RankedOrder {
  /** By ordinal; NaN where no bot is in the order. */
  readonly #ranks: number[] = [];
  /** The highest rank last and, of equal ranks, the newest bot last. */
  readonly #ordinals: number[] = [];
  /** Whether it is sorted now: it need not be while it is filled. */
  isSorted = false;

  /** A bot's rank; 0 if it is not in the order. */
  rankOf(ordinal: number): number {
    return this.#ranks[ordinal] || 0;
  }

  /** The greatest rank; 0 without bots. */
  get greatest(): number {
    this.sort();
    return this.rankOf(this.#ordinals.at(-1) ?? -1);
  }

  /** Adds a bot, or moves it. */
  set(ordinal: number, rank: number): void {
    const before = this.#ranks[ordinal] ?? NaN;
    if (before === rank) return;
    if (this.isSorted) {
      if (!Number.isNaN(before)) this.#ordinals.splice(this.#countBelow(before, ordinal), 1);
      this.#ordinals.splice(this.#countBelow(rank, ordinal), 0, ordinal);
    } else if (Number.isNaN(before)) this.#ordinals.push(ordinal);
    this.#ranks[ordinal] = rank;
  }

  delete(ordinal: number): void {
    const rank = this.#ranks[ordinal] ?? NaN;
    if (Number.isNaN(rank)) return;
    this.sort();
    this.#ordinals.splice(this.#countBelow(rank, ordinal), 1);
    this.#ranks[ordinal] = NaN;
  }

  /** Gives many bots other ranks. */
  setAll(ranks: Iterable<readonly [ordinal: number, rank: number]>): void {
    this.isSorted = false;
    for (const [ordinal, rank] of ranks) this.set(ordinal, rank);
  }

  /** The bots in `among`, the highest rank first, from `start` if given, until `use` returns false. */
  each(among: Bits, start: Start | undefined, use: (ordinal: number) => boolean): void {
    this.sort();
    const end = start === undefined ? this.#ordinals.length : this.#countBelow(start.rank, start.ordinal);
    for (let i = end - 1; i >= 0; i -= 1) {
      const ordinal = this.#ordinals[i] ?? 0;
      if (hasBit(among, ordinal) && !use(ordinal)) return;
    }
  }

  sort(): void {
    if (this.isSorted) return;
    const ranks = this.#ranks;
    this.#ordinals.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b);
    this.isSorted = true;
  }

  #countBelow(rank: number, ordinal: number): number {
    return countLeading(this.#ordinals.length, (index) => {
      const other = this.#ordinals[index] ?? 0;
      const otherRank = this.#ranks[other] ?? 0;
      return otherRank < rank || (otherRank === rank && other < ordinal);
    });
  }
}
