import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { Connections, type ConnectionRules } from './connections.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

const start = async (
  answer: RequestListener,
  { perAddress, isExempt }: Pick<ConnectionRules, 'perAddress' | 'isExempt'> = { perAddress: 0, isExempt: () => false },
) => {
  const server = createServer((req, res) => {
    const connection = connections.begin(res);
    res.on('close', () => connections.end(connection, res, performance.now()));
    answer(req, res);
  });
  let refused = 0;
  const connections = new Connections(server, { perAddress, isExempt, onRefused: () => (refused += 1) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => connections.drain({ idleMs: 0, limitMs: 0 }));
  const { port } = server.address() as AddressInfo;
  return { connections, port, refused: () => refused };
};

const open = (port: number, text = ''): { socket: Socket; received: () => string; isClosed: () => boolean } => {
  const socket = connect(port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  let received = '';
  let closed = false;
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined).once('close', () => (closed = true));
  socket.write(text);
  return { socket, received: () => received, isClosed: () => closed };
};
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
const megabytes = Buffer.alloc(32 * 1_048_576, 'x');

it('lets a slow reader finish a response that has begun', async () => {
  const { connections, port } = await start((req, res) => res.end(req.url === '/' ? megabytes : 'ok'));
  const idle = open(port, 'GET /small HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('one is idle', () => idle.received().endsWith('ok'));
  const reader = open(port, get);
  await until('the other reads', () => reader.received() !== '');
  reader.socket.pause();
  const draining = connections.drain({ idleMs: 0, limitMs: 10_000 });
  await until('what is idle is closed', idle.isClosed);
  reader.socket.resume();
  await draining;
  await until('it is closed', reader.isClosed);
  expect(reader.received().length).toBeGreaterThan(megabytes.length);
});

it('cuts off at the limit a client that reads nothing, and one that gets no response', async () => {
  const { connections, port } = await start((req, res) => {
    if (req.url === '/') res.end(megabytes);
  });
  const stalled = open(port, get);
  const waiting = open(port, 'GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('both are under way', () => connections.underWay === 2);
  stalled.socket.pause();
  await connections.drain({ idleMs: 0, limitMs: 100 });
  await until('they are cut', waiting.isClosed);
  expect([connections.open, stalled.received().length < megabytes.length]).toEqual([0, true]);
});

it('sends one more response on a kept connection, says that it is the last, and only then closes it', async () => {
  const { connections, port } = await start((_req, res) => res.end('ok'));
  const kept = open(port, get);
  await until('it is answered', () => kept.received().endsWith('ok'));
  const draining = connections.drain({ idleMs: 5_000, limitMs: 20_000 });
  await until('new connections are refused', () => isRefused(port));
  expect(kept.isClosed()).toBe(false);
  kept.socket.write(get);
  await until('it is closed', kept.isClosed);
  expect(kept.received().match(/connection: [\w-]+/gi)).toEqual(['Connection: keep-alive', 'Connection: close']);
  await draining;
});

it('answers a connection that waited to be accepted when the stop began', async () => {
  const { connections, port } = await start((_req, res) => res.end('ok'));
  // In another thread, so that it connects while this one is busy.
  const client = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { port, request, sent } = workerData;
    const socket = require('node:net').connect(port, '127.0.0.1', () =>
      socket.write(request, () => { Atomics.store(sent, 0, 1); Atomics.notify(sent, 0); }));
    let received = '';
    socket.on('data', (chunk) => (received += chunk)).on('error', ({ code }) => (received += code));
    socket.on('close', () => parentPort.postMessage(received));`;
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(client, { eval: true, workerData: { port, request: get, sent } });
  cleanups.push(() => worker.terminate());
  const received = once(worker, 'message');
  Atomics.wait(sent, 0, 0);
  await connections.drain({ idleMs: 1_000, limitMs: 20_000 });
  expect(await received).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nok/)]);
});

it('closes a connection that has long been idle, and accepts no new one', async () => {
  const { connections, port } = await start((_req, res) => res.end('ok'));
  const idle = open(port, get);
  await until('it is answered', () => idle.received().endsWith('ok'));
  await connections.drain({ idleMs: 50, limitMs: 20_000 });
  expect(connections.open).toBe(0);
  const late = open(port);
  await until('it is refused', late.isClosed);
});

it('accepts connections while every response is the last on its own', async () => {
  const { connections, port } = await start((_req, res) => res.end('ok'));
  connections.closeAfterAnswers();
  const agent = new Agent({ keepAlive: true });
  const ask = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => request({ port, agent }, resolve).on('error', reject).end());
  for (let i = 0; i < 5; i += 1) {
    const answer = await ask();
    expect(answer.headers.connection).toBe('close');
    answer.resume();
  }
  agent.destroy();
});

it('refuses connections beyond the limit of an address, until one of them ends', async () => {
  const { connections, port, refused } = await start((_req, res) => res.end('ok'), {
    perAddress: 3,
    isExempt: () => false,
  });
  const first = open(port);
  open(port);
  open(port);
  await until('three are open', () => connections.open === 3);
  const fourth = open(port, get);
  await until('it is refused', fourth.isClosed);
  expect([refused(), fourth.received()]).toEqual([1, '']);
  first.socket.destroy();
  await until('one has ended', () => connections.open === 2);
  const fifth = open(port, get);
  await until('it is answered', () => fifth.received().endsWith('ok'));
});

it('does not count connections of our own proxies', async () => {
  const { connections, port } = await start((_req, res) => res.end('ok'), { perAddress: 1, isExempt: () => true });
  for (let i = 0; i < 5; i += 1) open(port);
  await until('all are open', () => connections.open === 5);
});

it('counts the addresses of one IPv6 network together, since one client may have all of them', () => {
  const server = createServer();
  server.removeAllListeners('connection');
  let refused = 0;
  new Connections(server, { perAddress: 2, isExempt: () => false, onRefused: () => (refused += 1) });
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:100::1', '203.0.113.1']) {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
    server.emit('connection', socket);
  }
  expect(refused).toBe(1);
});
