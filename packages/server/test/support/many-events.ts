/** A long event log in little time: published by the store's own script, without the HTTP API in between. */
import { createIds } from '../../src/base/ids.ts';
import { createBotStore } from '../../src/store/bot-store.ts';
import { keys } from '../../src/store/keys.ts';
import { draftWith, unblocked } from './draft.ts';
import { openTestStore } from './store.ts';

const atOnce = 200;

/** Publishes bots whose descriptions are so long. Gives the ids of all events of the log, oldest first. */
export const publishMany = async (
  redisUrl: string,
  { count, descriptionBytes }: { count: number; descriptionBytes: number },
): Promise<string[]> => {
  const store = await openTestStore(redisUrl);
  const bots = createBotStore(store, 'https://bots.example.com');
  const ids = createIds(Date.now);
  const description = 'x'.repeat(descriptionBytes);
  for (let published = 0; published < count; published += atOnce) {
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - published) }, () =>
        bots.publish(draftWith({ id: ids.bot(), description }), ids.event(), unblocked),
      ),
    );
  }
  const all = await store.call((redis) => redis.zrange(keys.eventIds, '0', '-1'));
  await store.close();
  return all;
};
