/** Nothing waits for the engine's next regular poll or for the end of a lease: neither comes during these tests. */
import { beforeAll, expect, it } from 'vitest';
import { deliverySettings, startDelivery } from '@bot-directory/testing/delivery';
import { monitor } from '@bot-directory/testing/monitor';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { partitions } from '../../src/store/keys.ts';

const webhooks = 50;
const paths = Array.from({ length: webhooks }, (_, i) => `/${i}`);
const patient = { settings: { WEBHOOK_LEASE: '1h', WEBHOOK_TIMEOUT: '30s' }, world: { pollMs: 3_600_000 } };
const test = useStarted(() => startDelivery(patient));
beforeAll(async () => {
  await Promise.all(paths.map((path) => test.register(path)));
});

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

it('the first event for a webhook that another process registered, in a partition that was empty', async () => {
  const redis = await startTestRedis();
  const claimed = new Set<string>();
  const end = await monitor(redis.url, (_command, text) => {
    const [, partition] = /"8" "(\S+):cursor"/.exec(text) ?? [];
    if (partition !== undefined) claimed.add(partition);
  });
  const delivering = await startDelivery({ ...patient, redis });
  const { provider, receiver } = delivering;
  await until('all partitions are found empty', () => claimed.size === partitions.length);
  await delivering.publish('For nobody');
  const settings = { ...deliverySettings, ROLE: 'web' };
  const web = await startService({ redis, provider, settings, world: { ca: receiver.ca } });
  expect((await web.post('/api/webhooks/bots', { url: receiver.url() })).status).toBe(200);
  const slug = await web.publish('For the webhook');
  await until('it has the event', () => delivering.slugs().length > 0);
  expect(delivering.slugs()).toEqual([slug]);

  end();
  await web.stop();
  await delivering.stop();
  await redis.stop();
});
