import { expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(startDelivery);
useStarted(() =>
  startService({
    redis: test.redis,
    provider: test.provider,
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ROLE: 'worker' },
    world: { ca: test.receiver.ca },
  }),
);

const paths = Array.from({ length: 12 }, (_, i) => `/hook/${i}`);

it('brings every event to every webhook, in publish order, once, with two workers', async () => {
  for (const path of paths) await test.register(path);
  await Promise.all(
    Array.from({ length: 5 }, async (_, burst) => {
      for (let i = 0; i < 10; i += 1) await test.publish(`Burst ${burst} ${i}`);
    }),
  );
  await until(
    'every webhook has 50 events',
    () => paths.every((path) => test.receiver.events(path).length >= 50),
    30_000,
  );
  const published = (await test.get<{ data: { slug: string } }[]>('/api/events')).body.map(({ data }) => data.slug);
  for (const path of paths) expect(test.slugs(path)).toEqual(published);
  for (const path of paths) {
    await until('its last delivery is saved', async () => (await test.status(path)).pending_events === 0);
    expect(await test.status(path)).toMatchObject({
      state: 'active',
      failures_in_a_row: 0,
      pending_events: 0,
      last_failure: null,
      next_attempt_at: null,
    });
  }
});

it('sends a new webhook only what is published after it', async () => {
  await test.register('/late');
  const slug = await test.publish('After the late one');
  await until('it is there', () => test.receiver.events('/late').length > 0);
  expect(test.slugs('/late')).toEqual([slug]);
});

it('sends nothing more to a webhook that was removed', async () => {
  await test.register('/removed');
  await test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url('/removed') } });
  const slug = await test.publish('After the removal');
  await until('the others have it', () => paths.every((path) => test.slugs(path).includes(slug)));
  expect(test.receiver.events('/removed')).toEqual([]);
});

it('settles nothing for a webhook that is removed while it is called', async () => {
  await test.register('/in-flight');
  let release = (): void => undefined;
  test.receiver.respond((received, res) => {
    if (received.path === '/in-flight') release = () => res.writeHead(500).end();
    else res.writeHead(204).end();
  });
  await test.publish('In flight');
  await until('it is called', () => test.receiver.events('/in-flight').length === 1);
  await test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url('/in-flight') } });
  release();
  await test.publish('After it');
  await until('the others have it', () => paths.every((path) => test.slugs(path).includes('after-it')));
  expect(test.receiver.events('/in-flight')).toHaveLength(1);
  const { Redis } = await import('ioredis');
  const redis = new Redis(test.redis?.url ?? '');
  await until('nothing is taken', async () => (await redis.keys('bots:{webhooks-*}:taken')).length === 0);
  expect(await redis.keys('bots:{webhooks-*}:waiting')).toEqual([]);
  redis.disconnect();
  test.receiver.respond(204);
});
