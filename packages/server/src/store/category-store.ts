/** Categories in the store: of which bots and filters name one, and how it gets another name in all of them. */
import type { Ids } from '../base/ids.ts';
import { botStates, splitList } from '../domain/bot.ts';
import { presentNames } from '../domain/names.ts';
import { parseSubscription, subscriptionText } from '../domain/subscription.ts';
import { wrong, type Finding } from './backup/check-queue.ts';
import { operatorBots, type OperatorBot } from './bot-store.ts';
import { keys, partitions, webhookKeys } from './keys.ts';
import { scanHash, type Store } from './redis.ts';
import { readSettings } from './shared-settings.ts';
import { noteRegistration } from './webhook-store.ts';

/** How many bots change in one step; it bounds how long the step blocks the store. */
const atOnce = 1_000;

/** A category that gets another name. */
export type Renaming = { readonly from: string; readonly to: string };

const renamed = (names: readonly string[], { from, to }: Renaming): string[] => [
  ...new Set(names.map((name) => (name === from ? to : name))),
];

const categoriesOf = ({ fields }: OperatorBot): string[] => splitList(fields.get('categories') ?? '');

/** How many bots are in each category, whatever their state. */
export const countCategories = async (store: Store): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for await (const bot of operatorBots(store).scan(botStates))
    for (const name of categoriesOf(bot)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** Finds categories of bots that the last process that started does not have: cards lead to no page. */
export const checkCategories = async (store: Store): Promise<readonly Finding[]> => {
  const { BOT_CATEGORIES: text } = await readSettings(store);
  if (text === undefined) return [];
  const configured = presentNames(text);
  return [...(await countCategories(store))]
    .filter(([name]) => !configured.includes(name))
    .map(([name, count]) => wrong(`${count} bots have the category ${name}, which BOT_CATEGORIES does not have`));
};

/** Renames a category of all bots, with a `bot.updated` for each that is listed. Returns how many changed. */
export const renameInBots = async (store: Store, renaming: Renaming, ids: Ids): Promise<number> => {
  let count = 0;
  // A bot that others change meanwhile is found again.
  let found: OperatorBot[] = [];
  for (;;) {
    let isDone = true;
    const rename = async (): Promise<void> => {
      if (found.length > 0) count += await renameInSome(store, found, { renaming, ids });
      found = [];
    };
    for await (const bot of operatorBots(store).scan(botStates)) {
      if (!categoriesOf(bot).includes(renaming.from)) continue;
      isDone = false;
      found.push(bot);
      if (found.length === atOnce) await rename();
    }
    await rename();
    if (isDone) return count;
  }
};

const renameInSome = async (
  store: Store,
  bots: readonly OperatorBot[],
  { renaming, ids }: { readonly renaming: Renaming; readonly ids: Ids },
): Promise<number> => {
  const args = bots.flatMap((bot) => {
    const categories = renamed(categoriesOf(bot), renaming).join(',');
    return [bot.id, bot.fields.get('changed_at') ?? '', categories, ids.event()];
  });
  const { state, changes, events, eventIds } = keys;
  return Number(await store.script('rename-category', [state, changes, events, eventIds], args));
};

/** Renames a category in the filters of all webhooks, which stay where they are. Returns how many changed. */
export const renameInFilters = async (store: Store, renaming: Renaming): Promise<number> => {
  let count = 0;
  for (const partition of partitions)
    for await (const page of scanHash(store, partition.subscriptions)) {
      const args = page.flatMap(([id, text]) => {
        const subscription = parseSubscription(text);
        if (subscription === undefined || !subscription.categories.includes(renaming.from)) return [];
        const categories = renamed(subscription.categories, renaming).sort();
        return [id, text, subscriptionText({ ...subscription, categories })];
      });
      if (args.length > 0) count += Number(await store.script('change-subscriptions', webhookKeys(partition), args));
    }
  if (count > 0) await noteRegistration(store);
  return count;
};
