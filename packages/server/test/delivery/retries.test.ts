import { expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let offsetMs = 0;
const test = useStarted(() =>
  startDelivery({
    settings: { WEBHOOK_RETRY_DELAYS: '5s,30s,2m,10m,30m,1h,2h,4h,8h' },
    world: { offsetMs: () => offsetMs },
  }),
);

const attempts = (): number => test.receiver.events('/slow').length;
const nextIn = async (): Promise<number> =>
  Date.parse((await test.status('/slow')).next_attempt_at ?? '') - (Date.now() + offsetMs);

const remove = (): Promise<unknown> =>
  test.api('DELETE', '/api/webhooks/bots', { body: { url: test.receiver.url('/slow') } });

it.each([1, 12])('waits by the documented delays, about 16 hours in all, with %i events waiting', async (waiting) => {
  await remove();
  test.receiver.respond(204);
  await test.register('/slow');
  test.receiver.received.length = 0;
  test.receiver.respond(500);
  for (let i = 0; i < waiting; i += 1) await test.publish(`Slowly, ${waiting}, ${i}`);
  const minutes = 60_000;
  const delays = [
    5_000,
    30_000,
    2 * minutes,
    10 * minutes,
    30 * minutes,
    60 * minutes,
    120 * minutes,
    240 * minutes,
    480 * minutes,
  ];
  let waitedMs = 0;
  for (const [i, delay] of delays.entries()) {
    await until(`attempt ${i + 1} has failed`, async () => (await test.status('/slow')).failures_in_a_row === i + 1);
    expect(attempts()).toBe(i + 1);
    const wait = await nextIn();
    expect(wait).toBeGreaterThan(delay * 0.9 - 3_000);
    expect(wait).toBeLessThan(delay * 1.1 + 1);
    waitedMs += wait;
    offsetMs += wait + 1;
  }
  await until('it is stopped', async () => (await test.status('/slow')).state === 'stopped');
  expect(attempts()).toBe(10);
  expect(waitedMs / 3_600_000).toBeGreaterThan(14);
  expect(waitedMs / 3_600_000).toBeLessThan(18);
});

it.each([
  [503, '20', 20_000, 30_100],
  [429, '3600', 30_000, 30_100],
  [503, 'date', 20_000, 30_100],
  [500, '20', 4_000, 5_600],
])('honours Retry-After on a %i saying %s, up to the next delay', async (status, header, least, most) => {
  await remove();
  test.receiver.respond(204);
  await test.register('/slow');
  test.receiver.received.length = 0;
  const value = header === 'date' ? new Date(Date.now() + offsetMs + 25_000).toUTCString() : header;
  test.receiver.respond((_received, res) => res.writeHead(status, { 'Retry-After': value }).end());
  await test.publish(`Retry after ${header}`);
  await until('it has failed', async () => (await test.status('/slow')).failures_in_a_row === 1);
  const wait = await nextIn();
  expect(wait).toBeGreaterThan(least - 3_000);
  expect(wait).toBeLessThan(most);
});
