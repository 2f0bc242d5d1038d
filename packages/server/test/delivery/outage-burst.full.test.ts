import { expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const minute = 60_000;
const events = 300;
let offsetMs = 0;
const test = useStarted(() =>
  startDelivery({
    settings: { WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '10m').join(',') },
    world: { offsetMs: () => offsetMs },
  }),
);

/** Counts attempts at the endpoint that is down. One may send its POST twice, if the first met a closing connection. */
const attempts = (): number => {
  const events = test.receiver.received.filter(
    ({ path, headers }) => path === '/down' && headers['x-service-event'] === 'bot.created',
  );
  return new Set(events.map(({ headers }) => headers['x-service-delivery'])).size;
};

it('counts a burst of 300 events during an outage as one failure, and brings all of them afterwards', async () => {
  await test.register('/down');
  await test.register('/up');
  test.receiver.respond((received, res) => (received.path === '/down' ? res.destroy() : res.writeHead(204).end()));
  const slugs: string[] = [];
  while (slugs.length < events) {
    slugs.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => test.publish(`Burst ${slugs.length + i}`)))));
  }
  await until('its neighbour has all', () => test.slugs('/up').length === events);
  await until('the failure is saved', async () => (await test.status('/down')).failures_in_a_row === 1);
  expect(attempts()).toBe(1);
  expect(await test.status('/down')).toMatchObject({
    state: 'active',
    failures_in_a_row: 1,
    pending_events: events,
    last_failure: 'connect',
  });

  offsetMs += 11 * minute;
  await until('it was tried again', async () => (await test.status('/down')).failures_in_a_row === 2);
  expect(attempts()).toBe(2);

  test.receiver.respond(204);
  test.receiver.received.length = 0;
  offsetMs += 11 * minute;
  await until('it has all', async () => (await test.status('/down')).pending_events === 0, 30_000);
  const published = (await test.get<{ data: { slug: string } }[]>('/api/events?limit=200')).body.map(
    ({ data }) => data.slug,
  );
  expect(test.slugs('/down').slice(0, published.length)).toEqual(published);
  expect([...test.slugs('/down')].sort()).toEqual(slugs.sort());
  expect(await test.status('/down')).toMatchObject({
    state: 'active',
    failures_in_a_row: 0,
    last_failure: null,
    next_attempt_at: null,
  });
});
