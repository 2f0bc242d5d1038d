import { afterAll, beforeAll, expect, it } from 'vitest';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds } from '../../base/ids.ts';
import { createLog } from '../../base/log.ts';
import { createBotStore } from '../bots/bot-store.ts';
import { EventLog } from './event-log.ts';
import type { Store } from '../../redis/redis.ts';

const ids = createIds(Date.now);
let store: Store;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url);
  // The first begins an epoch.
  await publish();
});
afterAll(async () => {
  await store.close();
});

const publish = (): Promise<unknown> =>
  createBotStore(store).publish(draftWith({ id: ids.bot() }), ids.event(), unblocked);

it.each([
  ['a webhook wants events', true],
  ['nobody does, until a reader waits', false],
])('remembers events if %s', async (_who, isWanted) => {
  const events = new EventLog(store, createLog('silent'), { baseUrl: 'https://bots.example.com' });
  const grown: number[] = [];
  events.onGrowth(
    () => grown.push(events.head),
    () => isWanted,
  );
  events.start();
  await until('it follows the log', () => grown.length > 0);
  const from = events.head;
  await publish();
  await until('it knows of an event', () => events.head > from);
  expect(events.remembered(from)?.length).toBe(isWanted ? 1 : undefined);

  const { head } = events;
  const waiting = events.waitBeyond(head, 60_000, new AbortController().signal);
  await publish();
  await waiting;
  expect(events.remembered(head)).toHaveLength(1);
  await events.stop();
});

it('reads what it does not remember once for all that ask meanwhile, and again after that', async () => {
  const events = new EventLog(store, createLog('silent'), { baseUrl: 'https://bots.example.com' });
  const [first, second] = await Promise.all([events.after(0, 10), events.after(0, 10)]);
  expect(first).not.toHaveLength(0);
  expect(second).toBe(first);
  await publish();
  expect(await events.after(0, 10)).toHaveLength(first.length + 1);
});
