/**
 * A copy of production has the webhooks of production's subscribers: it delivers nothing to them, and can't sign as
 * production does, unless its operator asks for that.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookKeys } from '@bot-directory/contract';
import { deliverySettings, startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { operatorOf } from '@bot-directory/testing/operator';
import type { Received } from '@bot-directory/testing/receiver';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { keys, partitions } from '../../src/store/keys.ts';

let production: DeliveryTest;
let dir: string;
let backup: string;
const stores: TestRedis[] = [];
const services: Service[] = [];

/** The path of a subscriber that has given a secret and a header, and lacks an event when the backup is made. */
const path = '/subscriber';
const headers = { 'X-Api-Key': 'for production' };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bot-directory-copy-'));
  backup = join(dir, 'backup.ndjson');
  production = await startDelivery({ settings: { WEBHOOK_RETRY_DELAYS: Array(9).fill('1h').join(',') } });
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const registered = await production.post('/api/webhooks/bots', {
    url: production.receiver.url(path),
    secret,
    headers,
  });
  expect(registered.status).toBe(200);
  const operator = operatorOf(production.redis?.url ?? '');
  await operator.run('deliveries', 'pause');
  await engineHasLooked(production.redis?.url ?? '');
  await production.publish('Undelivered');
  // As it is in production on any day: one event is under way, and deliveries are not paused.
  const redis = new Redis(production.redis?.url ?? '');
  await redis.del(keys.paused);
  await operator.run('export', '--with-keys', '--file', backup);
  await redis.set(keys.paused, '1');
  redis.disconnect();
});
afterAll(async () => {
  for (const service of services) await service.stop();
  for (const store of stores) await store.stop();
  await production.stop();
  rmSync(dir, { recursive: true });
});

/** Imports the backup into an empty store. Returns it, and what the command said. */
const importWith = async (...options: string[]) => {
  const store = await startTestRedis();
  stores.push(store);
  const said = await operatorOf(store.url).attempt('import', backup, ...options);
  expect(said.code, said.output).toBe(0);
  return { store, said: said.output };
};
/** Starts a service on a copy. It would reach production's subscriber if it tried. */
const serve = async (store: TestRedis): Promise<Service> => {
  const service = await startService({
    redis: store,
    provider: production.provider,
    settings: deliverySettings,
    world: { ca: production.receiver.ca, pollMs: 100 },
  });
  services.push(service);
  return service;
};
const received = (): Received[] => production.receiver.received.filter((one) => one.path === path);
const signingKey = async ({ get }: Pick<Service, 'get'>): Promise<string | undefined> =>
  (await get<WebhookKeys>('/api/webhooks/keys')).body.keys[0]?.public_key;
const schemes = ({ headers: had }: Received): string => String(had['webhook-signature']).replaceAll(/,\S+/g, '');
const keysIn = (some: readonly Received[]): unknown[] => some.map(({ headers: had }) => had['x-api-key']);
const secretsOf = async (store: TestRedis): Promise<number> => {
  const redis = new Redis(store.url);
  const counts = await Promise.all(partitions.map(({ secrets }) => redis.hlen(secrets)));
  redis.disconnect();
  return counts.reduce((sum, count) => sum + count);
};

it('sends nothing to the subscribers of production, and says how to resume deliveries', async () => {
  const { store, said } = await importWith();
  const copy = await serve(store);
  const before = received().length;
  await copy.publish('Only of the copy');
  await engineHasLooked(store.url);
  expect(received()).toHaveLength(before);

  expect(said).toContain('Deliveries are paused');
  const [, command = ''] = /bot-directory-admin (.+)$/m.exec(said) ?? [];
  expect((await operatorOf(store.url).attempt(...command.split(' '))).code).toBe(0);
  await until('the copy delivers', () => received().length === before + 2);
  expect(received().slice(before).map(schemes)).toEqual(['v1a', 'v1a']);
  expect(keysIn(received().slice(before))).toEqual([undefined, undefined]);
});

it('has neither the signing key of production nor the secrets of webhooks, and says so', async () => {
  const { store, said } = await importWith();
  expect(said).toMatch(/Left out 2 .*--with-keys/);
  expect(await secretsOf(store)).toBe(0);
  expect(await signingKey(await serve(store))).not.toBe(await signingKey(production));
});

it('replaces production with --resume and --with-keys, and continues where production was', async () => {
  const before = received().length;
  const { store, said } = await importWith('--resume', '--with-keys');
  expect(said).toContain('Deliveries are not paused.');
  const restored = await serve(store);
  await until('it delivers what production had not', () => received().length > before);
  expect(received().slice(before).map(schemes)).toEqual(['v1a v1']);
  expect(keysIn(received().slice(before))).toEqual(['for production']);
  expect(await signingKey(restored)).toBe(await signingKey(production));
});

it('stays paused with --resume if production was, and says so', async () => {
  const { store } = await importWith('--resume');
  const operator = operatorOf(store.url);
  await operator.run('deliveries', 'pause');
  const paused = join(dir, 'paused.ndjson');
  await operator.run('export', '--file', paused);
  const other = await startTestRedis();
  stores.push(other);
  const { output } = await operatorOf(other.url).attempt('import', paused, '--resume');
  expect(output).toMatch(/Deliveries are paused, as they were [^]*bot-directory-admin deliveries resume$/);
});
