/** The steps of «Upgrade» in OPERATIONS.md lose no request behind the proxy of one machine. Skipped without HAProxy. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startClient } from '../../packages/server/test/support/client.ts';
import { spawnProcess } from '../../packages/server/test/support/process.ts';
import { startTestRedis, type TestRedis } from '../../packages/server/test/support/redis.ts';
import { until } from '../../packages/server/test/support/until.ts';
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

const startWeb = async (port: number) => {
  const web = spawnProcess({
    ...{ PORT: String(port), ROLE: 'web', REDIS_URL: redis.url, TEMPLATE_HOST: 'templates.example.com' },
    // What the proxy takes two checks for, and what the unit leaves at its default.
    ...{ SHUTDOWN_DELAY: '5s', WRITE_RATE_LIMIT: '0', TRUST_PROXY: 'loopback', LOG_LEVEL: 'silent' },
  });
  await until('it is ready', () => isReady(port), 30_000);
  return web;
};

it.skipIf(!hasHaproxy)(
  'loses no request while one web process after the other is replaced',
  async () => {
    const front = await freePort();
    const ports = [await freePort(), await freePort()];
    const file = join(folder, 'haproxy.cfg');
    // All at once: a free port may begin with the digits of another that is still to be replaced.
    const text = read('deploy/haproxy/machine.cfg').replaceAll(
      /(?:127\.0\.0\.1)?:300(\d)$/gm,
      (_, digit: string) => `127.0.0.1:${[front, ...ports][Number(digit)] ?? ''}`,
    );
    writeFileSync(file, text);
    const webs = await Promise.all(ports.map(startWeb));
    const proxy = startChild('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    try {
      await until('the proxy leads to one', () => isReady(front));
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

it.skipIf(!hasHaproxy)('HAProxy takes both configurations', () => {
  for (const name of ['machine.cfg', 'compose.cfg']) {
    const file = join(folder, name);
    writeFileSync(file, read(`deploy/haproxy/${name}`));
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    expect([name, status, stderr]).toEqual([name, 0, expect.anything()]);
  }
});
