import { afterAll, beforeAll, expect, it } from 'vitest';
import { pino } from 'pino';
import type { EventMap, Webhook } from '@bot-directory/contract';
import { deliverySettings } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { publishMany } from '@bot-directory/testing/many-events';
import { runToEnd } from '@bot-directory/testing/process';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startApp, type App } from '../../src/app/start-app.ts';
import { readConfig } from '../../src/config.ts';

let worker: App;
const lines: Record<string, unknown>[] = [];
const receiver = useStarted(startReceiver);
const web = useStarted(() =>
  startService({ settings: { ...deliverySettings, ROLE: 'web' }, world: { ca: receiver.ca } }),
);
beforeAll(async () => {
  const log = pino(
    { level: 'trace', base: null },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  worker = await startApp(readConfig({ ...web.environment, PORT: '0', ROLE: 'worker' }), log, {
    ca: receiver.ca,
    pollMs: 100,
  });
  for (const path of ['/good', '/bad'])
    expect((await web.post('/api/webhooks/bots', { url: receiver.url(`${path}?token=secret`) })).status).toBe(200);
});
afterAll(async () => {
  await worker.stop();
});

const anyUrl = /secret|https:|127\.0\.0\.1:\d+\//;
const good = (): unknown[] => receiver.events('/good?token=secret');

it('sends nothing while deliveries are paused, and everything after', async () => {
  const settings = { REDIS_URL: web.redis?.url ?? '' };
  expect(await runToEnd('admin.js', settings, ['deliveries', 'pause'])).toEqual({
    code: 0,
    output: 'Deliveries are paused.\n',
  });
  await engineHasLooked(settings.REDIS_URL);
  for (let i = 0; i < 3; i += 1) await web.publish(`Paused ${i}`);
  await engineHasLooked(settings.REDIS_URL);
  expect(good()).toEqual([]);
  expect((await runToEnd('admin.js', settings, ['deliveries', 'resume'])).code).toBe(0);
  await until('all are delivered', () => good().length === 3);
});

it('a pause ends the run of a webhook that is behind, which later continues from there', async () => {
  const settings = { REDIS_URL: web.redis?.url ?? '' };
  await runToEnd('admin.js', settings, ['deliveries', 'pause']);
  await engineHasLooked(settings.REDIS_URL);
  const before = good().length;
  const count = 150;
  await publishMany(web.redis?.url ?? '', { count, descriptionBytes: 10 });
  receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 40));
  await runToEnd('admin.js', settings, ['deliveries', 'resume']);
  await until('the run is under way', () => good().length > before + 5);
  await runToEnd('admin.js', settings, ['deliveries', 'pause']);
  await engineHasLooked(settings.REDIS_URL);
  const sent = good().length;
  expect(sent).toBeLessThan(before + count);
  await engineHasLooked(settings.REDIS_URL);
  expect(good().length).toBe(sent);
  receiver.respond(204);
  await runToEnd('admin.js', settings, ['deliveries', 'resume']);
  await until('it has all', () => good().length === before + count);
  const ids = receiver.events('/good?token=secret').map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('the command line explains its usage, and which setting it needs', async () => {
  const { code, output } = await runToEnd('admin.js', {}, ['dance']);
  expect([code, output.includes('Usage: bot-directory-admin')]).toEqual([1, true]);
  expect((await runToEnd('admin.js', {}, ['deliveries', 'pause'])).output).toContain('REDIS_URL');
});

it('logs one line for each attempt, and no URL in any line', async () => {
  receiver.respond((received, res) => res.writeHead(received.path.startsWith('/bad') ? 500 : 204).end());
  await web.publish('Logged');
  await until('the bad one is stopped', () => lines.some(({ msg }) => msg === 'webhook stopped'));
  const attempts = lines.filter(({ msg }) => msg === 'attempt');
  expect(attempts.filter(({ outcome }) => outcome === 'status')).toHaveLength(10);
  expect(attempts.at(-1)).toMatchObject({
    level: 30,
    webhook_id: expect.stringMatching(/^wh_/) as string,
    event_id: expect.stringMatching(/^evt_/) as string,
    delivery_id: expect.stringMatching(/^dlv_/) as string,
    attempt: 10,
    outcome: 'status',
    status: 500,
    duration_ms: expect.any(Number) as number,
  });
  expect(attempts).toHaveLength(
    receiver.received.filter(({ headers }) => headers['x-service-event'] === 'bot.created').length,
  );
  expect(JSON.stringify(lines)).not.toMatch(anyUrl);
});

it('logs an event that is skipped, by its id and the id of the webhook, and no URL', async () => {
  receiver.respond((received, res) => res.writeHead(received.body.includes('Poison') ? 422 : 204).end());
  const { body: webhook } = await web.post<Webhook>('/api/webhooks/bots', { url: receiver.url('/picky?token=secret') });
  const poison = await web.publish('Poison');
  await publishMany(web.redis?.url ?? '', { count: 40, descriptionBytes: 1 });
  const skips = (): Record<string, unknown>[] =>
    lines.filter(({ msg, webhook_id: id }) => String(msg).startsWith('event skipped') && id === webhook.id);
  await until('it is skipped', () => skips().length === 1);
  const { body: events } = await web.get<EventMap['bot.created'][]>('/api/events');
  const { id } = events.find(({ data }) => data.slug === poison) ?? {};
  expect(skips()).toMatchObject([{ level: 40, event_id: id, failure: 'status' }]);
  expect(JSON.stringify(lines)).not.toMatch(anyUrl);
});
