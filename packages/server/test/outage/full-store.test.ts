import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const paths = Array.from({ length: 20 }, (_, i) => `/hook/${i}`);
let client: Redis;
const test = useStarted(() => startDelivery({ settings: { WEBHOOK_TIMEOUT: '10s', WEBHOOK_LEASE: '20s' } }));
beforeAll(async () => {
  client = new Redis(test.redis?.url ?? '');
  for (const path of paths) await test.register(path);
});
afterAll(() => {
  client.disconnect();
});

const allHave = (slugs: readonly string[]): boolean => paths.every((path) => test.slugs(path).length >= slugs.length);

it('delivers every event once while the store is full, and refuses only what needs more memory', async () => {
  await client.config('SET', 'maxmemory-policy', 'noeviction');
  const held: (() => void)[] = [];
  test.receiver.respond((_received, res) => void held.push(() => res.writeHead(204).end()));
  const slugs = [await test.publish('Before'), await test.publish('As well')];
  await until('all are called', () => held.length === paths.length);
  await client.config('SET', 'maxmemory', '1mb');
  test.receiver.respond(204);
  for (const answer of held) answer();
  await until('all have both', () => allHave(slugs));
  for (const path of paths)
    await until('the delivery is saved', async () => (await test.status(path)).pending_events === 0);
  expect((await test.post('/api/feed', { url: 'https://x.com/someone/status/123' })).status).toBe(503);
  for (const path of paths) expect(test.slugs(path)).toEqual(slugs);
  await client.config('SET', 'maxmemory', '0');
  slugs.push(await test.publish('After'));
  await until('all have it', () => allHave(slugs));
  for (const path of paths) expect(test.slugs(path)).toEqual(slugs);
});

it('counts results that the store refused to save until their leases ran out', async () => {
  const unsaved = async (): Promise<number> =>
    Number(/^webhook_settlements_unsaved_total (\d+)$/m.exec((await test.get<string>('/metrics')).body)?.[1]);
  expect(await unsaved()).toBe(0);
  const held: (() => void)[] = [];
  test.receiver.respond((_received, res) => void held.push(() => res.writeHead(204).end()));
  await test.publish('Not saved');
  await until('all are called', () => held.length === paths.length);
  await client.config('SET', 'min-replicas-to-write', '1');
  for (const answer of held) answer();
  await until('they were given up', async () => (await unsaved()) === paths.length);
  await client.config('SET', 'min-replicas-to-write', '0');
  test.receiver.respond(204);
  for (const path of paths)
    await until('it is delivered again', async () => (await test.status(path)).pending_events === 0);
});
