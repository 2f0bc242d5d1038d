/**
 * What both proxies do, each a real one with the shipped files: upgrades lose no request, clients come by IPv4 and
 * IPv6, a reload leaves no process behind, and nothing that serves is root.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startClient } from '@bot-directory/testing/client';
import { needs, permitted } from '@bot-directory/testing/needs';
import { spawnProcess } from '@bot-directory/testing/process';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startHaproxy, startNginx } from './support/proxies.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const isRoot = process.getuid?.() === 0;

const proxies = [
  { name: 'haproxy', start: startHaproxy, root: '/var/lib/haproxy' },
  { name: 'nginx', start: startNginx, root: '/' },
] as const;

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const redis = useStarted(startTestRedis);

const startWeb = async (port: number) => {
  const web = spawnProcess({
    ...{ PORT: String(port), ROLE: 'web', REDIS_URL: redis.url, TEMPLATE_HOST: 'templates.example.com' },
    // The default, as in the unit.
    ...{ SHUTDOWN_DELAY: '5s', WRITE_RATE_LIMIT: '0', TRUST_PROXY: 'loopback', LOG_LEVEL: 'silent' },
  });
  await until('it is ready', () => isReady(port));
  return web;
};

/** Starts a proxy before a server that responds with the `X-Forwarded-For` that it received, or with a stream. */
const startEcho = async (start: typeof startHaproxy, edit?: (text: string) => string) => {
  const proxy = await start(edit === undefined ? {} : { edit });
  const server = createServer((request, response) => {
    if (request.url === '/api/events/stream')
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    else response.end(request.headers['x-forwarded-for']);
  });
  await once(server.listen(proxy.ports[0], '127.0.0.1'), 'listening');
  await until('the proxy reaches the server', () => isReady(proxy.front));
  const ask = (host: string, path = '/'): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get({ host, port: proxy.front, path, agent: false }, resolve).on('error', reject);
    });
  return {
    ...{ proxy, ask },
    stop: async () => {
      await proxy.stop();
      server.close();
      server.closeAllConnections();
    },
  };
};

for (const { name, start, root } of proxies)
  describe(name, needs(name), () => {
    it('loses no request in two upgrades in a row', async () => {
      const { front, ports, stop } = await start();
      const webs = await Promise.all(ports.map(startWeb));
      try {
        await until('the proxy reaches a process', () => isReady(front));
        const clients = Array.from({ length: 30 }, () => startClient(`http://127.0.0.1:${front}`));
        for (const upgrade of [1, 2])
          for (const [i, port] of ports.entries()) {
            expect([upgrade, await webs[i]?.stop()]).toEqual([upgrade, 0]);
            webs[i] = await startWeb(port);
          }
        const results = await Promise.all(clients.map((client) => client.stop()));
        expect(results.flatMap(({ failures }) => failures)).toEqual([]);
        for (const { answered } of results) expect(answered).toBeGreaterThan(1);
      } finally {
        await stop();
        for (const web of webs) await web.kill();
      }
    });

    it('serves clients of IPv4 and IPv6', permitted('IPv6', hasIpv6), async () => {
      const { ask, stop } = await startEcho(start);
      try {
        for (const address of ['127.0.0.1', '::1']) expect(await text(await ask(address))).toBe(address);
      } finally {
        await stop();
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
