import { sendPieces, type Pace } from './send-pieces.ts';
import { Agent, createServer, get, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';

const piece = Buffer.alloc(256 * 1_024, 'x');
const pieces = 200;
const pace: Pace = { groupBytes: 1_048_576, groupMs: 60_000 };
/** For a reader who is to be cut off. */
const hasty: Pace = { ...pace, groupMs: 200 };

/** More than the buffers of both sides hold. */
const whole = Buffer.alloc(16 * 1_048_576, 'x');
const eachPiece = function* (): Generator<Buffer> {
  for (; sent < pieces; sent += 1) yield piece;
};

let server: Server;
let sent = 0;
let over: Promise<void> | undefined;
beforeAll(async () => {
  server = createServer((req, res) => {
    sent = 0;
    if (req.url === '/whole') over = sendPieces(res, [whole], { ...pace, groupMs: 2_000 });
    else over = sendPieces(res, eachPiece(), req.url === '/hasty' ? hasty : pace);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

it('sends everything to a client that reads', async () => {
  const body = await (await fetch(`http://127.0.0.1:${port()}/`)).arrayBuffer();
  expect(body.byteLength).toBe(pieces * piece.length);
  expect(sent).toBe(pieces);
});

/** Sends a request and reads no more than the beginning of the response. `closed` resolves when the server cuts it. */
const stall = async (path: string): Promise<{ readonly socket: Socket; readonly closed: Promise<unknown> }> => {
  const socket = connect({ port: port(), host: '127.0.0.1' });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  return { socket, closed };
};

it('makes only as much as the client reads, and cuts off one that does not read', async () => {
  const { socket, closed } = await stall('/hasty');
  await over;
  expect(sent).toBeLessThan(pieces);
  // What is already on its way must be read before the end is seen.
  socket.resume();
  await closed;
});

it('cuts off a client that does not read the end, and none that has read it', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const readWhole = () =>
    new Promise<Socket>((resolve) => {
      get({ port: port(), host: '127.0.0.1', path: '/whole', agent }, (res) => {
        const { socket } = res;
        res.resume().once('end', () => resolve(socket));
      });
    });
  const reader = await readWhole();
  const cut = new Promise((resolve) => {
    server.once('connection', (socket) => socket.once('close', resolve));
  });
  const { socket } = await stall('/whole');
  await cut;
  expect(await readWhole()).toBe(reader);
  agent.destroy();
  socket.destroy();
});
