import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendPieces, type Pace } from './send-pieces.ts';

const piece = Buffer.alloc(256 * 1_024, 'x');
const pieces = 200;
const pace: Pace = { groupBytes: 1_048_576, groupMs: 60_000 };
/** For a reader who is to be cut off. */
const hasty: Pace = { ...pace, groupMs: 200 };

let server: Server;
let sent = 0;
let over: Promise<void> | undefined;
beforeAll(async () => {
  server = createServer((req, res) => {
    sent = 0;
    res.setHeader('Content-Length', pieces * piece.length);
    over = sendPieces(
      res,
      (function* () {
        for (; sent < pieces; sent += 1) yield piece;
      })(),
      req.url === '/hasty' ? hasty : pace,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

it('sends all of it to one who reads', async () => {
  const body = await (await fetch(`http://127.0.0.1:${port()}/`)).arrayBuffer();
  expect(body.byteLength).toBe(pieces * piece.length);
  expect(sent).toBe(pieces);
});

it('makes no more than the reader takes, and cuts off one who does not read', async () => {
  const socket = connect({ port: port(), host: '127.0.0.1' });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write('GET /hasty HTTP/1.1\r\nHost: a\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  await over;
  expect(sent).toBeLessThan(pieces);
  // What is on its way already must be read for the end to be seen.
  socket.resume();
  await closed;
});
