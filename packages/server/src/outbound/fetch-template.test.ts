import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { TemplateId } from '../domain/links.ts';
import { createFetchTemplate } from './fetch-template.ts';

const id = 'weekly' as TemplateId;
const page = JSON.stringify({ name: 'Weekly Report' });
const answer = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${page.length}\r\n\r\n${page}`;

let stop: (() => void) | undefined;
afterEach(() => stop?.());

/** A provider that does `onRequest` for the so-manieth request of a connection. Gives its origin. */
const providerThat = async (onRequest: (socket: Socket, nth: number) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let requests = 0;
    socket.on('error', () => undefined).on('data', () => onRequest(socket, (requests += 1)));
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
    const fetchTemplate = createFetchTemplate(origin);
    for (let time = 0; time < 5; time += 1)
      expect(await fetchTemplate(id)).toMatchObject({ outcome: 'found', page: { name: 'Weekly Report' } });
  });

  it('twice at the most', async () => {
    let requests = 0;
    const origin = await providerThat((socket) => {
      requests += 1;
      socket.resetAndDestroy();
    });
    expect(await createFetchTemplate(origin)(id)).toMatchObject({ outcome: 'unavailable' });
    expect(requests).toBe(2);
  });
});
