import { expect, it } from 'vitest';
import { deliverySettings } from '@bot-directory/testing/delivery';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startWithoutWorkers } from '@bot-directory/testing/workers';

/** Longer than a stop waits for what is in flight. */
const patient = { WEBHOOK_TIMEOUT: '5m', WEBHOOK_LEASE: '10m' };
const test = useStarted(() => startWithoutWorkers(patient));

it('does not count a delivery cut off by the stop of its worker as a failure, and returns its lease', async () => {
  await test.register('/hangs');
  test.receiver.respond(() => undefined);
  const leaving = await test.startWorker();
  const slug = await test.publish('Cut off');
  await until('the worker waits for the response', () => test.slugs('/hangs').length === 1);
  expect(await leaving.stop()).toBe(0);
  expect(await test.status('/hangs')).toMatchObject({
    state: 'active',
    failures_in_a_row: 0,
    pending_events: 1,
    last_failure: 'connect',
  });

  test.receiver.respond(204);
  // The clock of the next worker is past the delay after a fault of our own, but not past the lease.
  const world = { ca: test.receiver.ca, offsetMs: () => 10_000 };
  const staying = await startService({
    redis: test.redis,
    provider: test.provider,
    settings: { ...deliverySettings, ...patient, ROLE: 'worker' },
    world,
  });
  await until('another has delivered it', async () => (await test.status('/hangs')).pending_events === 0);
  expect(test.slugs('/hangs')).toEqual([slug, slug]);
  expect(await test.status('/hangs')).toMatchObject({ failures_in_a_row: 0, last_failure: null });
  await staying.stop();
});
