import { beforeEach, expect, it } from 'vitest';
import type { Webhook } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import type { Received, Respond } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(() => startDelivery({ world: { pollMs: 100 } }));
beforeEach(() => {
  test.receiver.respond(204);
});

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
  expect([again.status, again.body]).toEqual([200, { ...first, outcome: 'resumed' }]);
  await until('it has what it missed', () => test.receiver.events('/resumed').length >= 3);
  await until('the last delivery is saved', async () => (await test.status('/resumed')).pending_events === 0);
  expect(test.slugs('/resumed')).toEqual(missed);
  expect(await test.status('/resumed')).toMatchObject({ state: 'active', failures_in_a_row: 0 });
});

const isPoison = ({ body }: Received): boolean => body.includes('"name":"Poisoned"');
const refusals: Record<string, Respond> = {
  '/unprocessable': (_received, res) => res.writeHead(422).end(),
  '/busy': (_received, res) => res.writeHead(503, { 'Retry-After': '0' }).end(),
  '/throws': (_received, res) => res.writeHead(500).end(),
  '/reset': (_received, res) => res.socket?.destroy(),
};

it('skips an event that an endpoint refuses, however it does, and sends all others once, in order', async () => {
  const paths = Object.keys(refusals);
  for (const path of paths) await test.register(path);
  test.receiver.respond((received, res) => {
    const refuse = isPoison(received) ? refusals[received.path] : undefined;
    if (refuse === undefined) res.writeHead(204).end();
    else refuse(received, res);
  });
  const before = await test.publish('Before the poison');
  const poisoned = await test.publish('Poisoned');
  const after = [];
  for (let i = 0; i < 40; i += 1) after.push(await test.publish(`After the poison ${i}`));
  for (const path of paths) {
    await until(`${path} has all`, async () => (await test.status(path)).pending_events === 0, 30_000);
    const slugs = test.slugs(path);
    expect(slugs.filter((slug) => slug !== poisoned)).toEqual([before, ...after]);
    const poison = test.receiver.events(path).find(({ data }) => data.slug === poisoned);
    expect(await test.status(path)).toMatchObject({
      state: 'active',
      failures_in_a_row: 0,
      last_failure: null,
      skipped_events: [{ id: poison?.id, failure: path === '/reset' ? 'connect' : 'status' }],
    });
  }
  await until('all are counted', async () =>
    (await test.get<string>('/metrics')).body.includes(`webhook_events_skipped_total ${paths.length}`),
  );
  const log = await test.get<{ data: { slug: string } }[]>('/api/events');
  expect(log.body.some(({ data }) => data.slug === poisoned)).toBe(true);
});

it('skips an event that is refused in a quiet directory, once a ping is accepted, and lacks no other meanwhile', async () => {
  await test.register('/quiet');
  const held: (() => void)[] = [];
  let accepted = 0;
  test.receiver.respond((received, res) => {
    const isRefused = received.path === '/quiet' && isPoison(received);
    if (received.path === '/quiet' && !isPoison(received)) accepted += 1;
    const respond = (): void => void res.writeHead(isRefused ? 500 : 204).end();
    // Held back while the status is read.
    if (isRefused && accepted === 1 && held.length === 0) held.push(respond);
    else respond();
  });
  await test.publish('Poisoned');
  await test.publish('After the poison');
  await until('it is sent again after another', () => held.length === 1);
  await until('that is saved', async () => (await test.status('/quiet')).pending_events === 1);
  for (const respond of held) respond();
  await until('it is skipped', async () => (await test.status('/quiet')).skipped_events.length === 1);
  expect(await test.status('/quiet')).toMatchObject({ state: 'active', pending_events: 0, failures_in_a_row: 0 });
  expect([test.receiver.events('/quiet', 'ping').length, test.receiver.events('/quiet').length]).toEqual([2, 24]);
});

it('steps past the event that fails, when that is requested', async () => {
  const first = await test.register('/stuck');
  const again = (body: object = {}) =>
    test.post<Webhook>('/api/webhooks/bots', { url: test.receiver.url('/stuck'), ...body });
  expect((await again({ resume: 'next' })).status).toBe(409);
  test.receiver.respond((received, res) =>
    res.writeHead(received.path === '/stuck' && isPoison(received) ? 500 : 204).end(),
  );
  const poisoned = await test.publish('Poisoned');
  await until('it is stopped', async () => (await test.status('/stuck')).state === 'stopped');
  const next = await test.publish('Next to the poison');
  const answer = await again({ resume: 'next' });
  expect([answer.status, answer.body]).toEqual([200, { ...first, outcome: 'resumed' }]);
  await until('it has the next', async () => (await test.status('/stuck')).pending_events === 0);
  expect(new Set(test.slugs('/stuck'))).toEqual(new Set([poisoned, next]));
  expect(test.slugs('/stuck').at(-1)).toBe(next);
  expect((await again({ resume: 'first' })).status).toBe(400);
});
