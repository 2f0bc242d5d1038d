import { expect, it } from 'vitest';
import type { EventMap, Problem } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const day = 86_400_000;
let offsetMs = 0;
const test = useStarted(() => startDelivery({ world: { offsetMs: () => offsetMs, pollMs: 100 } }));

const events = async (): Promise<EventMap['bot.created'][]> =>
  (await test.get<EventMap['bot.created'][]>('/api/events')).body;

it('keeps events for 30 days, and a stopped webhook for as long as the log has all that it missed', async () => {
  const { id } = await test.register('/away');
  await test.register('/taken-again');
  test.receiver.respond(500);
  const old = [await test.publish('Old 1'), await test.publish('Old 2')];
  for (const path of ['/away', '/taken-again'])
    await until('it is stopped', async () => (await test.status(path)).state === 'stopped');
  offsetMs = 29 * day;
  const recent = await test.publish('Recent');
  await engineHasLooked(test.redis?.url ?? '');
  expect((await events()).map(({ data }) => data.slug)).toEqual([...old, recent]);
  const [first] = await events();
  // Someone registers the other again in time: it is owed all of them.
  test.receiver.respond(({ path }, res) => res.writeHead(path === '/away' ? 500 : 204).end());
  test.receiver.received.length = 0;
  await test.register('/taken-again');
  await until('it has what it missed', () => test.slugs('/taken-again').length === 3);
  expect((await test.status('/away')).state).toBe('stopped');

  offsetMs = 31 * day;
  await until('the old ones are gone', async () => (await events()).length === 1);
  expect((await events())[0]?.data.slug).toBe(recent);
  const gone = await test.get<Problem>(`/api/events?after=${first?.id ?? ''}`);
  expect([gone.status, gone.body.code]).toEqual([404, 'event_not_found']);
  const status = `/api/webhooks/bots/status?url=${encodeURIComponent(test.receiver.url('/away'))}`;
  await until('the stopped one is forgotten', async () => (await test.get(status)).status === 404);
  expect((await test.status('/taken-again')).state).toBe('active');

  test.receiver.respond(204);
  test.receiver.received.length = 0;
  expect((await test.register('/away')).id).not.toBe(id);
  const next = await test.publish('Next');
  await until('it has what came after', () => test.slugs('/away').length === 1);
  expect(test.slugs('/away')).toEqual([next]);
});
