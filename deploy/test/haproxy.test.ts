/**
 * Behind the proxy of one machine, the steps of «Upgrade» in OPERATIONS.md lose no request, and callers get the
 * service's own errors while Redis is away. Skipped without HAProxy.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startClient } from '@bot-directory/testing/client';
import { spawnProcess } from '@bot-directory/testing/process';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { read } from './support/files.ts';

const hasHaproxy = spawnSync('haproxy', ['-v']).error === undefined;

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
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
  const counts = text.matchAll(/^http_request_duration_seconds_count\{route="\/readyz".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

const startWeb = async (port: number) => {
  const web = spawnProcess({
    ...{ PORT: String(port), ROLE: 'web', REDIS_URL: redis.url, TEMPLATE_HOST: 'templates.example.com' },
    // SHUTDOWN_DELAY is the default, as in the unit: the proxy notices a stop in the meantime, after two checks.
    ...{ SHUTDOWN_DELAY: '5s', WRITE_RATE_LIMIT: '0', TRUST_PROXY: 'loopback', LOG_LEVEL: 'silent' },
  });
  await until('it is ready', () => isReady(port), 30_000);
  return web;
};

/** Writes the shipped configuration, on ports that are free here. */
const configure = async () => {
  const front = await freePort();
  const ports = [await freePort(), await freePort()];
  const file = join(folder, 'haproxy.cfg');
  // All at once: a free port may begin with the digits of another that is still to be replaced.
  const text = read('deploy/haproxy/machine.cfg').replaceAll(
    /(?:127\.0\.0\.1)?:300(\d)$/gm,
    (_, digit: string) => `127.0.0.1:${[front, ...ports][Number(digit)] ?? ''}`,
  );
  writeFileSync(file, text);
  return { front, ports, file };
};

it.skipIf(!hasHaproxy)(
  'loses no request while one web process after the other is replaced',
  async () => {
    const { front, ports, file } = await configure();
    const webs = await Promise.all(ports.map(startWeb));
    const proxy = startChild('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    try {
      await until('the proxy reaches a process', () => isReady(front));
      const clients = Array.from({ length: 30 }, () => startClient(`http://127.0.0.1:${front}`));
      for (const [i, port] of ports.entries()) {
        expect(await webs[i]?.stop()).toBe(0);
        webs[i] = await startWeb(port);
      }
      const results = await Promise.all(clients.map((client) => client.stop()));
      expect(results.flatMap(({ failures }) => failures)).toEqual([]);
      for (const { answered } of results) expect(answered).toBeGreaterThan(1);
    } finally {
      await stopChild(proxy);
      for (const web of webs) await web.kill();
    }
  },
  120_000,
);

it.skipIf(!hasHaproxy)(
  'lets the service itself report that Redis is away, and serve what needs no Redis',
  async () => {
    const { front, ports, file } = await configure();
    const webs = await Promise.all(ports.map(startWeb));
    const proxy = startChild('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${front}${path}`, init);
    const headers = { 'Content-Type': 'application/json' };
    const submit = { link: 'https://templates.example.com/bot/a' };
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
      await stopChild(proxy);
      for (const web of webs) await web.kill();
      await redis.restart();
    }
  },
  60_000,
);

it.skipIf(!hasHaproxy)('HAProxy takes both configurations', () => {
  for (const name of ['machine.cfg', 'compose.cfg']) {
    const file = join(folder, name);
    writeFileSync(file, read(`deploy/haproxy/${name}`));
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    expect([name, status, stderr]).toEqual([name, 0, expect.anything()]);
  }
});
