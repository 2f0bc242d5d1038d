/** A long event log in little time: published by the store's own script, without the HTTP API in between. */
import { createIds } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import type { TemplateId } from '../../src/domain/template-link.ts';
import { createBotStore } from '../../src/store/bot-store.ts';
import { keys } from '../../src/store/keys.ts';
import { openStore, waitForStore } from '../../src/store/redis.ts';

const atOnce = 200;

/** Publishes bots whose descriptions are so long. Gives the ids of all events of the log, oldest first. */
export const publishMany = async (
  redisUrl: string,
  { count, descriptionBytes }: { count: number; descriptionBytes: number },
): Promise<string[]> => {
  const store = openStore([redisUrl], createLog('silent'));
  const bots = createBotStore(store, 'https://bots.example.com');
  const ids = createIds(Date.now);
  const draft = {
    name: 'Many',
    description: 'x'.repeat(descriptionBytes),
    author: null,
    sourceUrl: null,
    integrations: [],
    categories: ['SEO'],
    link: 'https://templates.example.com/bot/many',
  };
  await waitForStore(store, 2_000);
  for (let published = 0; published < count; published += atOnce) {
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - published) }, () => {
        const id = ids.bot();
        return bots.publish(
          {
            ...draft,
            id,
            templateId: `many-${id}` as TemplateId,
            wantedSlug: id.toLowerCase(),
          },
          ids.event(),
          { blocksVersion: 0, isPending: false },
        );
      }),
    );
  }
  const all = await store.call((redis) => redis.zrange(keys.eventIds, '0', '-1'));
  await store.close();
  return all;
};
