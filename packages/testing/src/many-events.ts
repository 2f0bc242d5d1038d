/** A long event log in little time: published by the store's own script, without the HTTP API in between. */
import { draftWith, unblocked } from './draft.ts';
import { type BotDraft, createBotStore, createIds, keys } from './server.ts';
import { openTestStore } from './store.ts';

const atOnce = 200;

/** How many bots, how long their descriptions are, and what else the bot of a number has. */
type Many = {
  readonly count: number;
  readonly descriptionBytes: number;
  readonly own?: (number: number) => Omit<Partial<BotDraft>, 'id'>;
};

/** Publishes them. Returns the ids of all events of the log, oldest first. */
export const publishMany = async (
  redisUrl: string,
  { count, descriptionBytes, own = () => ({}) }: Many,
): Promise<string[]> => {
  const store = await openTestStore(redisUrl);
  const bots = createBotStore(store);
  const ids = createIds(Date.now);
  const description = 'x'.repeat(descriptionBytes);
  for (let published = 0; published < count; published += atOnce) {
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - published) }, (_, i) =>
        bots.publish(draftWith({ id: ids.bot(), description, ...own(published + i) }), ids.event(), unblocked),
      ),
    );
  }
  const all = await store.call((redis) => redis.zrange(keys.eventIds, '0', '-1'));
  await store.close();
  return all;
};
