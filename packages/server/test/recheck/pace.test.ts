/** Templates are read evenly over a pass, a few at a time, by any number of workers. An overloaded provider rests. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds, type BotId } from '../../src/base/ids.ts';
import { createBotStore } from '../../src/store/bots/bot-store.ts';
import { keys } from '../../src/store/keys.ts';
import { createModerationStore } from '../../src/store/moderation/moderation-store.ts';
import { createReadingStore, type ReadingResult } from '../../src/store/readings/reading-store.ts';
import type { Store } from '../../src/redis/redis.ts';

const hourMs = 3_600_000;
const most = 4;
const ids = createIds(Date.now);
let store: Store;
let hours = 0;
/** All bots, in the order of the list. */
let bots: BotId[];

const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url, { offsetMs: () => hours * hourMs });
});
afterAll(async () => {
  await store.close();
});
beforeEach(async () => {
  await store.call((client) => client.flushall());
  bots = Array.from({ length: 20 }, () => ids.bot());
  for (const id of bots) await createBotStore(store).publish(draftWith({ id }), ids.event(), unblocked);
  hours += 1;
});

/** Claims the next readings, in a pass that takes an hour for each bot. */
const claim = async (): Promise<BotId[]> =>
  (await createReadingStore(store).claimNext(most, bots.length * hourMs)).claimed.map(({ id }) => id);
const waitMs = async (): Promise<number> =>
  (await createReadingStore(store).claimNext(most, bots.length * hourMs)).waitMs;
const record = (result: Partial<ReadingResult> & Pick<ReadingResult, 'id'>) =>
  createReadingStore(store).record({ result: 'none', template: 'found', ...result });
/** Records that a template is missing. Returns how often in a row it was. */
const missing = async (id: BotId): Promise<number> => {
  await record({ id, result: 'template_not_found', template: 'missing' });
  return Number(await store.call((redis) => redis.hget(keys.bot(id), 'missed')));
};

describe('the readings of templates', () => {
  it('come to each bot once in a pass, evenly, whichever worker claims them', async () => {
    const claimed: BotId[] = [];
    for (let hour = 0; hour < 2 * bots.length; hour += 1) {
      const [one, other] = await Promise.all([claim(), claim()]);
      expect([...one, ...other]).toHaveLength(1);
      claimed.push(...one, ...other);
      hours += 1;
    }
    expect(claimed).toEqual([...bots, ...bots]);
  });

  it('are few at once after a rest of the workers', async () => {
    await claim();
    hours += 10 * bots.length;
    expect(await claim()).toEqual(bots.slice(1, 1 + most));
    expect(await claim()).toEqual([]);
    expect(Math.ceil((await waitMs()) / hourMs)).toBe(1);
  });

  it('leave out a bot that was read or published a moment ago', async () => {
    await createBotStore(store).claimReading(bots[0] as BotId);
    expect(await claim()).toEqual([]);
    hours += 1;
    expect(await claim()).toEqual([bots[1]]);
  });

  it('rest while the provider is overloaded, and go on with what it refused', async () => {
    const [first] = await claim();
    hours += 1;
    const { claimed } = await createReadingStore(store).claimNext(most, bots.length * hourMs);
    const [second] = claimed;
    const { id, position } = second ?? { id: '' as BotId, position: '' };
    await record({
      id,
      result: 'template_provider_unavailable',
      template: 'unknown',
      pause: { forMs: 90 * 60_000, position },
    });
    hours += 1;
    expect(await claim()).toEqual([]);
    expect((await waitMs()) / 60_000).toBeCloseTo(30, 0);
    hours += 1;
    expect((await claim())[0]).toBe(id);
    expect([first, id]).toEqual(bots.slice(0, 2));
  });

  it('come each day to a missing template, which the pass leaves out', async () => {
    const [id = '' as BotId] = await claim();
    expect(await missing(id)).toBe(1);
    hours += 24;
    expect(await claim()).toContain(id);
    expect(await missing(id)).toBe(2);
    hours += 12;
    expect(await claim()).not.toContain(id);
    hours += 12;
    expect(await claim()).toContain(id);
    await record({ id });
    expect(await missing(id)).toBe(1);
  });

  it('forget a missing one that the operator has hidden', async () => {
    const [id = '' as BotId] = await claim();
    await missing(id);
    const by = { operator: { name: 'ada', command: 'test' }, reason: '' };
    expect(await createModerationStore(store).moderate('bot', 'hide', [{ id, eventId: ids.event() }], by)).toHaveLength(
      1,
    );
    for (let day = 0; day < 10; day += 1) {
      hours += 24;
      expect(await claim()).not.toContain(id);
    }
  });
});
