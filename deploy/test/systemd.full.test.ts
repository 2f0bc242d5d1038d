/** systemd accepts the units, and they give the service only what it needs. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { program } from '../../scripts/programs.mjs';
import { assignments, unit, units } from './support/documents.ts';
import { read, root } from './support/files.ts';

/** Those that keep running, and the backup's. */
const services = [...units, 'bot-directory-backup.service'];
const all = readdirSync(join(root, 'deploy/systemd')).filter((name) => /\.(service|timer)$/.test(name));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'units-'));
  cpSync(join(root, 'deploy/systemd'), folder, { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const analyze = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program('systemd-analyze'), args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

it('systemd has nothing to say against them', needs('systemd-analyze'), () => {
  const { output } = analyze('verify', ...all.map((name) => join(folder, name)));
  // The unit is right even if this machine has no /opt/bot-directory.
  expect(output.split('\n').filter((line) => line !== '' && !/admin is not executable/.test(line))).toEqual([]);
});

it.each(services)('%s: an exposure of at most 2 out of 10', needs('systemd-analyze'), (name) => {
  const { status, output } = analyze('security', '--offline=true', '--threshold=20', '--no-pager', join(folder, name));
  expect(status, output).toBe(0);
});

it.each(units)('%s starts what pack:server writes, and gives it time to stop', (name) => {
  const values = unit(name);
  expect(values.get('Service.ExecStart')).toEqual([
    '/usr/bin/env node /opt/bot-directory/packages/server/dist/main.js',
  ]);
  expect(values.get('Service.TimeoutStopSec')).toEqual(['20s']);
  expect(values.get('Unit.StartLimitIntervalSec')).toEqual(['0']);
  expect(values.get('Service.DynamicUser')).toEqual(['yes']);
  expect(values.get('Service.ProtectSystem')).toEqual(['strict']);
});

it('each process has a port and metrics of its own, on the loopback address', () => {
  const of = (name: string, instance: string) => {
    const own = `${(unit(name).get('Service.Environment') ?? []).join('\n')}\n`.replaceAll('%i', instance);
    const files = (unit(name).get('Service.EnvironmentFile') ?? []).map((file) => file.replace('%i', instance));
    return assignments(
      own + files.map((file) => read(file.replace('/etc/bot-directory', 'deploy/systemd'))).join('\n'),
    );
  };
  const processes = [of(units[0], '3001'), of(units[0], '3002'), of(units[1], '')];
  expect(new Set(processes.flatMap(({ PORT, METRICS_ADDRESS }) => [PORT, METRICS_ADDRESS])).size).toBe(6);
  for (const { METRICS_ADDRESS } of processes) expect(METRICS_ADDRESS).toMatch(/^127\.0\.0\.1:\d+$/);
});

it.each(['haproxy/machine.cfg', 'nginx/bot-directory.conf'])('%s has a server for each web process', (file) => {
  const servers = [...read(`deploy/${file}`).matchAll(/^ +server (?:web-\d+ )?127\.0\.0\.1:(\d+)/gm)];
  const started = /bot-directory-web@\{([\d,]+)\}/.exec(read('docs/OPERATIONS.md'))?.[1]?.split(',');
  expect(servers.map(([, port]) => port)).toEqual(started);
});
