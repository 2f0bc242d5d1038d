/**
 * Behind the proxy of one machine, callers get the service's own errors while Redis is away. No EventSource ends for
 * good, not even while there is no process. One address cannot fill the proxy, and behind a CDN each client is itself.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { connect as connectHttp2, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spawnProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { needs } from '@bot-directory/testing/needs';
import { until } from '@bot-directory/testing/until';
import { withEventSources } from '@bot-directory/check-clients/event-sources';
import { program } from '../../scripts/programs.mjs';
import { read } from './support/files.ts';
import { startHaproxy } from './support/proxies.ts';

let folder: string;
let redis: TestRedis;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
  redis = await startTestRedis();
});
afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true });
});

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Counts the requests that asked a process whether it is ready. */
const checksOf = async (port: number): Promise<number> => {
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
  const counts = metrics.matchAll(/^http_request_duration_seconds_count\{route="\/readyz".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

const startWeb = async (port: number, more: Record<string, string> = {}) => {
  const web = spawnProcess({
    PORT: String(port),
    ROLE: 'web',
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    ...more,
    // SHUTDOWN_DELAY is the default, as in the unit: the proxy notices a stop in the meantime, after two checks.
    SHUTDOWN_DELAY: '5s',
    WRITE_RATE_LIMIT: '0',
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'silent',
  });
  await until('it is ready', () => isReady(port), 30_000);
  return web;
};

/** Starts the proxy before a server that responds with the `X-Forwarded-For` that it received. */
const startEcho = async (edges: readonly string[] = [], maxconn = 8_000) => {
  const proxy = await startHaproxy({ edges, edit: (text) => text.replace('maxconn 8000', `maxconn ${maxconn}`) });
  const { front, ports, metrics } = proxy;
  const server = createServer((request, response) => response.end(request.headers['x-forwarded-for']));
  await once(server.listen(ports[0], '127.0.0.1'), 'listening');
  /** What the server received from a client at this address. */
  const from = (localAddress: string, forwarded?: string, agent?: Agent) =>
    new Promise<string>((resolve, reject) => {
      const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
      get({ host: '127.0.0.1', port: front, localAddress, headers, agent }, (response) => {
        text(response).then(resolve, reject);
      }).on('error', reject);
    });
  await until('the proxy reaches the server', () => isReady(front));
  return {
    front,
    metrics,
    from,
    stop: async () => {
      await proxy.stop();
      server.close();
      server.closeAllConnections();
    },
  };
};

it('lets the service itself report that Redis is away, and serve what needs no Redis', needs('haproxy'), async () => {
  const proxy = await startHaproxy();
  const { front, ports } = proxy;
  const webs = await Promise.all(ports.map((port) => startWeb(port)));
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${front}${path}`, init);
  const headers = { 'Content-Type': 'application/json' };
  const submit = { link: `https://${templateHost}/bot/a` };
  try {
    await until('the proxy reaches a process', () => isReady(front));
    await redis.kill();
    // Two failed checks would take a process out.
    for (const port of ports) {
      const before = await checksOf(port);
      await until('the proxy has checked it', async () => (await checksOf(port)) >= before + 3, 15_000);
    }
    const answers = [
      await ask('/api/bots'),
      await ask('/api/bots/submit', { method: 'POST', headers, body: JSON.stringify(submit) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([500, 503]);
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    for (const path of ['/docs', '/api/openapi.json', '/healthz', '/readyz'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    expect((await ask('/healthz/store')).status).toBe(503);
  } finally {
    await proxy.stop();
    for (const web of webs) await web.kill();
    await redis.restart();
  }
});

it(
  'lets an EventSource come back after a time without any process, and get what it missed',
  needs('haproxy'),
  async () => {
    const provider = await startProvider();
    const proxy = await startHaproxy();
    const { front, ports } = proxy;
    const start = () => startWeb(ports[0], { TEMPLATE_ORIGIN: provider.origin });
    let web = await start();
    const base = `http://127.0.0.1:${front}`;
    const publish = async (name: string): Promise<string> => {
      const link = `https://${templateHost}/bot/${provider.template({ name })}`;
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ link });
      const answer = await fetch(`${base}/api/bots/submit`, { method: 'POST', headers, body });
      return ((await answer.json()) as { slug: string }).slug;
    };
    try {
      await until('the proxy reaches the process', () => isReady(front));
      await withEventSources(`${base}/api/events/stream`, async (read) => {
        const allHave = async (...slugs: string[]): Promise<boolean> =>
          (await read()).every((seen) => seen.slugs.join() === slugs.join());
        await until('all are open', async () => (await read()).every(({ opened }) => opened === 1));
        const before = await publish('Before');
        await until('all have it', () => allHave(before));
        expect(await web.stop()).toBe(0);
        const refused = async (accept: string) =>
          (await fetch(`${base}/api/events/stream`, { headers: { accept } })).status;
        expect([await refused('*/*'), await refused('text/event-stream')]).toEqual([503, 200]);
        await until('all have come to the proxy', async () => (await read()).every(({ opened }) => opened > 1), 30_000);
        web = await start();
        await until('the proxy reaches the process', () => isReady(front));
        const missed = await publish('Missed');
        await until('all have what they missed', () => allHave(before, missed), 30_000);
      });
    } finally {
      await proxy.stop();
      await web.kill();
      await provider.stop();
    }
  },
);

it('hands on a request of HTTP/2 without a body, whose end comes later', needs('haproxy'), async () => {
  const proxy = await startHaproxy({
    edit: (text) => text.replaceAll(/^( +bind [^\n]*:\d+[^\n]*)$/gm, '$1 proto h2'),
  });
  const { front, ports } = proxy;
  const web = await startWeb(ports[0]);
  const session = connectHttp2(`http://127.0.0.1:${front}`);
  session.on('error', () => undefined);
  const ask = async (method: string, path: string): Promise<number> => {
    const stream = session.request({ ':method': method, ':path': path }, { endStream: false });
    stream.end();
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
    stream.resume();
    return headers[':status'] ?? 0;
  };
  try {
    await until('the proxy reaches the process', async () => (await ask('GET', '/readyz')) === 200);
    const hook = encodeURIComponent('https://hooks.example.com/none');
    expect([
      await ask('POST', '/api/bots/none/refresh'),
      await ask('DELETE', `/api/webhooks/bots?url=${hook}`),
      await ask('POST', '/api/feed'),
    ]).toEqual([404, 404, 415]);
  } finally {
    session.close();
    await proxy.stop();
    await web.kill();
  }
});

it('serves others while one address opens 440 connections, and counts what it refuses', needs('haproxy'), async () => {
  // A twentieth of what is shipped, so that one address could take them all.
  const { front, metrics, from, stop } = await startEcho(undefined, 400);
  try {
    const counts = { open: 0, closed: 0 };
    const sockets = Array.from({ length: 440 }, () =>
      connect({ host: '127.0.0.1', port: front, localAddress: '127.0.0.7' })
        .on('connect', () => (counts.open += 1))
        .on('close', () => (counts.closed += 1))
        .on('error', () => undefined),
    );
    await until('what is too much is refused', () => counts.closed === 190);
    expect(await from('127.0.0.8')).toBe('127.0.0.8');
    await expect(from('127.0.0.7')).rejects.toThrow(/ECONNRESET|hang up/);
    const exported = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    expect(exported).toMatch(/^haproxy_frontend_denied_connections_total\{proxy="public"\} 191$/m);
    expect(exported).toMatch(/^haproxy_process_max_connections 400$/m);
    expect(exported).toMatch(/^haproxy_process_current_connections 25\d$/m);
    for (const socket of sockets) socket.destroy();
    await until('the address is served again', () => from('127.0.0.7').then(Boolean, () => false));
  } finally {
    await stop();
  }
});

it('cuts off an address that opens connections too fast, and no other', needs('haproxy'), async () => {
  const { from, stop } = await startEcho();
  const fresh = () => from('127.0.0.7', undefined, new Agent());
  try {
    const hundred = () => Promise.all(Array.from({ length: 100 }, fresh));
    await until('it is cut off', () =>
      hundred().then(
        () => false,
        () => true,
      ),
    );
    await expect(fresh()).rejects.toThrow(/ECONNRESET|hang up/);
    expect(await from('127.0.0.8')).toBe('127.0.0.8');
  } finally {
    await stop();
  }
});

it('believes X-Forwarded-For from a trusted edge alone, and of it the last address', needs('haproxy'), async () => {
  const { from, stop } = await startEcho(['127.0.0.9', '198.51.100.0/24']);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    expect(await from('127.0.0.8', '203.0.113.1')).toBe('127.0.0.8');
    // An edge sends the requests of many clients over one connection.
    for (const client of ['203.0.113.1', '2001:db8::1', '203.0.113.2'])
      expect(await from('127.0.0.9', `192.0.2.6, ${client}`, agent)).toBe(client);
    expect(await from('127.0.0.9', undefined, agent)).toBe('127.0.0.9');
    // The clients of an edge are many.
    const sockets = Array.from({ length: 300 }, () => from('127.0.0.9', '203.0.113.3', new Agent({ keepAlive: true })));
    expect(new Set(await Promise.all(sockets))).toEqual(new Set(['203.0.113.3']));
  } finally {
    agent.destroy();
    await stop();
  }
});

it('HAProxy takes the configuration of compose', needs('haproxy'), () => {
  writeFileSync(join(folder, 'trusted-edges'), read('deploy/haproxy/trusted-edges'));
  const file = join(folder, 'compose.cfg');
  writeFileSync(file, read('deploy/haproxy/compose.cfg'));
  const { status, stderr } = spawnSync(program('haproxy'), ['-c', '-f', file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.anything()]);
});
