import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startWithoutWorkers } from '@bot-directory/testing/workers';

const openFiles = 256;
const test = useStarted(startWithoutWorkers);

it('counts no failure while a process can open no socket, and delivers when it can', async () => {
  await test.register('/hook');
  const worker = await test.startWorker({}, { openFiles });
  let refused = 0;
  const clients: Socket[] = Array.from({ length: openFiles }, () =>
    connect(Number(new URL(worker.url).port), '127.0.0.1')
      .on('error', () => undefined)
      .on('close', () => (refused += 1)),
  );
  await until('it has no file descriptor left', () => refused > 0);

  const slug = await test.publish('Not their fault');
  await until('it was tried', async () => (await test.status('/hook')).last_failure === 'connect');
  expect(test.slugs('/hook')).toEqual([]);
  expect(await test.status('/hook')).toMatchObject({ state: 'active', failures_in_a_row: 0, pending_events: 1 });

  for (const client of clients) client.destroy();
  await until('it is delivered', async () => (await test.status('/hook')).pending_events === 0);
  expect(test.slugs('/hook')).toEqual([slug]);
  expect(await test.status('/hook')).toMatchObject({ failures_in_a_row: 0, last_failure: null });
  await worker.stop();
});
