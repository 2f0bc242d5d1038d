import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { deliverySettings } from '@bot-directory/testing/delivery';
import { engineHasLooked } from '@bot-directory/testing/engine';
import { startProvider, type Provider } from '@bot-directory/testing/provider';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { createLog } from '../../src/base/log.ts';
import { EventLog } from '../../src/store/events/event-log.ts';
import { keys } from '../../src/store/keys.ts';
import { openStore } from '../../src/redis/open-store.ts';

let offsetMs = 0;
let redis: TestRedis;
let provider: Provider;
let receiver: Receiver;
beforeAll(async () => {
  [redis, provider, receiver] = await Promise.all([startTestRedis(), startProvider(), startReceiver()]);
});
afterAll(() => Promise.all([redis.stop(), provider.stop(), receiver.stop()]));

const start = (): Promise<Service> =>
  startService({
    redis,
    provider,
    settings: deliverySettings,
    world: { ca: receiver.ca, offsetMs: () => offsetMs },
  });
const statusOf = async (service: Service): Promise<WebhookStatus> =>
  (await service.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(receiver.url())}`)).body;
const register = async (service: Service): Promise<void> =>
  expect((await service.post('/api/webhooks/bots', { url: receiver.url() })).status).toBe(200);

it.each([
  ['the process that had them in memory', false],
  ['another', true],
])(
  'a webhook whose missed events have all left the log is owed nothing by %s, and gets the next event',
  async (_who, isOther) => {
    const first = await start();
    await first.api('DELETE', '/api/webhooks/bots', { body: { url: receiver.url() } });
    await register(first);
    receiver.received.length = 0;
    await first.publish('Sent');
    await until('it is delivered', () => receiver.events().length === 1);
    receiver.received.length = 0;
    const client = new Redis(redis.url);
    await client.set(keys.paused, '1');
    await engineHasLooked(redis.url);
    await first.publish('Never sent');
    // Trims it as if a million had come after it: age alone removes no event that a webhook waits for.
    const store = openStore([redis.url], createLog('silent'));
    await until('the store responds', () => store.ping());
    await new EventLog(store, createLog('silent'), { baseUrl: 'https://bots.example.com' }).trim(0, 0);
    await store.close();
    offsetMs += 2 * 60_000;
    await until('no event is left', async () => (await first.get<unknown[]>('/api/events')).body.length === 0);
    if (isOther) await first.stop();
    await client.del(keys.paused);
    client.disconnect();
    const second = isOther ? await start() : first;
    await until('it is owed nothing', async () => (await statusOf(second)).pending_events === 0);
    expect(receiver.events()).toEqual([]);
    const next = await second.publish('Next');
    await until(
      'it has the next',
      async () => receiver.events().length === 1 && (await statusOf(second)).pending_events === 0,
    );
    expect(receiver.events()[0]?.data.slug).toBe(next);
    await second.stop();
  },
);
