/** The operator's commands about categories: which are in use, and a new name for one. */
import type { Categories } from '../domain/names.ts';
import { countCategories, renameInBots, renameInFilters } from '../store/category-store.ts';
import type { ModerationStore, Operator } from '../store/moderation-store.ts';
import type { Store } from '../store/redis.ts';
import { storeIds } from './edit-bot.ts';
import { CommandError, confirm, showResult, showRows, unasked, type Terminal } from './terminal.ts';

type Deps = {
  readonly store: Store;
  readonly moderation: ModerationStore;
  readonly categories: Categories;
  readonly operator: Operator;
  readonly terminal: Terminal;
};

export const categoryCommands = ({ store, moderation, categories, operator, terminal }: Deps) => ({
  listCategories: async (): Promise<void> => {
    const counts = await countCategories(store);
    const names = [...new Set([...categories, ...counts.keys()])];
    const rows = names.map((category) => ({
      category,
      bots: counts.get(category) ?? 0,
      configured: categories.includes(category),
    }));
    showRows(terminal, rows, 'There are no categories.');
  },

  renameCategory: async (from: string, to: string): Promise<void> => {
    if (categories.former?.get(from) !== to)
      throw new CommandError(`BOT_CATEGORIES must have ${to}=${from}, here and in all processes.`);
    const count = (await countCategories(store)).get(from) ?? 0;
    if (count > unasked) await confirm(terminal, `Rename the category of ${count} bots?`);
    await moderation.record(operator, 'rename-category', count);
    // Filters first: they then want the events about the bots.
    const filters = await renameInFilters(store, { from, to });
    const bots = await renameInBots(store, { from, to }, await storeIds(moderation));
    showResult(
      terminal,
      { from, to, bots, filters },
      `Renamed in ${bots} bots and the filters of ${filters} webhooks.`,
    );
  },
});
