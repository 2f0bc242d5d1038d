/** The bots with the most installs of the last seven days, as the days go by. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';

const dayMs = 86_400_000;
/** A day that begins at midnight in UTC, in the past: an operator's command uses the real clock. */
const firstDay = Math.floor(Date.now() / dayMs) - 20;
const startedAtMs = Date.now();
let day = 0;
let service: Service;
let other: Service;
beforeAll(async () => {
  // Noon, so that no midnight comes while the test runs.
  const world = { offsetMs: () => (firstDay + day + 0.5) * dayMs - startedAtMs };
  service = await startService({ settings: { TRUST_PROXY: 'loopback' }, world });
  const { redis, provider, url } = service;
  other = await startService({ redis, provider, world, settings: { BASE_URL: url } });
  for (const name of ['one', 'two', 'three', 'four']) await service.publish(name);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const list = (query = '') => other.get<Bot[]>(`/api/bots?sort=trending${query}`);
const trending = async (): Promise<string[]> => (await list()).body.map(({ slug }) => slug);
/** Waits until the other process, which follows within a second, lists the bots in this order. */
const awaitOrder = (...slugs: string[]) =>
  until(`it is ${slugs.join(', ')}`, async () => (await trending()).join() === slugs.join());
const install = async (slug: string, ...visitors: number[]): Promise<void> => {
  for (const visitor of visitors) await service.install(slug, visitor);
};

describe('the bots that are trending', () => {
  it('are the newest as long as nobody installs any', async () => {
    expect(await trending()).toEqual(['four', 'three', 'two', 'one']);
  });

  it('follow the installs of another process, equals newest first', async () => {
    await install('one', 1, 2, 3);
    await install('two', 1);
    await install('three', 1);
    await awaitOrder('one', 'three', 'two', 'four');
  });

  it('are in the same order page by page, and for search and filters', async () => {
    const { body, headers } = await list('&limit=2');
    const next = new URL(/<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    const rest = await other.get<Bot[]>(next.pathname + next.search);
    expect([...body, ...rest.body].map(({ slug }) => slug)).toEqual(['one', 'three', 'two', 'four']);
    expect((await list('&q=t')).body.map(({ slug }) => slug)).toEqual(['three', 'two']);
  });

  it('change when an install is seven days old, although nothing else happens, and so does the tag', async () => {
    day = 1;
    await install('two', 1, 2, 3, 4);
    await awaitOrder('two', 'one', 'three', 'four');
    day = 6;
    const { headers } = await list();
    const tag = headers.get('etag') ?? '';
    expect(headers.get('last-modified')).toBeNull();
    const again = () => fetch(`${other.url}/api/bots?sort=trending`, { headers: { 'If-None-Match': tag } });
    expect((await again()).status).toBe(304);
    day = 7;
    expect((await again()).status).toBe(200);
    expect(await trending()).toEqual(['two', 'four', 'three', 'one']);
    day = 8;
    expect(await trending()).toEqual(['four', 'three', 'two', 'one']);
  });

  it('leave with a bot that is hidden, and come back with it, in a copy of any age', async () => {
    await install('two', 5, 6);
    await install('one', 5);
    await awaitOrder('two', 'one', 'four', 'three');
    const operator = operatorOf(service.redis?.url ?? '', service.url);
    await operator.run('hide', 'two');
    expect(await trending()).toEqual(['one', 'four', 'three']);
    await operator.run('restore', 'two');
    expect(await trending()).toEqual(['two', 'one', 'four', 'three']);
    await other.stop();
    const world = { offsetMs: () => (firstDay + day + 0.5) * dayMs - startedAtMs };
    const { redis, provider, url } = service;
    other = await startService({ redis, provider, world, settings: { BASE_URL: url } });
    expect(await trending()).toEqual(['two', 'one', 'four', 'three']);
  });

  it('are as before when the clock goes back', async () => {
    day = 20;
    expect((await trending())[0]).toBe('four');
    day = 8;
    expect((await trending())[0]).toBe('two');
  });

  it('keep seven days of each bot, however often it is installed', async () => {
    for (day = 9; day < 20; day += 1) await install('three', day);
    const { Redis } = await import('ioredis');
    const redis = new Redis(service.redis?.url ?? '');
    const id = await redis.hget('bots:{directory}:slugs', 'three');
    const stored = await redis.hget(`bots:{directory}:bot:${id}`, 'recent_installs');
    redis.disconnect();
    expect(stored).toBe(Array.from({ length: 7 }, (_, i) => `${firstDay + 19 - i}:1`).join(','));
  });
});
