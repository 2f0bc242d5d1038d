import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Webhook } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '../support/delivery.ts';
import { engineHasLooked } from '../support/engine.ts';
import { until } from '../support/until.ts';

let test: DeliveryTest;
beforeAll(async () => {
  test = await startDelivery({ world: { pollMs: 100 } });
});
beforeEach(() => {
  test.receiver.respond(204);
});
afterAll(() => test.stop());

it('calls no more after ten failed attempts in a row', async () => {
  await test.register('/dead');
  test.receiver.respond(500);
  await test.publish('To the dead');
  await until('it is stopped', async () => (await test.status('/dead')).state === 'stopped');
  await engineHasLooked(test.redis?.url ?? '');
  expect(test.receiver.events('/dead')).toHaveLength(10);
  expect(await test.status('/dead')).toMatchObject({
    state: 'stopped',
    failures_in_a_row: 10,
    pending_events: 1,
    last_failure: 'status',
    next_attempt_at: null,
  });
  await test.publish('Later');
  await engineHasLooked(test.redis?.url ?? '');
  expect(test.receiver.events('/dead')).toHaveLength(10);
});

it('is exactly ten with a backlog too', async () => {
  await test.register('/backlog');
  test.receiver.respond((received, res) => res.writeHead(received.path === '/backlog' ? 503 : 204).end());
  for (let i = 0; i < 30; i += 1) await test.publish(`Backlog ${i}`);
  await until('it is stopped', async () => (await test.status('/backlog')).state === 'stopped');
  await engineHasLooked(test.redis?.url ?? '');
  expect(test.receiver.events('/backlog')).toHaveLength(10);
});

it('starts again after any 2xx', async () => {
  await test.register('/flaky');
  let calls = 0;
  test.receiver.respond((received, res) =>
    res.writeHead(received.path === '/flaky' && (calls += 1) % 10 !== 0 ? 500 : 200).end(),
  );
  const slugs = [];
  for (let i = 0; i < 3; i += 1) slugs.push(await test.publish(`Flaky ${i}`));
  await until('all are taken', async () => (await test.status('/flaky')).pending_events === 0, 30_000);
  expect(await test.status('/flaky')).toMatchObject({ state: 'active', failures_in_a_row: 0, last_failure: null });
  expect(calls).toBeGreaterThanOrEqual(20);
});

it('resumes a stopped webhook where it stopped, when its URL is registered again', async () => {
  const first = await test.register('/resumed');
  test.receiver.respond(500);
  const missed = [await test.publish('Missed 1')];
  await until('it is stopped', async () => (await test.status('/resumed')).state === 'stopped');
  missed.push(await test.publish('Missed 2'), await test.publish('Missed 3'));
  expect((await test.post('/api/webhooks/bots', { url: test.receiver.url('/resumed') })).status).toBe(400);
  expect((await test.status('/resumed')).state).toBe('stopped');
  test.receiver.respond(204);
  test.receiver.received.length = 0;
  const again = await test.post<Webhook>('/api/webhooks/bots', { url: test.receiver.url('/resumed') });
  expect([again.status, again.body]).toEqual([200, first]);
  await until('it has what it missed', () => test.receiver.events('/resumed').length >= 3);
  await until('that is written down', async () => (await test.status('/resumed')).pending_events === 0);
  expect(test.slugs('/resumed')).toEqual(missed);
  expect(await test.status('/resumed')).toMatchObject({ state: 'active', failures_in_a_row: 0 });
});

it('skips one event that an endpoint refuses before and after it takes the next, from the sixth attempt on', async () => {
  await test.register('/picky');
  const poison = await test.publish('Poison');
  await until('it has it', () => test.receiver.events('/picky').length === 1);
  test.receiver.received.length = 0;
  test.receiver.respond((received, res) =>
    res.writeHead(received.path === '/picky' && received.body.includes('"name":"Poison pill"') ? 422 : 204).end(),
  );
  const refused = await test.publish('Poison pill');
  const after = [await test.publish('Antidote'), await test.publish('Cure')];
  await until('it goes on', () => test.slugs('/picky').includes('cure'));
  const [antidote, cure] = after;
  expect(test.slugs('/picky')).toEqual([...Array.from({ length: 6 }, () => refused), antidote, refused, cure]);
  await until('that is written down', async () => (await test.status('/picky')).pending_events === 0);
  expect(await test.status('/picky')).toMatchObject({ state: 'active', failures_in_a_row: 0 });
  expect(
    (await test.get<{ data: { slug: string } }[]>('/api/events')).body.some(({ data }) => data.slug === refused),
  ).toBe(true);
  await until('it is counted', async () =>
    (await test.get<string>('/metrics')).body.includes('webhook_events_skipped_total 1'),
  );
  expect(poison).toBe('poison');
});
