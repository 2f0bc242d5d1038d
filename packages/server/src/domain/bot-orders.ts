/**
 * The orders of the bot list. A sort of the contract is an entry here, which the index, the cursors and the pages use.
 * Bots of equal rank are in the order of publication, newest first.
 */
import type { Bot, BotSort } from '@bot-directory/contract';

/** The value by which bots are compared. */
export type Rank = number | string;

/** How a sort ranks bots, and with which rank its list begins. */
export type BotOrder = { readonly first: 'highest' | 'lowest' } & (
  | { readonly type: 'number'; readonly rankOf: (bot: Bot) => number }
  | { readonly type: 'string'; readonly rankOf: (bot: Bot) => string }
);

/** The order of each sort; `undefined` for the order of publication. */
export const botOrders: Readonly<Record<BotSort, BotOrder | undefined>> = {
  newest: undefined,
  installs: { first: 'highest', type: 'number', rankOf: (bot) => bot.install_count },
};

/** The rank of every entry in a list that is in the order of publication. */
export const unranked = 0;

/** Compares ranks, ascending. The ranks of a sort have one type. */
export const compareRanks = <T extends Rank>(a: T, b: T): number => (a === b ? 0 : a < b ? -1 : 1);

/** Whether a value can be a rank of a sort. */
export const isRankOf = (order: BotOrder | undefined, value: unknown): value is Rank =>
  order === undefined
    ? value === unranked
    : typeof value === order.type && (typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0));
