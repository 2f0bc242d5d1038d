/** A wave of spam is removed by one command: from every list at once, and from what webhooks have yet to be sent. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { deliverySettings, startDelivery, type DeliveryTest } from '../support/delivery.ts';
import { operatorOf } from '../support/operator.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const waveSize = 2_000;
const spammers = Array.from({ length: 50 }, (_, i) => `@spammer${i}`);

let one: DeliveryTest;
let other: Service;
let operator: ReturnType<typeof operatorOf>;

beforeAll(async () => {
  one = await startDelivery();
  other = await startService({
    redis: one.redis,
    provider: one.provider,
    settings: { ...deliverySettings, ROLE: 'web' },
  });
  operator = operatorOf(one.redis?.url ?? '', one.url);
});
afterAll(async () => {
  await other.stop();
  await one.stop();
});

const slugs = async (service: Service): Promise<string[]> =>
  (await service.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);

it('removes 2,000 bots by 50 authors in one step, and loses nothing else', { timeout: 240_000 }, async () => {
  await one.register('/hook');
  const honest = [await one.publish('Honest Before')];
  await until('it is delivered', () => one.slugs('/hook').includes('honest-before'));
  await operator.run('deliveries', 'pause');

  const wave = Array.from({ length: waveSize }, (_, i) => i);
  for (let at = 0; at < waveSize; at += 100) {
    await Promise.all(
      wave.slice(at, at + 100).map((i) => one.publish(`Cheap Pills ${i}`, { author: spammers[i % spammers.length] })),
    );
  }
  honest.push(await one.publish('Honest After', { author: '@honest' }));
  expect(await slugs(other)).toHaveLength(waveSize + 2);

  const authors = spammers.flatMap((author) => ['--author', author]);
  const removed = await operator.run<{ count: number }>('remove', ...authors, '--since', '1h', '--reason', 'Spam.');
  expect(removed.count).toBe(waveSize);
  for (const service of [one, other]) expect((await slugs(service)).sort()).toEqual([...honest].sort());
  expect((await other.get('/api/bots/cheap-pills-0')).status).toBe(410);
  // Those that were under way when the pause reached the worker.
  const sentBefore = one.slugs('/hook');
  expect(sentBefore.length).toBeLessThan(waveSize / 10);
  expect(await operator.run('audit', '--limit', '1')).toMatchObject([{ action: 'remove', count: waveSize }]);

  await operator.run('deliveries', 'resume');
  await until('the honest one is delivered', () => one.slugs('/hook').includes('honest-after'));
  expect(one.slugs('/hook')).toEqual([...sentBefore, 'honest-after']);
  await until('nothing is pending', async () => (await one.status('/hook')).pending_events === 0);
  expect(await operator.run('check')).toEqual([]);
});
