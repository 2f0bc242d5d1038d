/**
 * What both proxies do, each a real one with the shipped files: the world gets TLS, by IPv4 and IPv6, a reload leaves
 * no process behind, and nothing that serves is root. That upgrades lose no request is in `ways.full.test.ts`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '@bot-directory/testing/certificate';
import { needs, permitted } from '@bot-directory/testing/needs';
import { until } from '@bot-directory/testing/until';
import { block } from './support/manual.ts';
import { startHaproxy, startNginx } from './support/proxies.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const isRoot = process.getuid?.() === 0;

const proxies = [
  { name: 'haproxy', start: startHaproxy, reload: 'USR2', root: '/var/lib/haproxy' },
  { name: 'nginx', start: startNginx, reload: 'HUP', root: '/' },
] as const;

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

type Asking = { readonly ca: string; readonly port: number; readonly address: string; readonly protocol: string };

/** Returns the protocol that was agreed on, and what the server responds to it. */
const byTls = async ({ ca, port, address, protocol }: Asking): Promise<readonly [string, string]> => {
  const socket = connect({ ca, port, host: address, ALPNProtocols: [protocol] });
  try {
    await once(socket, 'secureConnect');
    if (protocol !== 'h2') {
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      return [String(socket.alpnProtocol), (await text(socket)).split('\r\n\r\n')[1] ?? ''];
    }
    const session = connectHttp2('https://localhost', { createConnection: () => socket });
    return [String(socket.alpnProtocol), await text(session.request({ ':path': '/' }))];
  } finally {
    socket.destroy();
  }
};

/** Starts a proxy before a server that responds with the `X-Forwarded-For` that it received, or with a stream. */
const startEcho = async (start: typeof startHaproxy, edit?: (text: string) => string) => {
  const proxy = await start(edit === undefined ? {} : { edit });
  const server = createServer((request, response) => {
    if (request.url === '/api/events/stream')
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    else {
      response.statusCode = request.url?.startsWith('/refused') ? 429 : 200;
      // Unlike writeHead, this names the length of the body, so that it does not come in chunks.
      response.end(request.headers['x-forwarded-for']);
    }
  });
  await once(server.listen(proxy.ports[0], '127.0.0.1'), 'listening');
  await until('the proxy reaches the server', () => isReady(proxy.front));
  const ask = (host: string, path = '/'): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get({ host, port: proxy.front, path, agent: false }, resolve).on('error', reject);
    });
  return {
    proxy,
    ask,
    stop: async () => {
      await proxy.stop();
      server.close();
      server.closeAllConnections();
    },
  };
};

for (const { name, start, reload, root } of proxies)
  describe(name, needs(name), () => {
    it('logs the addresses of writes and of what is refused, and no query', async () => {
      const { proxy, stop } = await startEcho(start);
      const webhooks = '/api/webhooks/bots';
      try {
        for (const [method, path] of [
          ['GET', `${webhooks}/status`],
          ['GET', '/refused'],
          ['POST', '/api/feed'],
          ['DELETE', webhooks],
        ] as const)
          await fetch(`http://127.0.0.1:${proxy.front}${path}?url=secret`, { method });
        await until('the last is logged', () => proxy.log().includes('DELETE'));
        expect(proxy.log().match(/\S+ \d{3} [A-Z]+ \/.*$/gm)).toEqual([
          '127.0.0.1 429 GET /refused',
          '127.0.0.1 200 POST /api/feed',
          `127.0.0.1 200 DELETE ${webhooks}`,
        ]);
      } finally {
        await stop();
      }
    });

    it('gives the world HTTP/2 and HTTP/1.1 by TLS, and nothing in plain text', async () => {
      const { proxy, stop } = await startEcho(start);
      const { world, certificate, front } = proxy;
      const certbot = createServer((_request, response) => response.end('proof'));
      await once(certbot.listen(world.certbot, '127.0.0.1'), 'listening');
      const plain = (path: string) =>
        fetch(`http://127.0.0.1:${world.plain}${path}`, { redirect: 'manual', headers: { Connection: 'close' } });
      try {
        for (const address of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])
          for (const protocol of ['h2', 'http/1.1'])
            expect(await byTls({ ...certificate, port: world.tls, address, protocol })).toEqual([protocol, address]);
        const redirect = await plain('/bots?page=2');
        expect([redirect.status, redirect.headers.get('location')]).toEqual([
          308,
          expect.stringMatching(/^https:\/\/127\.0\.0\.1(:\d+)?\/bots\?page=2$/),
        ]);
        expect(await (await plain('/.well-known/acme-challenge/token')).text()).toBe('proof');
        // Another address of this machine.
        await expect(fetch(`http://127.0.0.2:${front}/`)).rejects.toThrow();
      } finally {
        await stop();
        certbot.close();
      }
    });

    it('takes a renewed certificate, as certbot leaves it', async () => {
      const { proxy, stop } = await startEcho(start);
      const { world, certificate, pid } = proxy;
      const folder = mkdtempSync(join(tmpdir(), 'renewed-'));
      try {
        const renewed = await makeCertificate();
        writeFileSync(join(folder, 'fullchain.pem'), `${renewed.cert}\n`);
        writeFileSync(join(folder, 'privkey.pem'), renewed.key);
        const [, hook = ''] = /--deploy-hook '([^']*)'/.exec(block('certbot certonly')) ?? [];
        const here = hook
          .replace('/etc/ssl/private/bot-directory.pem', certificate.file)
          .replace('systemctl reload haproxy', `kill -${reload} ${pid}`);
        const env = { ...process.env, RENEWED_LINEAGE: folder };
        expect(spawnSync('sh', ['-euc', here], { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
        const ask = () => byTls({ ca: renewed.ca, port: world.tls, address: '127.0.0.1', protocol: 'http/1.1' });
        await until('it has the new one', () =>
          ask().then(
            () => true,
            () => false,
          ),
        );
      } finally {
        await stop();
        rmSync(folder, { recursive: true });
      }
    });

    it('ends the processes of before a reload, whatever streams they have', async () => {
      const shorter = (configuration: string) =>
        configuration.replace(/(hard-stop-after|shutdown_timeout) 60s/, '$1 1s');
      const { proxy, ask, stop } = await startEcho(start, shorter);
      try {
        const before = proxy.workers();
        const stream = await ask('127.0.0.1', '/api/events/stream');
        const ended = new Promise((resolve) => {
          stream
            .on('close', resolve)
            .on('error', () => undefined)
            .resume();
        });
        proxy.reload();
        await ended;
        await until('they have ended', () => !proxy.workers().some((pid) => before.includes(pid)));
        expect(await isReady(proxy.front)).toBe(true);
      } finally {
        await stop();
      }
    });

    it('does not serve as root', permitted('root', isRoot), async () => {
      const { proxy, stop } = await startEcho(start);
      try {
        const workers = proxy.workers();
        expect(workers.length).toBeGreaterThan(0);
        for (const pid of workers) {
          expect(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]).not.toBe('0');
          expect(readlinkSync(`/proc/${pid}/root`)).toBe(root);
        }
      } finally {
        await stop();
      }
    });
  });
