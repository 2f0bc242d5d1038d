/** Readers of the event stream who leave at whatever moment leave nothing behind. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRaw } from '@bot-directory/testing/raw-http';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';

/** `npm run endurance strangers` opens many more. */
const count = Number(process.env.LEAVING_READERS ?? 2_000);
const atOnce = 20;
/** A stream that is kept takes 4 KB. */
const mostBytesEach = 1_000;

let service: Service;
let lastId: string;
beforeAll(async () => {
  service = await startService({ settings: { CONNECTIONS_PER_ADDRESS: '0' } });
  for (const name of ['First', 'Second']) await service.publish(name);
  lastId = (await service.get<{ id: string }[]>('/api/events')).body[0]?.id ?? '';
});
afterAll(() => service.stop());

// Nobody reads the stacks of resets; the test runner maps each to its sources, which took a fifth of this file's CPU.
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const get = 'GET /api/events/stream HTTP/1.1\r\nHost: a\r\n';
/** What is asked, and what has come when the reader leaves: nothing when it leaves as its request is seen. */
const readers = (): readonly (readonly [request: string, awaited: string])[] => [
  [`${get}\r\n`, ''],
  [`${get}Last-Event-ID: ${'evt_'.padEnd(30, '0')}\r\n\r\n`, ''],
  [`${get}\r\n`, 'retry: '],
  [`HEAD${get.slice('GET'.length)}\r\n`, ''],
  [`${get}Last-Event-ID: ${lastId}\r\n\r\n`, 'Second'],
];

/** Opens a stream, and resets it. `seen`: by port, what to do when the server has seen the request. */
const openAndLeave = (request: string, awaited: string, seen: Map<number, () => void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
      if (awaited === '') seen.set(socket.localPort ?? 0, () => socket.resetAndDestroy());
      socket.write(request);
    });
    // A reader also leaves if something else came than it awaited.
    socket.setTimeout(5_000, () => socket.resetAndDestroy());
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      // On a busy machine its turn may come too late.
      const isRefused = text.startsWith('HTTP/1.1 503');
      if (awaited !== '' && (isRefused || text.includes(awaited))) socket.resetAndDestroy();
    });
    socket.on('close', () => resolve()).on('error', reject);
  });

/** Opens so many streams, and resets each. */
const openAndReset = async (streams: number): Promise<void> => {
  const seen = new Map<number, () => void>();
  const onRequest = (message: unknown): void => {
    const port = (message as { request: IncomingMessage }).request.socket.remotePort ?? 0;
    seen.get(port)?.();
    seen.delete(port);
  };
  subscribe('http.server.request.start', onRequest);
  const kinds = readers();
  let opened = 0;
  const reader = async (): Promise<void> => {
    while (opened < streams) {
      const [request, awaited] = kinds[(opened += 1) % kinds.length] ?? ['', ''];
      await openAndLeave(request, awaited, seen);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  unsubscribe('http.server.request.start', onRequest);
};

const valueOf = async (metric: string): Promise<number> =>
  Number(new RegExp(`^${metric} (\\S+)`, 'm').exec((await service.get<string>('/metrics')).body)?.[1]);

// Thousands of connections are opened and reset, and each stream waits for its client's turn.
const timeout = 300_000;

it('holds nothing of readers who left', { timeout }, async () => {
  // A warm-up for what is made once, and for the optimiser.
  await openAndReset(500);
  const before = heapBytes();
  await openAndReset(count);
  await until('no connection is left', async () => (await valueOf('http_event_streams')) === 0);
  expect((heapBytes() - before) / count).toBeLessThan(mostBytesEach);
  expect(process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length).toBeLessThan(100);
});

it(
  'ends every stream that was asked for on a connection that closes, and begins only the first',
  { timeout },
  async () => {
    const { socket, send, closed } = openRaw(service.url);
    send(`${get}\r\n`.repeat(10));
    await until('all are in progress', async () => (await valueOf('http_requests_in_flight')) === 11);
    await until('the first is open', async () => (await valueOf('http_event_streams')) === 1);
    socket.destroy();
    await closed;
    await until('none is left', async () => (await valueOf('http_event_streams')) === 0);
    await until('nothing is in progress but this', async () => (await valueOf('http_requests_in_flight')) === 1);
  },
);
