import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { forbiddenUrls } from '@bot-directory/testing/forbidden-urls';
import { startNames } from '@bot-directory/testing/name-server';
import { startReceiver, type Received } from '@bot-directory/testing/receiver';
import { startService, type Service } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

let service: Service;
let strict: Service;
const resolved: string[] = [];
const names: Record<string, string[]> = {
  'private.hooks.example.com': ['10.0.0.1'],
  'mixed.hooks.example.com': ['127.0.0.1', '192.168.1.1'],
  'good.hooks.example.com': ['127.0.0.1'],
  'metadata.hooks.example.com': ['169.254.169.254'],
  'six.hooks.example.com': ['::1'],
  'mapped.hooks.example.com': ['::ffff:10.0.0.1'],
  'nat64.hooks.example.com': ['64:ff9b::a00:1'],
  'empty.hooks.example.com': [],
};
useStarted(() =>
  startNames((name) => {
    resolved.push(name);
    return names[name] ?? 'NXDOMAIN';
  }),
);
const receiver = useStarted(startReceiver);
beforeAll(async () => {
  service = await startService({
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_TIMEOUT: '700ms' },
    world: { ca: receiver.ca },
  });
  strict = await startService();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.respond(204);
});
afterAll(async () => {
  await Promise.all([service.stop(), strict.stop()]);
});

const refusal = async (url: unknown, from = service): Promise<Problem> => {
  const answer = await from.post<Problem>('/api/webhooks/bots', { url });
  expect(answer.status, JSON.stringify([url, answer.body])).toBe(400);
  // A refusal must not reveal what is behind the URL.
  expect(JSON.stringify(answer.body)).not.toMatch(/10\.0\.0\.1|192\.168|ECONN|secret/);
  return answer.body;
};

describe('registering a webhook', () => {
  // One of each kind: `webhook-url.test.ts` has them all.
  it.each(forbiddenUrls)('refuses $kind, without looking up or connecting to anything', async ({ urls: [url] }) => {
    resolved.length = 0;
    const problem = await refusal(url, strict);
    expect(problem.code).toBe('invalid_request');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/url']);
    expect(resolved).toEqual([]);
  });

  it.each([[undefined], [null], [7], [['https://hooks.example.com/']], ['']])('refuses %j', async (url) => {
    expect((await refusal(url)).code).toBe('invalid_request');
  });

  it.each(['private', 'mixed', 'metadata', 'six', 'mapped', 'nat64'])(
    'refuses a name whose addresses are %s, without a connection',
    async (name) => {
      const connections = receiver.connections;
      expect(await refusal(`https://${name}.hooks.example.com:${receiver.port}/`)).toMatchObject({
        code: 'webhook_ping_failed',
        reason: 'forbidden_address',
      });
      expect(receiver.connections).toBe(connections);
    },
  );

  it.each(['unknown', 'empty'])('gives the reason dns for a name that is %s', async (name) => {
    expect(await refusal(`https://${name}.hooks.example.com/`)).toMatchObject({
      code: 'webhook_ping_failed',
      reason: 'dns',
    });
  });

  it('gives the reason connect if nothing listens', async () => {
    expect(await refusal('https://127.0.0.1:1025/')).toMatchObject({
      reason: 'connect',
      detail: 'It accepted no connection, or closed it without a response. Nothing was saved.',
    });
  });

  it('gives the reason tls for a certificate of another name, and for a self-signed one', async () => {
    const other = await startService({ settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    expect(await refusal(receiver.url('/'), other)).toMatchObject({ reason: 'tls' });
    await other.stop();
  });

  it('gives the reason tls for a server that does not speak TLS', async () => {
    const plain = createTcpServer(
      (socket) => void socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n'),
    ).listen(0, '127.0.0.1');
    await new Promise((resolve) => plain.once('listening', resolve));
    expect(await refusal(`https://127.0.0.1:${(plain.address() as AddressInfo).port}/`)).toMatchObject({
      reason: 'tls',
    });
    plain.close();
  });

  it.each([
    ['never answers', () => undefined],
    [
      'drips the head of its response',
      (_received: Received, res: ServerResponse) => {
        const timer = setInterval(() => res.socket?.write('HTTP/1.1 200 OK\r\n'.charAt(at++) || 'X-Drip: 1\r\n'), 20);
        let at = 0;
        res.on('close', () => clearInterval(timer));
      },
    ],
  ])('gives the reason timeout for a server that %s', async (_what, respond) => {
    receiver.respond(respond);
    expect(await refusal(receiver.url('/hangs'))).toMatchObject({ reason: 'timeout' });
  });

  it('gives the reason response for a server that does not speak HTTP', async () => {
    receiver.respond((_received, res) => void res.socket?.end('220 ready for mail\r\n'));
    expect(await refusal(receiver.url('/mail'))).toMatchObject({ reason: 'response' });
  });

  it('gives the reason status for a 404 whose body never ends', async () => {
    receiver.respond((_received, res) => void res.writeHead(404).write('x'));
    expect(await refusal(receiver.url('/endless'))).toMatchObject({ reason: 'status' });
  });

  it.each([301, 302, 307, 308, 400, 404, 500, 503])(
    'gives the reason status for a %i, and saves nothing',
    async (status) => {
      receiver.respond((_received, res) =>
        res.writeHead(status, { Location: receiver.url('/elsewhere') }).end('secret'),
      );
      const problem = await refusal(receiver.url('/status'));
      expect(problem).toMatchObject({ code: 'webhook_ping_failed', reason: 'status' });
      expect(problem.detail).toContain(`responded with ${status < 400 ? 'the redirect ' : ''}${status}`);
      expect(problem.detail).not.toContain('127.0.0.1');
      expect(receiver.received.map(({ path }) => path)).toEqual(['/status']);
      expect(
        (await service.api('DELETE', '/api/webhooks/bots', { body: { url: receiver.url('/status') } })).status,
      ).toBe(404);
    },
  );

  it('accepts a name whose every address is allowed', async () => {
    expect(
      (await service.post('/api/webhooks/bots', { url: `https://good.hooks.example.com:${receiver.port}/` })).status,
    ).toBe(200);
  });
});
