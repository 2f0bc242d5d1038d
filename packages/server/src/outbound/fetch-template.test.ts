import { lookup } from 'node:dns/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { startNames } from '@bot-directory/testing/name-server';
import { until } from '@bot-directory/testing/until';
import { afterEach, describe, expect, it } from 'vitest';
import type { TemplateId } from '../domain/links.ts';
import { createFetchTemplate } from './fetch-template.ts';
import { createResolve } from './resolve.ts';

const id = 'weekly' as TemplateId;
const page = JSON.stringify({ name: 'Weekly Report' });
const answer = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${page.length}\r\n\r\n${page}`;

let stop: (() => void) | undefined;
afterEach(() => stop?.());

/** Starts a provider that calls `onRequest` with the number of a request on its connection. Returns its origin. */
const providerThat = async (onRequest: (socket: Socket, nth: number, request: string) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let requests = 0;
    socket.on('error', () => undefined).on('data', (request) => onRequest(socket, (requests += 1), request.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('a template is fetched', () => {
  it.each([
    ['closed', (socket: Socket) => void socket.end()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])('although the connection that was kept open is %s as the request comes', async (_how, leave) => {
    const origin = await providerThat((socket, nth) => (nth === 1 ? void socket.write(answer) : leave(socket)));
    const fetchTemplate = createFetchTemplate(origin, createResolve());
    for (let time = 0; time < 5; time += 1)
      expect(await fetchTemplate(id)).toMatchObject({ outcome: 'found', page: { name: 'Weekly Report' } });
  });

  it('only if it has changed, once its validators are known', async () => {
    const tagged = answer.replace(
      '\r\n\r\n',
      '\r\nETag: W/"a-1"\r\nLast-Modified: Sat, 21 Nov 2026 05:56:35 GMT\r\n\r\n',
    );
    const asked: string[] = [];
    const origin = await providerThat((socket, _nth, request) => {
      asked.push(request);
      socket.write(asked.length === 1 ? tagged : 'HTTP/1.1 304 Not Modified\r\n\r\n');
    });
    const fetchTemplate = createFetchTemplate(origin, createResolve());
    const found = await fetchTemplate(id);
    const validators = { etag: 'W/"a-1"', lastModified: 'Sat, 21 Nov 2026 05:56:35 GMT' };
    expect(found).toEqual({ outcome: 'found', page: expect.anything() as unknown, validators });
    expect(await fetchTemplate(id, validators)).toEqual({ outcome: 'unchanged' });
    expect(asked[1]).toContain('if-none-match: W/"a-1"\r\nif-modified-since: Sat, 21 Nov 2026 05:56:35 GMT\r\n');
    // Nobody asked whether it has changed.
    expect(await fetchTemplate(id)).toMatchObject({ outcome: 'unavailable', isProviderDown: false });
  });

  it.each([
    ['429 Too Many Requests', 'Retry-After: 7', { isProviderDown: true, retryAfterMs: 7_000 }],
    ['503 Service Unavailable', 'X: y', { isProviderDown: true }],
    ['403 Forbidden', 'Retry-After: 7', { isProviderDown: false }],
  ])('and a %s says whether others would be, with %s', async (status, header, expected) => {
    const origin = await providerThat(
      (socket) => void socket.write(`HTTP/1.1 ${status}\r\n${header}\r\nContent-Length: 0\r\n\r\n`),
    );
    const why = `status ${status.slice(0, 3)}`;
    expect(await createFetchTemplate(origin, createResolve())(id)).toEqual({
      outcome: 'unavailable',
      why,
      ...expected,
    });
  });

  const title = '<title>Café</title>';
  it.each([
    ['text/html; charset=iso-8859-1', Buffer.from(title, 'latin1')],
    ['text/html;x=y; Charset="UTF-16LE"', Buffer.from(title, 'utf16le')],
    ['text/html; charset=utf-8', Buffer.from(title)],
    ['text/html; charset=', Buffer.from(title)],
    ['text/html', Buffer.from(title)],
    // JSON is UTF-8, whatever is said of it.
    ['application/json; charset=iso-8859-1', Buffer.from('{"name":"Café"}')],
  ])('and decoded, as %s', async (type, body) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const origin = await providerThat((socket) => void socket.write(Buffer.concat([Buffer.from(head), body])));
    expect(await createFetchTemplate(origin, createResolve())(id)).toMatchObject({ page: { name: 'Café' } });
  });

  it('and is unreadable in a charset that nobody knows', async () => {
    const unknown = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x-none\r\nContent-Length: 18\r\n\r\n`;
    const origin = await providerThat((socket) => void socket.write(`${unknown}<title>Bot</title>`));
    expect(await createFetchTemplate(origin, createResolve())(id)).toEqual({
      outcome: 'unavailable',
      why: 'an unknown charset',
      isProviderDown: false,
    });
  });

  it('whose name servers are silent, with one look-up for all, and no thread of the system’s resolver', async () => {
    let queries = 0;
    const silent = await startNames(() => {
      queries += 1;
      return 'silence';
    });
    const fetchTemplate = createFetchTemplate('https://templates.example.com', createResolve());
    const outcomes = Array.from({ length: 50 }, () => fetchTemplate(id));
    await until('the server is asked', () => queries >= 2);
    // The system's resolver is free for others, such as the client of Redis.
    expect((await lookup('localhost')).address).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(queries).toBe(2);
    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toMatchObject({ outcome: 'unavailable', isProviderDown: true });
    await silent.stop();
  }, 30_000);

  it('whose name only the system knows', async () => {
    const origin = await providerThat((socket) => void socket.write(answer));
    const notFound = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    const fetchTemplate = createFetchTemplate(origin.replace('127.0.0.1', 'localhost'), () => Promise.reject(notFound));
    expect(await fetchTemplate(id)).toMatchObject({ outcome: 'found' });
  });

  it('twice at the most', async () => {
    let requests = 0;
    const origin = await providerThat((socket) => {
      requests += 1;
      socket.resetAndDestroy();
    });
    expect(await createFetchTemplate(origin, createResolve())(id)).toMatchObject({ outcome: 'unavailable' });
    expect(requests).toBe(2);
  });
});
