/**
 * Nothing that passes ends an EventSource for good: neither a store that is away nor a stop. It comes back by itself,
 * and gets what it missed.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRaw } from '@bot-directory/testing/raw-http';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy, type RedisProxy } from '@bot-directory/testing/redis-proxy';
import { noPatience, startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { withEventSources, type Seen } from '../src/event-sources.ts';

let redis: TestRedis;
let service: Service;
/** The network between the service and its clients. */
let network: RedisProxy;
beforeAll(async () => {
  redis = await startTestRedis({ persist: true });
  service = await startService({ redis, world: noPatience });
  network = await startRedisProxy(service.url);
});
afterAll(async () => {
  await network.stop();
  await service.stop();
  await redis.stop();
});

type Read = () => Promise<readonly Seen[]>;
const url = (): string => `${network.url.replace('redis:', 'http:')}/api/events/stream`;
const allOpened = (read: Read, times: number): Promise<void> =>
  until('all have connected', async () => (await read()).every(({ opened }) => opened >= times), 30_000);
const allHave = (read: Read, slugs: readonly string[]): Promise<void> =>
  until('all have it', async () => (await read()).every((seen) => seen.slugs.join() === slugs.join()), 30_000);

it.each(['empty', 'not empty'])(
  'an EventSource that is cut off before its first event gets what it missed, in a log that is %s',
  async (state) => {
    await withEventSources(url(), async (read) => {
      await allOpened(read, 1);
      await network.cut();
      const missed = await service.publish(`Missed in a log that is ${state}`);
      await allOpened(read, 2);
      await allHave(read, [missed]);
    });
  },
  90_000,
);

const isStoreUp = async (): Promise<boolean> => (await service.get('/healthz/store')).status === 200;

it('an EventSource that connects while the store is away comes back, and gets what it missed', async () => {
  await withEventSources(url(), async (read) => {
    await allOpened(read, 1);
    const before = await service.publish('Before');
    await allHave(read, [before]);
    await redis.kill();
    await until('the store is away', async () => !(await isStoreUp()));
    await network.cut();
    await allOpened(read, 2);
    await redis.restart();
    await until('the store is back', isStoreUp);
    const missed = await service.publish('Missed');
    await allHave(read, [before, missed]);
  });
}, 90_000);

const ask = (accept: string) => fetch(`${service.url}/api/events/stream`, { headers: { accept } });

it('a client that reads problems gets one while the store is away, and one that reads only events a stream', async () => {
  await redis.kill();
  await until('the store is away', async () => !(await isStoreUp()));
  for (const accept of ['*/*', 'text/event-stream, application/problem+json', 'text/event-stream, */*;q=0.1']) {
    const refused = await ask(accept);
    expect([accept, refused.status, await refused.json()]).toMatchObject([accept, 503, { code: 'store_unavailable' }]);
  }
  const later = await ask('text/event-stream');
  expect([later.status, later.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const [, afterMs] = /^: store_unavailable\nretry: (\d+)\n\n$/.exec(await later.text()) ?? [];
  expect(Number(afterMs)).toBeGreaterThanOrEqual(5_000);
  // What is wrong for good stays an error.
  const wrong = await fetch(`${service.url}/api/events/stream?type=nothing`, {
    headers: { accept: 'text/event-stream' },
  });
  expect(wrong.status).toBe(400);
  await redis.restart();
  await until('the store is back', isStoreUp);
});

it('a stream that is asked for while the process stops is one that ends, after which a browser reconnects', async () => {
  const stopping = await startService({ redis });
  await until('it has the log', async () => (await stopping.get('/api/events')).status === 200);
  process.kill(redis.pid, 'SIGSTOP');
  const raw = openRaw(stopping.url);
  const asked = new Promise<void>((resolve) => {
    const onRequest = (): void => {
      unsubscribe('http.server.request.start', onRequest);
      resolve();
    };
    subscribe('http.server.request.start', onRequest);
  });
  raw.send('GET /api/events/stream HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n');
  await asked;
  const stopped = stopping.stop();
  process.kill(redis.pid, 'SIGCONT');
  await stopped;
  await raw.closed;
  expect(raw.text()).toMatch(/^HTTP\/1\.1 200 /);
  expect(raw.text()).toMatch(/\r\ncontent-type: text\/event-stream/i);
  expect(raw.text()).toMatch(/\nretry: \d+\n/);
});
