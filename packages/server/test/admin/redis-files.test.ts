/** The manual's blocks about Redis's own files, run with a Redis that is killed, and started from its file. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { requireRedis, requireRedisCli } from '../../../../scripts/find-redis.mjs';
import { freePort } from '../../../../scripts/port.mjs';

const manual = readFileSync(join(import.meta.dirname, '../../../../docs/OPERATIONS.md'), 'utf8');

/** The block of the manual that has this command. */
const blockWith = (command: string): string =>
  [...manual.matchAll(/^```sh not-run: a Redis that was started from its configuration file\n([\s\S]*?)^```$/gm)]
    .map((match) => match[1] ?? '')
    .find((commands) => commands.includes(command)) ?? '';

const folders: string[] = [];
const servers: ChildProcess[] = [];
let url: string;

beforeEach(async () => {
  url = `redis://127.0.0.1:${await freePort()}`;
});
afterEach(async () => {
  for (const server of servers.splice(0)) await end(server, 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const end = async (server: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
};

/** Writes a machine's configuration file: Debian's settings that matter here, and then the machine's own. */
const machineWith = (...settings: string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-files-'));
  folders.push(folder);
  const file = join(folder, 'redis.conf');
  const { port } = new URL(url);
  const own = [`dir ${folder}`, `port ${port}`, 'bind 127.0.0.1', `logfile ${folder}/redis.log`];
  writeFileSync(file, [...own, 'save 3600 1 300 100 60 10000', 'appendfsync always', ...settings, ''].join('\n'));
  return { folder, file };
};

const cli = (...args: string[]): string =>
  spawnSync(requireRedisCli(), ['-u', url, ...args], { encoding: 'utf8' }).stdout;

const start = async (file: string): Promise<ChildProcess> => {
  const server = spawn(requireRedis(), [file], { stdio: 'ignore' });
  servers.push(server);
  await until('Redis responds', () => cli('ping').includes('PONG'));
  return server;
};

const follow = (block: string, file = ''): void => {
  const { PATH } = process.env;
  const options = { env: { PATH, REDIS_URL: url, REDIS_CONF: file }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', block], options);
  expect(status, stderr).toBe(0);
};

it('keeps what was written after the block on settings when Redis is killed and starts from its file', async () => {
  const { file } = machineWith();
  const first = await start(file);
  cli('set', 'early', '1');
  follow(blockWith('config rewrite'));
  cli('set', 'late', '2');
  await end(first, 'SIGKILL');
  await start(file);
  expect(cli('mget', 'early', 'late').split('\n')).toEqual(expect.arrayContaining(['1', '2']));
  expect(cli('config', 'get', 'maxmemory-policy')).toContain('noeviction');
  expect(cli('config', 'get', 'appendonly')).toContain('yes');
});

it('restores a dump on a machine whose file turns the append-only file on', async () => {
  const old = machineWith();
  const server = await start(old.file);
  cli('set', 'bot', '1');
  cli('save');
  await end(server, 'SIGTERM');
  const { folder, file } = machineWith('appendonly yes');
  copyFileSync(join(old.folder, 'dump.rdb'), join(folder, 'dump.rdb'));
  follow(blockWith('--appendonly no'), file);
  const restored = await start(file);
  expect(cli('get', 'bot')).toBe('1\n');
  cli('set', 'after', '2');
  await end(restored, 'SIGKILL');
  await start(file);
  expect(cli('mget', 'bot', 'after')).toBe('1\n2\n');
});

it('restores a copy of the append-only folder', async () => {
  const old = machineWith('appendonly yes');
  const server = await start(old.file);
  cli('set', 'bot', '1');
  await end(server, 'SIGTERM');
  const { folder, file } = machineWith('appendonly yes');
  cpSync(join(old.folder, 'appendonlydir'), join(folder, 'appendonlydir'), { recursive: true });
  await start(file);
  expect(cli('get', 'bot')).toBe('1\n');
});
