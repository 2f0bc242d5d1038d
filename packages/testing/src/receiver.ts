/** A subscriber: a real HTTPS server on loopback that records what it is sent and answers as the test says. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { testCertificate } from './certificate.ts';

/** A request as it came. */
export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly atMs: number;
};

/** Answers one request; the default is an empty 204. */
export type Respond = (received: Received, res: ServerResponse) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts one, on one address of this machine or on all. It trusts nobody; its clients trust `certificate.ca`. */
export const startReceiver = async ({ host = '127.0.0.1' } = {}) => {
  const certificate = await testCertificate();
  const received: Received[] = [];
  let respond: Respond = (_received, res) => res.writeHead(204).end();
  let connections = 0;
  let resumed = 0;
  const server = createServer(
    { key: certificate.key, cert: certificate.cert, keepAliveTimeout: 60_000 },
    (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const one = { path: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks), atMs: performance.now() };
        received.push(one);
        respond(one, res);
      });
      req.on('error', () => undefined);
    },
  );
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.isSessionReused()) resumed += 1;
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host, backlog: 4_096 }, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    ca: certificate.ca,
    /** The URL of a path on it. */
    url: (path = '/'): string => `https://127.0.0.1:${port}${path}`,
    received,
    /** Envelopes of one type that came to a path, in order. */
    events: (path = '/', type = 'bot.created'): { id: string; type: string; data: { slug?: string } }[] =>
      received
        .filter((one) => one.path === path && one.headers['x-service-event'] === type)
        .map(({ body }) => JSON.parse(body.toString()) as never),
    get connections(): number {
      return connections;
    },
    /** How many of the connections resumed a TLS session of an earlier one. */
    get resumed(): number {
      return resumed;
    },
    /** Makes it forget its TLS session tickets. */
    forgetSessions: (): void => server.setTicketKeys(randomBytes(48)),
    /** Changes how it answers. */
    respond: (how: Respond | number): void => {
      respond = typeof how === 'number' ? (_received, res) => res.writeHead(how).end() : how;
    },
    stop: async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      // Also those whose handshake has not ended, which the server knows nothing of.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
