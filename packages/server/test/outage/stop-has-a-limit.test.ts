/**
 * A stop ends in time, whatever hangs: here the store, while a delivery waits to be saved under a long lease.
 */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { within } from '@bot-directory/testing/within';
import { startWithoutWorkers, type WorkersTest } from '@bot-directory/testing/workers';

let test: WorkersTest;
beforeEach(async () => {
  test = await startWithoutWorkers();
});
afterEach(() => test.stop());

it('exits with 0 long before the lease would run out', async () => {
  const worker = await test.startWorker({ WEBHOOK_LEASE: '10m' });
  const held: ServerResponse[] = [];
  await test.register();
  test.receiver.respond((_received, res) => void held.push(res));
  await test.publish('A bot');
  await until('it is under way', () => held.length === 1);
  const pid = test.redis?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  for (const res of held) res.writeHead(204).end();
  expect(await within(60_000, () => worker.stop())).toBe(0);
  process.kill(pid, 'SIGCONT');
});
