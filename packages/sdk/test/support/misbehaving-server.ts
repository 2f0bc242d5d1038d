/**
 * A real HTTP server that misbehaves on demand. The first segment of a base URL names a script: a list of what happens
 * to each request; the last entry applies to all further ones.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as body } from 'node:stream/consumers';

/** A request as it came. */
export interface Received {
  method: string;
  /** Path and query, without the script's segment. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  atMs: number;
}

/** What happens to a request. `untilRead`: until the client requests `/read` under the same base URL. */
export type Behaviour = (response: ServerResponse, request: Received, untilRead: () => Promise<unknown>) => void;

/** Answers with JSON. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  text(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

/** Answers with this very text. */
export const text =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Answers with a problem of this code. */
export const problem = (
  status: number,
  code: string,
  extra: { members?: object; headers?: Record<string, string> } = {},
): Behaviour => {
  const body = {
    type: `/problems/${code}`,
    title: code,
    status,
    detail: `on purpose`,
    request_id: 'req_1',
    code,
    ...extra.members,
  };
  return json(status, body, { 'content-type': 'application/problem+json', 'x-request-id': 'req_1', ...extra.headers });
};

/** Cuts the connection without a word. */
export const reset: Behaviour = (response) => response.socket?.resetAndDestroy();

/** Never answers. */
export const hang: Behaviour = () => {};

/** Answers, begins a body, and never ends it. */
export const hangBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('[');
};

/** Answers, begins a body, and cuts the connection. */
export const cutBody: Behaviour = (response) => {
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    .write('[', () => response.socket?.resetAndDestroy());
};

/**
 * Answers with an event stream of these chunks; then ends it, cuts it once they have been read, or leaves it open. A
 * runtime may drop what it holds when a connection breaks.
 */
export const stream =
  (chunks: string[], then: 'end' | 'cut' | 'open'): Behaviour =>
  (response, _request, untilRead) => {
    if (then === 'cut') void untilRead().then(() => response.socket?.resetAndDestroy());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunks.join(''), () => {
      if (then === 'end') response.end();
    });
  };

const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Date, Link, ETag, Last-Modified, X-Total-Count, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
};
const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': 'Content-Type, If-None-Match, Last-Event-ID, X-Request-Id',
};

/** Starts one on a free port. */
export const startMisbehavingServer = async (scripts: Record<string, Behaviour[]> = {}) => {
  const played = new Map(Object.entries(scripts));
  const requests = new Map<string, Received[]>();
  const readers = new EventEmitter();
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(204, preflight).end();
    const [, name = '', path = ''] = /^\/([^/]*)(.*)$/.exec(request.url ?? '') ?? [];
    if (path === '/read') {
      readers.emit(name);
      return void response.writeHead(204).end();
    }
    void body(request).then((text) => {
      const received = {
        method: request.method ?? '',
        path,
        headers: request.headers,
        body: text,
        atMs: performance.now(),
      };
      const earlier = requests.get(name) ?? [];
      requests.set(name, [...earlier, received]);
      const script = played.get(name.replace(/~.*/, '')) ?? [json(599, 'no such script')];
      (script[earlier.length] ?? script.at(-1) ?? hang)(response, received, () => once(readers, name));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** A base address under which this happens. */
    play: (...behaviours: Behaviour[]): string => {
      const name = `script-${played.size}`;
      played.set(name, behaviours);
      return `${origin}/${name}`;
    },
    /** What came in under a base address. */
    received: (baseUrl: string): Received[] => requests.get(new URL(baseUrl).pathname.slice(1)) ?? [],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
