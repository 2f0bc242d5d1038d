import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUnread } from '../support/event-stream.ts';
import { publishMany } from '../support/many-events.ts';
import { startService, type Service } from '../support/service.ts';

/** Of the event log: how many events are in memory, and how many a reader is given at once. */
const [keptInMemory, pageSize] = [2_000, 100];
/** More than memory and the buffers of two sockets hold: Linux gives a connection some megabytes. */
const [count, descriptionBytes] = [4_000, 8_000];
const eventBytes = descriptionBytes + 1_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { ROLE: 'web' } });
});
afterAll(() => service.stop());

it('a stream whose reader stalls delays no other, fills no memory, and has every event once and in order when read again', async () => {
  const [slow, quick] = [
    await openUnread(`${service.url}/api/events/stream`),
    await openUnread(`${service.url}/api/events/stream`),
  ];
  const readQuickly = quick.read(count);
  const all = await publishMany(service.redis?.url ?? '', { count, descriptionBytes });
  expect(await readQuickly).toEqual(all);

  expect(slow.response?.writableLength).toBeLessThanOrEqual(pageSize * eventBytes);
  expect(slow.response?.socket?.bytesWritten).toBeLessThan((count - keptInMemory) * descriptionBytes);
  expect(await slow.read(count)).toEqual(all);
});
