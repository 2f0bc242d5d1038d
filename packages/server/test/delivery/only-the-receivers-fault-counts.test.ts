import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivery, type DeliveryTest } from '../support/delivery.ts';
import { until } from '../support/until.ts';

let resolverWorks = true;
let offsetMs = 0;
let asked = 0;
let test: DeliveryTest;
beforeAll(async () => {
  test = await startDelivery({
    settings: { WEBHOOK_LEASE: '30s' },
    world: {
      clock: () => Date.now() + offsetMs,
      resolve: () => {
        asked += 1;
        return resolverWorks
          ? Promise.resolve(['127.0.0.1'])
          : Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      },
    },
  });
});
afterAll(() => test.stop());

it('counts no failure of our own resolver, and tries again', async () => {
  const url = `https://own.hooks.example.com:${test.receiver.port}/own`;
  const status = () =>
    test.get<{ failures_in_a_row: number; last_failure: string | null; pending_events: number }>(
      `/api/webhooks/bots/status?url=${encodeURIComponent(url)}`,
    );
  test.receiver.respond((_received, res) => res.writeHead(204, { Connection: 'close' }).end());
  expect((await test.post('/api/webhooks/bots', { url })).status).toBe(200);
  resolverWorks = false;
  const slug = await test.publish('Not their fault');
  for (let i = 0; i < 12; i += 1) {
    const before = asked;
    await until('it was tried', async () => asked > before && (await status()).body.last_failure === 'dns');
    expect((await status()).body).toMatchObject({ state: 'active', failures_in_a_row: 0 });
    offsetMs += 6_000;
  }
  resolverWorks = true;
  offsetMs += 6_000;
  await until('it is delivered', () => test.slugs('/own').includes(slug));
  expect((await status()).body).toMatchObject({ pending_events: 0, failures_in_a_row: 0 });
});
