import { expect, it } from 'vitest';
import { openUnread } from '@bot-directory/testing/event-stream';
import { publishMany } from '@bot-directory/testing/many-events';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

/** How many events of the log are in memory, and how many a reader gets at once. */
const keptInMemory = 2_000;
const pageSize = 100;
/** More than memory and the buffers of two sockets hold: Linux gives a connection some megabytes. */
const count = 4_000;
const descriptionBytes = 8_000;
const eventBytes = descriptionBytes + 1_000;

const service = useStarted(() => startService({ settings: { ROLE: 'web' } }));

type Stream = Awaited<ReturnType<typeof openUnread>>;
const open = (headers?: Record<string, string>): Promise<Stream> =>
  openUnread(`${service.url}/api/events/stream`, headers);

/** Reads all of them, and resumes as any reader does if the stream is cut, which happens when the store is late. */
const readAll = async (stream: Stream): Promise<string[]> => {
  const ids = await stream.read(count);
  while (ids.length < count) {
    const next = await open({ 'Last-Event-ID': ids.at(-1) ?? '' });
    ids.push(...(await next.read(count - ids.length)));
  }
  return ids;
};

it('a stream whose reader stalls delays no other, fills no memory, and has every event once and in order when read again', async () => {
  const slow = await open();
  const quick = await open();
  const readQuickly = readAll(quick);
  const all = await publishMany(service.redis?.url ?? '', { count, descriptionBytes });
  expect(await readQuickly).toEqual(all);

  expect(slow.response?.writableLength).toBeLessThanOrEqual(pageSize * eventBytes);
  expect(slow.response?.socket?.bytesWritten).toBeLessThan((count - keptInMemory) * descriptionBytes);
  expect(await slow.read(count)).toEqual(all);
});
