/** A webhook's owner may give headers that its gateway demands: every POST carries them, and nothing shows them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import type { Problem, Webhook } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { startReceiver, type Received } from '@bot-directory/testing/receiver';
import { callers } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startApp } from '../../src/app/start-app.ts';
import { readConfig } from '../../src/config.ts';
import { parseWebhookHeaders } from '../../src/domain/webhook-headers.ts';
import { partitions } from '../../src/store/keys.ts';

const test = useStarted(() => startDelivery({ world: { pollMs: 50 } }));
beforeEach(() => {
  test.receiver.received.length = 0;
  test.receiver.respond(204);
});

const newKey = (): string => randomBytes(12).toString('hex');
const register = (path: string, more: object = {}) =>
  test.post<Webhook & Problem>('/api/webhooks/bots', { url: test.receiver.url(path), ...more });
const sentTo = (path: string): Received[] => test.receiver.received.filter((received) => received.path === path);
/** Publishes a bot and waits until it is accepted. */
const deliveryTo = async (path: string): Promise<Received> => {
  const slug = await test.publish(`For ${path} ${newKey()}`);
  await until('it is delivered', () => test.slugs(path).includes(slug));
  return sentTo(path).at(-1) as Received;
};
/** A gateway in front of a path: 401 without the key. */
const demand = (path: string, key: () => string): void =>
  test.receiver.respond((received, res) => {
    const isRefused = received.path === path && received.headers['aeg-sas-key'] !== key();
    res.writeHead(isRefused ? 401 : 204).end();
  });

it('opens a gateway that demands a key, for the ping and every event, and nobody else gets the key', async () => {
  const key = newKey();
  demand('/grid', () => key);
  const more = { format: 'cloudevents', filter: { q: 'grid' } };
  expect((await register('/grid', more)).body).toMatchObject({ code: 'webhook_ping_failed', reason: 'status' });
  const headers = { 'AEG-SAS-Key': key, 'X-Region': 'north europe' };
  const answer = await register('/grid', { ...more, headers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toMatchObject({ has_headers: true, has_secret: false });
  expect(JSON.stringify(answer.body)).not.toContain(key);
  await register('/other');
  await test.publish('A grid');
  await until('both have it', () => sentTo('/grid').length === 3 && test.slugs('/other').length === 1);
  expect(sentTo('/grid').map(({ headers: had }) => [had['aeg-sas-key'], had['x-region']])).toEqual([
    [undefined, undefined],
    [key, 'north europe'],
    [key, 'north europe'],
  ]);
  for (const { headers: had } of sentTo('/other')) expect(had).not.toHaveProperty('aeg-sas-key');
  expect((await test.status('/grid')).failures_in_a_row).toBe(0);
});

it('are sent with retries, to the same host only: a redirect gets none', async () => {
  const elsewhere = await startReceiver();
  await register('/moved', { headers: { 'X-Api-Key': newKey() } });
  let moves = 2;
  test.receiver.respond((received, res) => {
    if (received.path !== '/moved' || (moves -= 1) < 0) return void res.writeHead(204).end();
    res.writeHead(307, { Location: elsewhere.url('/moved') }).end();
  });
  const slug = await test.publish('Moved');
  await until('it is accepted', () => sentTo('/moved').length === 4);
  expect(test.slugs('/moved')).toEqual([slug, slug, slug]);
  for (const { headers } of sentTo('/moved')) expect(headers).toHaveProperty('x-api-key');
  expect(elsewhere.received).toEqual([]);
  await elsewhere.stop();
});

it('are replaced only by a registration whose ping, with the new ones, is accepted', async () => {
  const older = newKey();
  const newer = newKey();
  let key = older;
  demand('/rotated', () => key);
  const first = await register('/rotated', { headers: { 'aeg-sas-key': older } });
  for (const headers of [{ 'aeg-sas-key': newer }, {}, { 'X-Other': older }])
    expect((await register('/rotated', { headers })).body.code).toBe('webhook_ping_failed');
  expect((await deliveryTo('/rotated')).headers['aeg-sas-key']).toBe(older);
  key = newer;
  expect((await register('/rotated', { headers: { 'aeg-sas-key': newer } })).body).toEqual({
    ...first.body,
    outcome: 'replaced',
  });
  expect((await deliveryTo('/rotated')).headers['aeg-sas-key']).toBe(newer);
});

it('are 409 without a ping when nothing would change: the same again, in any case and order, or none', async () => {
  const a = newKey();
  const b = newKey();
  await register('/same', { headers: { 'X-A': a, 'X-B': b } });
  for (const headers of [{ 'x-b': b, 'x-a': a }, undefined, null])
    for (const filter of [{}, null])
      expect(await register('/same', { headers, filter })).toMatchObject({
        status: 409,
        body: { code: 'webhook_exists' },
      });
  expect(sentTo('/same')).toHaveLength(1);
  await register('/none');
  expect((await register('/none', { headers: {} })).status).toBe(409);
});

it('stay when the secret, the filter or the format changes, and the other way round', async () => {
  const key = newKey();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const schemes = ({ headers }: Received): string => String(headers['webhook-signature']).replaceAll(/,\S+/g, '');
  await register('/mixed', { headers: { 'X-Key': key } });
  for (const more of [
    { secret },
    { format: 'cloudevents' },
    { format: null },
    { headers: { 'X-Key': key, 'X-More': 'a' } },
  ])
    expect((await register('/mixed', more)).status, JSON.stringify(more)).toBe(200);
  const pings = sentTo('/mixed');
  expect(pings.map(({ headers }) => headers['x-key'])).toEqual(pings.map(() => key));
  expect(pings.map(schemes)).toEqual(['v1a', ...Array<string>(4).fill('v1a v1')]);
  const delivered = await deliveryTo('/mixed');
  expect([delivered.headers['x-key'], delivered.headers['x-more'], schemes(delivered)]).toEqual([key, 'a', 'v1a v1']);
  expect(await test.status('/mixed')).toMatchObject({ filter: null, format: null, events: ['bot.created'] });
});

it('outlive a stop, go with an empty object, and are removed with the webhook', async () => {
  const key = newKey();
  await register('/stopped', { headers: { 'X-Key': key } });
  test.receiver.respond(({ path }, res) => void res.writeHead(path === '/stopped' ? 500 : 204).end());
  await test.publish('Refused');
  await until('it is stopped', async () => (await test.status('/stopped')).state === 'stopped');
  test.receiver.respond(204);
  expect((await register('/stopped')).status).toBe(200);
  expect((await deliveryTo('/stopped')).headers['x-key']).toBe(key);
  expect((await register('/stopped', { headers: {} })).status).toBe(200);
  expect((await deliveryTo('/stopped')).headers).not.toHaveProperty('x-key');

  await register('/stopped', { headers: { 'X-Key': key } });
  await test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url('/stopped') } });
  await register('/stopped');
  expect((await deliveryTo('/stopped')).headers).not.toHaveProperty('x-key');
});

