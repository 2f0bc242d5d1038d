/**
 * One machine, several cores: one web process, and two behind HAProxy with the configuration of deploy/. All take turns
 * in short rounds; medians are printed. The client is pinned to one core; everything else goes where the system puts
 * it. Needs haproxy and taskset. On two cores the second process shares its core with client and proxy: the time that
 * the service itself takes for an answer says what more cores would give.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, startChild as spawn, stopChild } from '../scripts/child.mjs';
import { freePort, isTaken } from '../scripts/port.mjs';
import { publishBots } from './support/bots.ts';
import { startChild } from './support/child.ts';
import type { LoadCalls } from './support/load.ts';
import { writeResult, type Figure } from './support/results.ts';
import { startServer, type BenchServer } from './support/server.ts';
import { median } from './support/statistics.ts';
import { count, ratio, row } from './support/table.ts';

const bots = 1_000;
const rounds = 7;
const forMs = 400;
const connections = 64;

const questions = [
  { name: 'a page of 20', path: '/api/bots?limit=20' },
  { name: 'all bots', path: '/api/bots' },
  { name: 'home page', path: '/' },
] as const;

/** HAProxy as the manual runs it, in front of these processes. */
const startProxy = async (servers: readonly BenchServer[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'several-cores-'));
  const port = await freePort();
  const manual = readFileSync(new URL('../deploy/haproxy/machine.cfg', import.meta.url), 'utf8');
  const config = manual
    .replace(/^ +bind :\d+/m, `    bind 127.0.0.1:${port}`)
    .replaceAll(/^ +server .*\n/gm, '')
    .concat(servers.map((server, i) => `    server web-${i} 127.0.0.1:${server.port}\n`).join(''));
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  const proxy = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  while (!(await isTaken(port))) {
    if (hasEnded(proxy)) throw new Error('HAProxy did not start; is it installed?');
    await sleep(20);
  }
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) await sleep(20);
  return {
    port,
    stop: async (): Promise<void> => {
      await stopChild(proxy);
      rmSync(folder, { recursive: true });
    },
  };
};

const first = await startServer({ beforeStart: (url) => publishBots(url, { first: 0, count: bots }), probed: 'cpu' });
const second = await startServer({ beside: first, probed: 'cpu' });
const [one, two] = [await startProxy([first]), await startProxy([first, second])];
const load = startChild<LoadCalls>(new URL('./support/load.ts', import.meta.url));
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(load.pid)], { stdio: 'ignore' });

const ways = [
  { name: 'one process', port: first.port },
  { name: 'one behind HAProxy', port: one.port },
  { name: 'two behind HAProxy', port: two.port },
] as const;

const cpuUs = async (): Promise<number> => (await first.vitals()).cpuUs + (await second.vitals()).cpuUs;

const measure = async (port: number, path: string) => {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const before = await cpuUs();
  const sample = await load.call('round', { port, request, statuses: [200], connections, forMs });
  return { ...sample, usPerAnswer: ((await cpuUs()) - before) / sample.answers };
};

try {
  const figures: Figure[] = [];
  console.log(row('', ['answers/s', 'p99 ms', 'of one', 'service µs', 'client CPU']));
  for (const { name, path } of questions) {
    const samples = ways.map((): Awaited<ReturnType<typeof measure>>[] => []);
    for (let round = 0; round < rounds; round++)
      for (const [i, { port }] of ways.entries()) samples[i]?.push(await measure(port, path));
    const medians = samples.map((taken) => ({
      perSec: median(taken.map(({ perSec }) => perSec)),
      p99Ms: median(taken.map(({ p99Ms }) => p99Ms)),
      usPerAnswer: median(taken.map(({ usPerAnswer }) => usPerAnswer)),
      busy: median(taken.map(({ busy }) => busy)),
    }));
    console.log(name);
    for (const [i, way] of ways.entries()) {
      const { perSec = 0, p99Ms = 0, usPerAnswer = 0, busy = 0 } = medians[i] ?? {};
      const ofOne = perSec / (medians[0]?.perSec ?? 1);
      const cells = [count(perSec), p99Ms.toFixed(1), ratio(ofOne), count(usPerAnswer), ratio(busy)];
      console.log(row(`  ${way.name}`, cells));
      for (const [what, value, unit] of [
        ['answers a second', Math.round(perSec), ''],
        ['of one process', Math.round(ofOne * 100) / 100, '×'],
        ['p99', Math.round(p99Ms * 100) / 100, 'ms'],
        ['CPU of an answer', Math.round(usPerAnswer), 'µs'],
      ] as const)
        figures.push({ name: `${name}: ${what}`, who: way.name, value, unit });
    }
  }
  console.log(writeResult('several-cores', figures));
} finally {
  await load.stop();
  await Promise.all([one.stop(), two.stop()]);
  await second.stop();
  await first.stop();
}
