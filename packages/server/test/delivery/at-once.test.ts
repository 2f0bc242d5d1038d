/** Nothing waits for the engine's next look at everything, nor for the end of a lease: here neither comes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';

const webhooks = 50;
const paths = Array.from({ length: webhooks }, (_, i) => `/${i}`);
let test: DeliveryTest;
beforeAll(async () => {
  test = await startDelivery({
    settings: { WEBHOOK_LEASE: '1h', WEBHOOK_TIMEOUT: '30s' },
    world: { pollMs: 3_600_000 },
  });
  await Promise.all(paths.map((path) => test.register(path)));
});
afterAll(() => test.stop());

const allAre = (count: number): boolean => paths.every((path) => test.receiver.events(path).length === count);

it('an event published during the settlement of the one before', async () => {
  let count = 0;
  for (let burst = 0; burst < 10; burst += 1) {
    for (let i = 0; i < 4; i += 1) await test.publish(`Burst ${(count += 1)}`);
    await until(`burst ${burst} has arrived`, () => allAre(count));
  }
});

it('a retry', async () => {
  test.receiver.received.length = 0;
  const refusals = new Set(paths);
  test.receiver.respond(({ path }, res) => res.writeHead(refusals.delete(path) ? 500 : 204).end());
  const slug = await test.publish('Refused once');
  await until('all have it', () => allAre(2));
  for (const path of paths) expect(test.slugs(path)).toEqual([slug, slug]);
});
