/**
 * The orders of the bot list: a sort of the contract is an entry here, and the index, the cursors and the pages follow.
 * Whatever ranks alike stands in the order of publication, the newest first.
 */
import type { Bot, BotSort } from '@bot-directory/contract';

/** What bots are compared by. */
export type Rank = number | string;

/** How a sort ranks bots, and which rank its list begins with. */
export type BotOrder = { readonly first: 'highest' | 'lowest' } & (
  | { readonly type: 'number'; readonly rankOf: (bot: Bot) => number }
  | { readonly type: 'string'; readonly rankOf: (bot: Bot) => string }
);

/** The order of each sort; `undefined` where it is that of publication alone. */
export const botOrders: Readonly<Record<BotSort, BotOrder | undefined>> = {
  newest: undefined,
  installs: { first: 'highest', type: 'number', rankOf: (bot) => bot.install_count },
};

/** The rank of everything in a list that is in the order of publication alone. */
export const unranked = 0;

/** Ascending. The ranks of a sort are of one type. */
export const compareRanks = <T extends Rank>(a: T, b: T): number => (a === b ? 0 : a < b ? -1 : 1);

/** Whether a value may be a rank of a sort. */
export const isRankOf = (order: BotOrder | undefined, value: unknown): value is Rank =>
  order === undefined
    ? value === unranked
    : typeof value === order.type && (typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0));
