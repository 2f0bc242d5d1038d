/** The operator's commands about categories: which are in use. */
import { botStates } from '../domain/bot.ts';
import { namesIn, type Categories, type FormerNames } from '../domain/names.ts';
import { wrong, type Finding } from '../store/backup/check.ts';
import { operatorBots } from '../store/bots/bot-store.ts';
import type { Store } from '../redis/redis.ts';
import { readSettings } from '../store/admission/note.ts';
import { showRows, type Terminal } from './terminal.ts';

type Deps = {
  readonly store: Store;
  readonly categories: Categories;
  readonly terminal: Terminal;
};

export const categoryCommands = ({ store, categories, terminal }: Deps) => ({
  listCategories: async (): Promise<void> => {
    const counts = await countCategories(store, categories.former);
    const names = [...new Set([...categories, ...counts.keys()])];
    const rows = names.map((category) => ({
      category,
      bots: counts.get(category) ?? 0,
      configured: categories.includes(category),
    }));
    showRows(terminal, rows, 'There are no categories.');
  },
});

/** How many bots are in each category, whatever their state. */
const countCategories = async (store: Store, former?: FormerNames): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for await (const bot of operatorBots(store, former).scan(botStates))
    for (const name of bot.categories) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** Finds categories of bots that the last process that started does not have: cards lead to no page. */
export const checkCategories = async (store: Store): Promise<readonly Finding[]> => {
  const { BOT_CATEGORIES: text } = await readSettings(store);
  if (text === undefined) return [];
  const known = namesIn(text);
  return [...(await countCategories(store))]
    .filter(([name]) => !known.includes(name))
    .map(([name, count]) => wrong(`${count} bots have the category ${name}, which BOT_CATEGORIES does not have`));
};
