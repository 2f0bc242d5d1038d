/**
 * The order of a list. A sort may rank bots: the highest rank comes first, and bots of equal rank newest first. Without
 * a rank, a list is newest first. A page begins after a cursor, which has values, so that it stays valid when
 * its entry is removed.
 */
import type { Bot, BotSort } from '@bot-directory/contract';
import { accepted, refused, type Parsed } from '../base/parsed.ts';
import { relevanceOf } from '../domain/search.ts';

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
