import { createServer, type TlsOptions, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createIds } from '../base/ids.ts';
import { parseNetwork } from '../domain/ip-address.ts';
import { parseSigningKey, signingKeyText } from '../domain/signature.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';
import { testCertificate } from '@bot-directory/testing/certificate';
import { createSender, type Outcome } from './send-webhook.ts';

const unwrap = <T>(parsed: { ok: true; value: T } | { ok: false; why: string }): T => {
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const allowedNetworks = [unwrap(parseNetwork('127.0.0.0/8'))];
const key = unwrap(parseSigningKey(signingKeyText(Buffer.alloc(32, 1))));
const ids = createIds(Date.now);
const delivered = { kind: 'delivered', status: 200 };

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

type Options = { timeoutMs?: number; type?: 'bot.created' | 'ping'; tls?: TlsOptions; host?: string; path?: string };

/** A server that writes what `respond` says, as it is, and a sender to it. */
const open = async (
  respond: (socket: TLSSocket, request: { nth: number; text: string }) => void,
  { timeoutMs = 2_000, type = 'bot.created', tls = {}, host = 'odd.hooks.example.com', path = '/' }: Options = {},
) => {
  const { key: privateKey, cert, ca } = await testCertificate();
  const sockets = new Set<TLSSocket>();
  const seen = { connections: 0, requests: 0 };
  const server = createServer({ key: privateKey, cert, ...tls }, (socket) => {
    sockets.add(socket);
    seen.connections += 1;
    let nth = 0;
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      if (!text.startsWith('POST ')) return;
      seen.requests += 1;
      respond(socket, { nth: (nth += 1), text });
    });
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sender = createSender(
    { clock: Date.now, signingKeys: () => Promise.resolve([key]) },
    {
      timeoutMs,
      allowedNetworks,
      ca,
      pingsPerOrigin: 1,
      onConnect: () => undefined,
      resolve: () => Promise.resolve(['127.0.0.1']),
    },
  );
  stop = async () => {
    await sender.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const { url } = unwrap(parseWebhookUrl(`https://${host}:${port}${path}`, allowedNetworks));
  const send = (): Promise<Outcome> =>
    sender.send({ url, id: ids.delivery(), eventId: ids.event(), type, body: Buffer.from('{}') });
  return { send, seen, sockets, close: () => sender.close() };
};

const writing = (text: string) => (socket: TLSSocket) => void socket.write(text, 'latin1');
const end = 'Content-Length: 0\r\n\r\n';

describe('a response that curl takes is a delivery:', () => {
  it.each([
    ['a control character in a cookie', `HTTP/1.1 200 OK\r\nSet-Cookie: a=\x01b\r\n${end}`],
    ['two equal lengths', `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${end}`],
    ['a length twice in a line', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
    ['folded headers', `HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\n\tthree\r\n${end}`],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['20 KB of headers', `HTTP/1.1 200 OK\r\n${`X-Policy: ${'p'.repeat(1_000)}\r\n`.repeat(20)}${end}`],
    ['a header of 20 KB', `HTTP/1.1 200 OK\r\nX-Policy: ${'p'.repeat(20_000)}\r\n${end}`],
    ['no reason phrase', `HTTP/1.1 200\r\n${end}`],
    ['a line without a colon', `HTTP/1.1 200 OK\r\nnothing\r\n${end}`],
    ['100 Continue', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${end}`],
    ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${end}`],
    ['a length and chunks', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`],
    ['chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n'],
    ['a header without a name', `HTTP/1.1 200 OK\r\n: value\r\n${end}`],
  ])('%s', async (_what, text) => {
    const { send } = await open(writing(text));
    expect(await send()).toEqual(delivered);
  });
});

it.each(['SSH-2.0-OpenSSH_9.6\r\n', '<html>\n', '220', 'HTTP/2 200\r\n\r\n', 'HTTP/1.1 20\r\n\r\n', '\0\0\0'])(
  'What is not HTTP/1.1 is a failure that says so: %j',
  async (text) => {
    const { send } = await open((socket) => void socket.end(text));
    expect(await send()).toEqual({ kind: 'failed', failure: 'response', isOurs: false });
  },
);

describe('a body that never ends', () => {
  it.each([
    ['of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n'],
    ['until the connection closes', 'HTTP/1.1 200 OK\r\n\r\nabc'],
  ])('does not undo its 2xx, and neither the next event nor its connection wait for it: %s', async (_how, text) => {
    const { send, sockets, seen } = await open(writing(text), { timeoutMs: 3_600_000 });
    for (let i = 0; i < 3; i += 1) expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 3, requests: 3 });
    await expect.poll(() => sockets.size).toBe(0);
  });
});

describe('a client certificate that the server requires', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is a failure of TLS (%s)', async (version) => {
    const { send } = await open(writing(`HTTP/1.1 200 OK\r\n${end}`), {
      tls: { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version },
    });
    expect(await send()).toEqual({ kind: 'failed', failure: 'tls', isOurs: false });
  });
});

it('sends an Accept header for any response', async () => {
  let request = '';
  const { send } = await open((socket, { text }) => {
    request = text;
    socket.write(`HTTP/1.1 200 OK\r\n${end}`);
  });
  await send();
  expect(request).toMatch(/^accept: \*\/\*\r$/m);
});

describe('a kept connection', () => {
  const ok = `HTTP/1.1 200 OK\r\n${end}`;
  const failed = { kind: 'failed', failure: 'connect', isOurs: false };

  it('carries one delivery after the other', async () => {
    const { send, seen } = await open(writing(ok));
    for (let i = 0; i < 3; i += 1) expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 1, requests: 3 });
  });

  it.each([
    ['ends', (socket: TLSSocket) => void socket.end()],
    ['breaks off', (socket: TLSSocket) => void socket.destroy()],
  ])('that %s as the next delivery comes costs it nothing', async (_how, leave) => {
    const { send, seen } = await open((socket, { nth }) => (nth === 1 ? void socket.write(ok) : leave(socket)));
    for (let i = 0; i < 5; i += 1) expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 5, requests: 9 });
  });

  const timedOut = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n';

  it.each([
    ['with a length', (socket: TLSSocket) => void socket.write(`${timedOut}${end}`)],
    ['with a body that ends with it', (socket: TLSSocket) => void socket.end(`${timedOut}\r\nslow`)],
    ['of HTTP/1.0', (socket: TLSSocket) => void socket.end(`HTTP/1.0 408 Request Time-out\r\n${end}`)],
  ])('that a 408 ends, %s, as the next delivery comes costs it nothing', async (_how, leave) => {
    const { send, seen } = await open((socket, { nth }) => (nth === 1 ? void socket.write(ok) : leave(socket)));
    for (let i = 0; i < 5; i += 1) expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 5, requests: 9 });
  });

  it('that a 408 ends before the next delivery comes costs it nothing', async () => {
    const { send, seen, sockets } = await open(writing(ok));
    expect(await send()).toEqual(delivered);
    for (const socket of sockets) socket.end(`${timedOut}${end}`);
    await expect.poll(() => sockets.size).toBe(0);
    expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 2, requests: 2 });
  });

  it.each([
    ['a new connection', `${timedOut}${end}`, 0],
    ['a kept one that stays open', `HTTP/1.1 408 Request Timeout\r\n${end}`, 1],
  ])('is not what a 408 on %s ends: that is a failure', async (_which, text, oks) => {
    let requests = 0;
    const { send, seen } = await open((socket) => void socket.write((requests += 1) <= oks ? ok : text));
    for (let i = 0; i < oks; i += 1) expect(await send()).toEqual(delivered);
    expect(await send()).toMatchObject({ kind: 'failed', failure: 'status', status: 408 });
    expect(seen).toEqual({ connections: 1, requests: oks + 1 });
  });

  it.each([
    ['205 Reset Content', 'Content-Length: 2\r\n'],
    ['204 No Content', 'Content-Length: 2\r\n'],
    ['204 No Content', 'Transfer-Encoding: chunked\r\n'],
  ])('is not one that carried a %s with %j', async (status, header) => {
    const { send, seen } = await open(writing(`HTTP/1.1 ${status}\r\n${header}\r\n`));
    for (let i = 0; i < 3; i += 1) expect(await send()).toMatchObject({ kind: 'delivered' });
    expect(seen).toEqual({ connections: 3, requests: 3 });
  });

  /** Whatever follows a response comes with the next request, as it does in a backlog. */
  const late = (surplus: string) => (socket: TLSSocket, nth: number) =>
    void socket.write(`${nth === 1 ? '' : surplus}HTTP/1.1 204 No Content\r\n\r\n`);

  it.each([
    ['a JSON body of a 204', late('{}')],
    ['an empty line too many', late('\r\n')],
    ['a chunk', late('0\r\n\r\n')],
    ['a page about a body that was not read', late('<!DOCTYPE HTML>')],
  ])(
    'that has more than a response costs one delivery a repetition, and the others nothing: %s',
    async (_what, respond) => {
      const { send, seen } = await open((socket, { nth }) => respond(socket, nth));
      for (let i = 0; i < 10; i += 1) expect(await send()).toMatchObject({ kind: 'delivered' });
      expect(seen).toEqual({ connections: 10, requests: 11 });
    },
  );

  it('whose server takes the body for a request fails once, and is the last one that is kept', async () => {
    const refusal = `HTTP/1.1 400 Bad Request\r\nConnection: close\r\n${end}`;
    const { send, seen } = await open((socket, { nth }) => void socket.write(nth === 1 ? ok : refusal));
    const outcomes: Outcome['kind'][] = [];
    for (let i = 0; i < 10; i += 1) outcomes.push((await send()).kind);
    expect(outcomes.filter((kind) => kind === 'failed')).toHaveLength(1);
    expect(seen).toEqual({ connections: 9, requests: 10 });
  });

  it('whose server refuses an event, and keeps it, is not the last one that is kept', async () => {
    let requests = 0;
    const { send, seen } = await open(
      (socket) => void socket.write((requests += 1) === 2 ? `HTTP/1.1 400 Bad Request\r\n${end}` : ok),
    );
    for (let i = 0; i < 10; i += 1) await send();
    expect(seen).toEqual({ connections: 2, requests: 10 });
  });

  it.each([301, 404, 429, 503])('is not one that carried a %i', async (status) => {
    const { send, seen, sockets } = await open(writing(`HTTP/1.1 ${status} No\r\n${end}`));
    for (let i = 0; i < 3; i += 1) expect(await send()).toMatchObject({ kind: 'failed', status });
    expect(seen).toEqual({ connections: 3, requests: 3 });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('that ends makes a delivery come twice at most', async () => {
    let isLeaving = false;
    const { send, seen } = await open((socket) => (isLeaving ? void socket.end() : void socket.write(ok)));
    expect(await send()).toEqual(delivered);
    isLeaving = true;
    expect(await send()).toEqual(failed);
    expect(seen).toEqual({ connections: 2, requests: 3 });
    expect(await send()).toEqual(failed);
    expect(seen).toEqual({ connections: 3, requests: 4 });
  });

  it('that ends in the middle of a response does not have its delivery sent again', async () => {
    const { send, seen } = await open((socket, { nth }) => void (nth === 1 ? socket.write(ok) : socket.end('HTTP/1')));
    expect(await send()).toEqual(delivered);
    expect(await send()).toEqual(failed);
    expect(seen.requests).toBe(2);
  });

  it.each([
    ['ambiguous', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['followed by another', ok + ok],
    ['not to be followed', `HTTP/1.1 200 OK\r\nConnection: close\r\n${end}`],
    ['of HTTP/1.0', `HTTP/1.0 200 OK\r\n${end}`],
    ['longer than what is read', `HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`],
  ])('is not one whose response is %s', async (_how, text) => {
    const { send, seen } = await open(writing(text));
    for (let i = 0; i < 3; i += 1) expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 3, requests: 3 });
  });

  it.each([
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n'],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['HTTP/1.0, if the server keeps it', `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${end}`],
  ])('may be one with a response of %s', async (_how, text) => {
    const { send, seen } = await open(writing(text));
    for (let i = 0; i < 3; i += 1) expect(await send()).toMatchObject({ kind: 'delivered' });
    expect(seen).toEqual({ connections: 1, requests: 3 });
  });

  it('ends when its server sends what nobody requested', async () => {
    const { send, sockets } = await open(writing(ok));
    await send();
    for (const socket of sockets) socket.write(ok);
    await expect.poll(() => sockets.size).toBe(0);
    expect(await send()).toEqual(delivered);
  });

  it('ends before its server ends it', async () => {
    const { send, sockets } = await open(writing(`HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=100\r\n${end}`));
    await send();
    expect(sockets.size).toBe(1);
    await expect.poll(() => sockets.size, { timeout: 10_000 }).toBe(0);
  });

  it('does not remain after a ping', async () => {
    const { send, seen } = await open(writing(ok), { type: 'ping' });
    for (let i = 0; i < 3; i += 1) expect(await send()).toEqual(delivered);
    expect(seen).toEqual({ connections: 3, requests: 3 });
  });
});

describe.each(['X-RateLimit-Global: true', 'X-RateLimit-Scope: global'])('a 429 with %s', (header) => {
  const limited = writing(`HTTP/1.1 429 No\r\n${header}\r\nRetry-After: 3600\r\n${end}`);

  it('pauses a service that is known, for a minute at most, and is our fault', async () => {
    const { send } = await open(limited, { host: 'discord.com', path: '/api/webhooks/1/a' });
    expect(await send()).toEqual({
      kind: 'failed',
      failure: 'status',
      isOurs: true,
      status: 429,
      servicePauseMs: 60_000,
    });
  });

  it.each([
    ['another host', {}],
    ['another path of it', { host: 'discord.com', path: '/hooks' }],
  ])('is the fault of the endpoint on %s', async (_, where) => {
    const { send } = await open(limited, where);
    expect(await send()).toEqual({ kind: 'failed', failure: 'status', isOurs: false, status: 429, retryAfter: '3600' });
  });
});

it('sends no more pings to an origin at once than it may have, and the others afterwards', async () => {
  let running = 0;
  let most = 0;
  const { send } = await open(
    (socket) => {
      most = Math.max(most, (running += 1));
      setTimeout(() => {
        running -= 1;
        socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n${end}`);
      }, 20);
    },
    { type: 'ping', timeoutMs: 5_000 },
  );
  expect(await Promise.all(Array.from({ length: 5 }, send))).toEqual(Array(5).fill(delivered));
  expect(most).toBe(1);
});

it('cuts off what is under way when it closes, which is not the fault of the endpoint', async () => {
  const { send, seen, close } = await open(() => undefined);
  const outcome = send();
  await expect.poll(() => seen.requests).toBe(1);
  await close();
  expect(await outcome).toEqual({ kind: 'failed', failure: 'connect', isOurs: true });
  expect(await send()).toEqual({ kind: 'failed', failure: 'connect', isOurs: true });
});
