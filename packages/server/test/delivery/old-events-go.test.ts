import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventMap, Problem } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '../support/delivery.ts';
import { until } from '../support/until.ts';

const day = 86_400_000;
let offsetMs = 0;
let test: DeliveryTest;
beforeAll(async () => {
  test = await startDelivery({ world: { offsetMs: () => offsetMs } });
});
afterAll(() => test.stop());

const events = async (): Promise<EventMap['bot.created'][]> =>
  (await test.get<EventMap['bot.created'][]>('/api/events')).body;

it('keeps events for 30 days, and lets a webhook that was stopped for longer go on with the oldest that is left', async () => {
  await test.register('/away');
  test.receiver.respond(500);
  const old = [await test.publish('Old 1'), await test.publish('Old 2')];
  await until('it is stopped', async () => (await test.status('/away')).state === 'stopped');
  offsetMs = 29 * day;
  const recent = await test.publish('Recent');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await events()).map(({ data }) => data.slug)).toEqual([...old, recent]);
  const [first] = await events();
  offsetMs = 31 * day;
  await until('the old ones are gone', async () => (await events()).length === 1);
  expect((await events())[0]?.data.slug).toBe(recent);
  const gone = await test.get<Problem>(`/api/events?after=${first?.id ?? ''}`);
  expect([gone.status, gone.body.code]).toEqual([404, 'event_not_found']);

  test.receiver.respond(204);
  test.receiver.received.length = 0;
  await test.register('/away');
  await until('it goes on', async () => (await test.status('/away')).pending_events === 0);
  expect(test.slugs('/away')).toEqual([recent]);
});