it('are the last ones saved, if 20 registrations come at once, and leave the store whole', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      register('/raced', i % 2 === 0 ? { headers: { 'X-Key': `k${i}` } } : { filter: { q: 'raced' } }),
    ),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await deliveryTo('/raced')).headers['x-key']).toMatch(/^k\d+$/);
  expect((await operatorOf(test.redis?.url ?? '').attempt('check')).output).toContain('No problems found.');
});

it('are none that a delivery has of its own', async () => {
  await register('/own');
  for (const name of Object.keys((await deliveryTo('/own')).headers))
    expect(parseWebhookHeaders({ [name]: 'a' }), name).toEqual([{ name, why: 'is set by us, or refused' }]);
});

it.each<[string, object, string]>([
  ['of ours', { 'X-Fine': 'a', 'Webhook-Id': 'T0KEN' }, '/headers/Webhook-Id'],
  ['with a line', { 'X-Key': 'T0KEN\r\nHost: x' }, '/headers/X-Key'],
  ['with a name that is a value', { 'Bearer T0KEN': 'Authorization' }, '/headers'],
  ['of a name in two cases', { 'X-Key': 'T0KEN', 'x-key': 'T0KEN' }, '/headers/x-key'],
])('that are %s are 400, name the field and do not repeat a value', async (_, headers, pointer) => {
  const { status, body } = await register('/bad', { headers });
  expect([status, body.errors?.map((error) => error.pointer)]).toEqual([400, [pointer]]);
  expect(JSON.stringify(body)).not.toContain('T0KEN');
  expect(sentTo('/bad')).toEqual([]);
});

it('are in no response, no page, no log at any level, and nothing that an operator is shown', async () => {
  let logged = '';
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logged += line) });
  const app = await startApp(readConfig({ ...test.environment, PORT: '0' }), log, { ca: test.receiver.ca });
  const { post, get } = callers(`http://127.0.0.1:${app.port}`);
  const key = newKey();
  const other = newKey();
  const url = test.receiver.url('/quiet');
  const headers = { 'X-Quiet-Name': key };
  const shown: unknown[] = [];
  for (const body of [
    { url, headers },
    { url, headers },
    { url, headers: { 'X-Quiet-Name': other } },
  ])
    shown.push((await post('/api/webhooks/bots', body)).body);
  shown.push((await post('/api/webhooks/bots', { url, headers: { 'X-Quiet-Name': `${key}\n` } })).body);
  test.receiver.respond(({ path }, res) => void res.writeHead(path === '/quiet' ? 500 : 204).end());
  shown.push((await post('/api/webhooks/bots', { url, headers })).body);
  await test.publish('Not accepted');
  await until('it is stopped', async () => (await test.status('/quiet')).state === 'stopped');
  shown.push(await test.status('/quiet'), (await get('/metrics')).body);
  test.receiver.respond(204);
  await register('/quiet');
  await deliveryTo('/quiet');
  shown.push((await get('/api/events')).body, (await get('/openapi.json')).body);
  const operator = operatorOf(test.redis?.url ?? '');
  const file = join(mkdtempSync(join(tmpdir(), 'headers-')), 'backup.ndjson');
  for (const command of [['webhooks'], ['check'], ['rebuild'], ['export', '--file', file], ['audit']])
    shown.push((await operator.carryOut(...command)).output);
  shown.push(readFileSync(file, 'utf8'));
  rmSync(dirname(file), { recursive: true });
  await app.stop();
  expect(logged).toContain('listening');
  const redis = new Redis(test.redis?.url ?? '');
  const stored = await Promise.all(partitions.map(({ secrets }) => redis.hvals(secrets)));
  redis.disconnect();
  expect(stored.flat().join()).toContain(other);
  expect(logged).not.toMatch(/x-quiet/i);
  for (const text of [logged, JSON.stringify(shown)])
    for (const one of [key, other]) expect(text.includes(one)).toBe(false);
});
