import { afterAll, beforeAll, expect, it } from 'vitest';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds } from '../base/ids.ts';
import type { Store } from '../redis/redis.ts';
import { createBotStore } from '../store/bots/bot-store.ts';
import { keys } from '../store/keys.ts';
import { readWhole } from './read-whole.ts';

let store: Store;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url);
});
afterAll(async () => {
  await store.close();
});

const ids = createIds(Date.now);

it('reads all entries by position, listed or not, wherever pages end', async () => {
  const bots = createBotStore(store);
  const published = Array.from({ length: 620 }, (_, n) => ({ id: ids.bot(), slug: `bot-${n}` }));
  for (const { id, slug } of published) await bots.publish(draftWith({ id, wantedSlug: slug }), ids.event(), unblocked);
  // Alone, in a row longer than a page, and around the ends of pages.
  const isListed = (n: number): boolean => ![0, 150, 619].includes(n) && Math.abs(n - 256) > 2 && (n < 300 || n > 570);
  await store.call(async (client) => {
    for (const [n, { id }] of published.entries()) {
      if (isListed(n)) continue;
      await client.zadd(keys.withdrawn, (await client.zscore(keys.bots, id)) ?? '', id);
      await client.zrem(keys.bots, id);
    }
  });

  const taken: unknown[] = [];
  let last = 0;
  for await (const page of readWhole(store))
    for (const { id, isListed: isHere, position, version, hash } of page) {
      expect(position).toBeGreaterThan(last);
      expect(version).toBe(position);
      last = position;
      taken.push({ id, isListed: isHere, slug: hash.get('slug') });
    }
  expect(taken).toEqual(published.map((bot, n) => ({ ...bot, isListed: isListed(n) })));
});
