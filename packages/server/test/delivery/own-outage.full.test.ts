/** When our own network breaks, nobody is stopped for it, and everything is delivered once it works again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

/** Longer than any delay after a fault of our own. */
const longMs = 140_000;
/** Only 127.0.0.1 listens: this refuses the connection. */
const refusing = '127.0.0.2';

let isBroken = false;
let offsetMs = 0;
let test: DeliveryTest;
/** Each is a registrable domain of its own. */
const names = Array.from({ length: 15 }, (_, i) => `owner-${i}`);

useStarted(() =>
  startNames((name) => [isBroken || (name.startsWith('dead.') && offsetMs > 0) ? refusing : '127.0.0.1']),
);
beforeAll(async () => {
  test = await startDelivery({ world: { offsetMs: () => offsetMs, pollMs: 100 } });
  test.receiver.respond((_received, res) => res.writeHead(204, { Connection: 'close' }).end());
  for (const name of [...names, 'dead']) {
    const { status } = await test.post('/api/webhooks/bots', { url: urlOf(name) });
    expect(status).toBe(200);
  }
});
afterAll(() => test.stop());

const urlOf = (name: string): string => `https://${name}.github.io:${test.receiver.port}/${name}`;
const statusOf = async (name: string): Promise<WebhookStatus> =>
  (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(urlOf(name))}`)).body;
const all = (holds: (status: WebhookStatus) => boolean) => async (): Promise<boolean> =>
  (await Promise.all(names.map(statusOf))).every(holds);
const gauge = async (): Promise<string | undefined> =>
  /^webhook_own_outage (\d)$/m.exec((await test.get<string>('/metrics')).body)?.[1];

it('stops nobody while all connections fail, and delivers everything when they work again', async () => {
  const before = await test.publish('Before');
  await until(
    'all have it',
    all(({ pending_events }) => pending_events === 0),
  );
  expect(await gauge()).toBe('0');
  isBroken = true;
  const during = await test.publish('During');
  const waitsAsOurs = ({ next_attempt_at: next }: WebhookStatus): boolean =>
    next !== null && Date.parse(next) - (Date.now() + offsetMs) > 1_000;
  for (let i = 0; i < 12; i += 1) {
    await until('all wait for us', all(waitsAsOurs));
    offsetMs += longMs;
  }
  await until('all wait for us', all(waitsAsOurs));
  for (const name of names) {
    const { state, failures_in_a_row: failures, last_failure: failure } = await statusOf(name);
    expect([state, failure]).toEqual(['active', 'connect']);
    expect(failures).toBeLessThan(10);
  }
  expect(await gauge()).toBe('1');

  isBroken = false;
  offsetMs += longMs;
  await until(
    'all have it',
    all(({ pending_events }) => pending_events === 0),
  );
  for (const name of names) expect(test.slugs(`/${name}`)).toEqual([before, during]);
  expect(await gauge()).toBe('0');
});

it('stops one that is dead among others that work', async () => {
  offsetMs += longMs;
  await test.publish('To the living');
  await until('it is stopped', async () => (await statusOf('dead')).state === 'stopped');
  expect(await statusOf('dead')).toMatchObject({ failures_in_a_row: 10, last_failure: 'connect' });
});
