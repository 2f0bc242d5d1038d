/** systemd accepts the units, and they give the service only what it needs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { program } from '../../scripts/programs.mjs';
import { assignments, unit, units } from './support/documents.ts';
import { read, root } from './support/files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'units-'));
  for (const name of units) copyFileSync(join(root, 'deploy/systemd', name), join(folder, name));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const analyze = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program('systemd-analyze'), args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

it('systemd has nothing to say against them', needs('systemd-analyze'), () => {
  const { output } = analyze('verify', ...units.map((name) => join(folder, name)));
  // The unit is right even if this machine has no Node in /usr/bin.
  expect(output.split('\n').filter((line) => line !== '' && !/node is not executable/.test(line))).toEqual([]);
});

it.each(units)('%s: an exposure of at most 2 out of 10', needs('systemd-analyze'), (name) => {
  const { status, output } = analyze('security', '--offline=true', '--threshold=20', '--no-pager', join(folder, name));
  expect(status, output).toBe(0);
});

it.each(units)('%s starts what pack:server writes, and gives it time to stop', (name) => {
  const values = unit(name);
  expect(values.get('Service.ExecStart')).toEqual(['/usr/bin/node /opt/bot-directory/packages/server/dist/main.js']);
  expect(values.get('Service.TimeoutStopSec')).toEqual(['20s']);
  expect(values.get('Unit.StartLimitIntervalSec')).toEqual(['0']);
  expect(values.get('Service.DynamicUser')).toEqual(['yes']);
  expect(values.get('Service.ProtectSystem')).toEqual(['strict']);
});

it('each process has a port and metrics of its own, on the loopback address', () => {
  const of = (name: string, instance: string) =>
    assignments((unit(name).get('Service.Environment') ?? []).join('\n').replaceAll('%i', instance));
  const processes = [of(units[0], '3001'), of(units[0], '3002'), of(units[1], '')];
  expect(new Set(processes.flatMap(({ PORT, METRICS_ADDRESS }) => [PORT, METRICS_ADDRESS])).size).toBe(6);
  for (const { METRICS_ADDRESS } of processes) expect(METRICS_ADDRESS).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(Object.keys(assignments(read('deploy/systemd/environment')))).not.toContain('METRICS_ADDRESS');
});

it.each(['haproxy/machine.cfg', 'nginx/bot-directory.conf'])('%s has a server for each web process', (file) => {
  const servers = [...read(`deploy/${file}`).matchAll(/^ +server .*127\.0\.0\.1:(\d+)/gm)];
  const started = /bot-directory-web@\{([\d,]+)\}/.exec(read('docs/OPERATIONS.md'))?.[1]?.split(',');
  expect(servers.map(([, port]) => port)).toEqual(started);
});
