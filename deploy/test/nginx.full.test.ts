/**
 * The snippet for nginx, run by a real one: events of a stream pass at once, the service sees each client's own
 * address, also behind a CDN, one address cannot take every connection, and what nginx refuses ends no EventSource for
 * good.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testCertificate } from '@bot-directory/testing/certificate';
import { spawnProcess } from '@bot-directory/testing/process';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { needs } from '@bot-directory/testing/needs';
import { useStarted } from '@bot-directory/testing/use-started';
import { program } from '../../scripts/programs.mjs';
import { read } from './support/files.ts';
import { startNginx } from './support/proxies.ts';

let folder: string;
const redis = useStarted(startTestRedis);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nginx-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Starts a web process, and nginx before it. */
const start = async () => {
  const nginx = await startNginx({ edges: ['127.0.0.9'] });
  const { front, ports } = nginx;
  const web = spawnProcess({
    PORT: String(ports[0]),
    ROLE: 'web',
    REDIS_URL: redis.url,
    TEMPLATE_HOST: 'templates.example.com',
    SHUTDOWN_DELAY: '0s',
    WRITE_RATE_LIMIT: '2/10m',
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'silent',
  });
  const ask = (path: string, localAddress: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: '127.0.0.1', port: front, path, localAddress, headers, method, agent: false }, resolve).on(
        'error',
        reject,
      );
    });
  await until('nginx reaches the process', () =>
    ask('/readyz', '127.0.0.1').then(
      (response) => response.resume().statusCode === 200,
      () => false,
    ),
  );
  return {
    ask,
    killWeb: () => web.kill(),
    stop: async () => {
      await nginx.stop();
      await web.kill();
    },
  };
};

it('passes streams on, counts clients and not edges, and gives an address its share', needs('nginx'), async () => {
  const { ask, killWeb, stop } = await start();
  const asEventSource = async (from: string) => {
    const response = await ask('/api/events/stream', from, { Accept: 'text/event-stream' });
    return { status: response.statusCode, headers: response.headers, text: await text(response) };
  };
  const reconnects = {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' },
    text: 'retry: 5000\n\n',
  };
  try {
    const stream = await ask('/api/events/stream', '127.0.0.1');
    expect(stream.headers['content-type']).toContain('text/event-stream');
    await until('the first bytes have come', () => stream.readableLength > 0 || stream.read() !== null);

    /** Status of a write, which the service counts by its client's address. */
    const write = async (from: string, forwarded: string) => {
      const response = await ask('/api/bots/submit', from, { 'X-Forwarded-For': forwarded }, 'POST');
      return response.resume().statusCode;
    };
    const statuses = async (from: string, forwarded: string[]) => {
      const found = [];
      for (const address of forwarded) found.push(await write(from, address));
      return found;
    };
    // An edge's clients are counted apart, by the last address; what anyone else claims is not believed.
    const clients = ['192.0.2.6, 203.0.113.1', '192.0.2.6, 203.0.113.2', '192.0.2.6, 203.0.113.3'];
    expect(await statuses('127.0.0.9', clients)).not.toContain(429);
    expect(await statuses('127.0.0.8', clients)).toContain(429);

    const streams = await Promise.all(Array.from({ length: 260 }, () => ask('/api/events/stream', '127.0.0.7')));
    expect(streams.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
    expect(await asEventSource('127.0.0.7')).toMatchObject(reconnects);
    expect((await ask('/api/bots', '127.0.0.8')).resume().statusCode).toBe(200);
    // All of an IPv6 /64 are one client.
    const share = (index: number) =>
      ask('/api/events/stream', '127.0.0.9', { 'X-Forwarded-For': `2001:db8::${index.toString(16)}` });
    const shared = await Promise.all(Array.from({ length: 260 }, (_, index) => share(index)));
    expect(shared.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
    const other = await ask('/api/events/stream', '127.0.0.9', { 'X-Forwarded-For': '2001:db8:0:1::1' });
    expect(other.statusCode).toBe(200);
    for (const one of [stream, other, ...streams, ...shared]) one.destroy();

    await killWeb();
    expect(await asEventSource('127.0.0.8')).toMatchObject(reconnects);
    expect((await ask('/api/events/stream', '127.0.0.8')).resume().statusCode).toBe(502);
  } finally {
    await stop();
  }
});

it('nginx takes both files, without a list of edges', needs('nginx'), async () => {
  const file = join(folder, 'plain.conf');
  const { cert, key } = await testCertificate();
  writeFileSync(join(folder, 'bot-directory.pem'), `${cert}\n${key}`);
  const shipped = read('deploy/nginx/bot-directory.conf').replaceAll(/\/(etc\/ssl\/private|var\/log\/nginx)/g, folder);
  writeFileSync(join(folder, 'plain-server.conf'), shipped);
  writeFileSync(join(folder, 'main.conf'), read('deploy/nginx/main.conf'));
  writeFileSync(
    file,
    `pid ${folder}/pid; include ${folder}/main.conf; events {} http { include ${folder}/plain-server.conf; }`,
  );
  const { status, stderr } = spawnSync(program('nginx'), ['-t', '-e', join(folder, 'error.log'), '-c', file], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
});
