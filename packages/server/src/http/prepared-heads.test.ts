import { createHeadWriter, headerLine, headOf, nodeSendsHead } from './node-internals.ts';
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';

const keepAliveTimeout = 7_500;
const pageHeaders = [
  'Content-Type',
  'text/plain',
  'Content-Length',
  '5',
  'Vary',
  'Accept',
  'Link',
  '<https://a/?b: c>',
];
const unchangedHeaders = ['Vary', 'Accept'];
const page = headOf(200, pageHeaders);
const unchanged = headOf(304, unchangedHeaders);
const writeHead = createHeadWriter(keepAliveTimeout);

let passedToNode = 0;
class Watched<Asked extends IncomingMessage> extends ServerResponse<Asked> {
  override writeHead(...given: unknown[]): this {
    passedToNode += 1;
    return super.writeHead(...(given as [number, string[]]));
  }
}

/** Responds to any GET or HEAD, and with a 304 under `/same`. `begin` writes the head. */
const listen = async (begin: typeof writeHead): Promise<Server> => {
  const server = createServer({ keepAliveTimeout, ServerResponse: Watched }, (req, res) => {
    const isSame = req.url === '/same';
    begin(res, isSame ? unchanged : page, headerLine('X-Request-Id', 'req_1'));
    res.end(isSame || req.method === 'HEAD' ? undefined : Buffer.from('hello'));
  });
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

let plain: Server;
let own: Server;
beforeAll(async () => {
  plain = await listen((res, { status }) => {
    res.writeHead(status, [...(status === 200 ? pageHeaders : unchangedHeaders), 'X-Request-Id', 'req_1']);
  });
  own = await listen(writeHead);
});
afterAll(() => {
  for (const server of [plain, own]) server.close();
});

/** What a server sends until it closes, without the time. */
const sentBy = async (server: Server, requests: readonly string[]): Promise<string> => {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(requests.map((lines) => `${lines}\r\nHost: a\r\n\r\n`).join(''));
  return (await text(socket)).replaceAll(/^Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/gm, 'Date: now');
};

const whole = 'GET / HTTP/1.1';
const head = 'HEAD / HTTP/1.1';
const same = 'GET /same HTTP/1.1';
const last = 'GET / HTTP/1.1\r\nConnection: close';

it('sends, byte for byte, what Node sends for the same headers', async () => {
  for (const requests of [[whole], [head], [same], [whole, same, head, whole]]) {
    const sent = await sentBy(own, [...requests, last]);
    expect(sent).toBe(await sentBy(plain, [...requests, last]));
    expect(sent.match(/^Keep-Alive: timeout=7\r$/gm)).toHaveLength(requests.length);
    expect(sent.match(/^Date: now\r$/gm)).toHaveLength(requests.length + 1);
  }
});

it('gives Node the headers only where the connection ends, or a body is still to come', async () => {
  const countPassed = async (requests: readonly string[]): Promise<number> => {
    const byNode = await sentBy(plain, requests);
    passedToNode = 0;
    expect(await sentBy(own, requests)).toBe(byNode);
    return passedToNode;
  };
  expect(nodeSendsHead).toBe(true);
  expect(await countPassed([whole, head, same, last])).toBe(1);
  expect(await countPassed(['GET / HTTP/1.0'])).toBe(1);
  expect(await countPassed(['GET / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3'])).toBe(1);
});

it('refuses what would end a header', () => {
  expect(() => headOf(200, ['Link', '</a>\r\nX-Injected: 1'])).toThrow('Invalid character');
  expect(() => headOf(200, ['Link: </a>\r\nX-Injected', '1'])).toThrow('must be a valid HTTP token');
});
