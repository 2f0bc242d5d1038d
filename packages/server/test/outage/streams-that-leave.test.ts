/** Readers of the event stream who leave at whatever moment leave nothing behind. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRaw } from '../support/raw-http.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const count = 2_500;
const atOnce = 50;
/** A stream that is kept takes 4 KB; what a process makes once for all is some hundred bytes of each. */
const mostBytesEach = 1_500;

let service: Service;
let lastId: string;
beforeAll(async () => {
  service = await startService({ settings: { CONNECTIONS_PER_ADDRESS: '0' } });
  for (const name of ['First', 'Second']) await service.publish(name);
  lastId = (await service.get<{ id: string }[]>('/api/events')).body[0]?.id ?? '';
});
afterAll(() => service.stop());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const get = 'GET /api/events/stream HTTP/1.1\r\nHost: a\r\n';
/** What is asked, and what has come when the reader leaves. */
const readers: readonly (readonly [request: string, until: string])[] = [
  [`${get}\r\n`, ''],
  [`${get}Last-Event-ID: ${'evt_'.padEnd(30, '0')}\r\n\r\n`, ''],
  [`${get}\r\n`, 'retry: '],
  [`HEAD${get.slice('GET'.length)}\r\n`, ''],
];

/** Opens so many streams, and resets each. */
const openAndReset = async (streams: number): Promise<void> => {
  let [begun, opened] = [0, 0];
  const onRequest = (): void => void (begun += 1);
  subscribe('http.server.request.start', onRequest);
  const one = async (number: number): Promise<void> => {
    const [request, awaited] =
      number % (readers.length + 1) === readers.length
        ? ([`${get}Last-Event-ID: ${lastId}\r\n\r\n`, 'Second'] as const)
        : (readers[number % (readers.length + 1)] ?? ['', '']);
    const raw = openRaw(service.url);
    const before = begun;
    raw.send(request);
    await until('the request is seen', () => begun > before && raw.text().includes(awaited));
    raw.socket.resetAndDestroy();
    await raw.closed;
  };
  const reader = async (): Promise<void> => {
    while (opened < streams) await one((opened += 1));
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  unsubscribe('http.server.request.start', onRequest);
};

const valueOf = async (metric: string): Promise<number> =>
  Number(new RegExp(`^${metric} (\\S+)`, 'm').exec((await service.get<string>('/metrics')).body)?.[1]);

it(`holds nothing of ${count} readers who left`, async () => {
  // What is made once, and what the optimiser makes of it.
  await openAndReset(1_000);
  const before = heapBytes();
  await openAndReset(count);
  await until('no connection is left', async () => (await valueOf('http_event_streams')) === 0);
  expect((heapBytes() - before) / count).toBeLessThan(mostBytesEach);
  expect(process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length).toBeLessThan(100);
}, 120_000);
