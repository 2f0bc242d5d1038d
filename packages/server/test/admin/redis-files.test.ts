/**
 * The manual's blocks about Redis's own files and settings, run with a Redis that is killed, and started from its file.
 * Only ports and folders differ. As root, Redis is the user of Debian's package, as which alone it starts there.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { requireRedis, requireRedisCli } from '../../../../scripts/find-redis.mjs';
import { freePort } from '../../../../scripts/port.mjs';

const manual = readFileSync(join(import.meta.dirname, '../../../../docs/OPERATIONS.md'), 'utf8');

/** The block of the manual that has this command. */
const blockWith = (command: string): string =>
  [...manual.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map((match) => match[1] ?? '')
    .find((commands) => commands.includes(command)) ?? '';

const folders: string[] = [];
const servers: ChildProcess[] = [];
let url: string;

beforeEach(async () => {
  url = `redis://127.0.0.1:${await freePort()}`;
});
afterEach(async () => {
  // The one that a block has started is nobody's child.
  cli('shutdown', 'nosave');
  for (const server of servers.splice(0)) await end(server, 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const end = async (server: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
};

/** Debian's user for Redis, which only root can become. Elsewhere it is the user of this process. */
const redisUser = (): { readonly uid: number; readonly gid: number } | undefined => {
  const [, uid, gid] = /^redis:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return process.getuid?.() === 0 && uid !== undefined ? { uid: Number(uid), gid: Number(gid) } : undefined;
};
const user = redisUser();

/** Stops and starts Redis as Debian's unit does. */
const systemctl = `#!/usr/bin/env bash
set -eu
case $1 in
  stop) "$REDIS_CLI" -u "$REDIS_ADMIN_URL" shutdown || true ;;
  start)
    setsid ${user === undefined ? '' : 'runuser -u redis --'} "$MACHINE/bin/redis-server" "$MACHINE/etc/redis/redis.conf" </dev/null >/dev/null 2>&1 &
    for _ in {1..600}; do
      [[ $("$REDIS_CLI" -u "$REDIS_ADMIN_URL" ping) != PONG ]] || exit 0
      sleep 0.1
    done
    exit 1
    ;;
esac
`;

type Machine = { readonly folder: string; readonly file: string; readonly data: string };

/** Makes a machine with Debian's settings that matter here, and then its own. */
const machineWith = (...settings: string[]): Machine => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-files-'));
  folders.push(folder);
  // Another user finds what is in it.
  chmodSync(folder, 0o755);
  const file = join(folder, 'etc/redis/redis.conf');
  const data = join(folder, 'var/lib/redis');
  for (const path of [join(folder, 'etc/redis'), data, join(folder, 'bin')]) mkdirSync(path, { recursive: true });
  const { port } = new URL(url);
  const debian = [`dir ${data}`, `port ${port}`, 'bind 127.0.0.1', 'save 3600 1 300 100 60 10000'];
  writeFileSync(file, [...debian, 'appendfsync always', ...settings, ''].join('\n'));
  if (user !== undefined) for (const path of [dirname(file), file, data]) chownSync(path, user.uid, user.gid);
  writeFileSync(join(folder, 'bin/systemctl'), systemctl, { mode: 0o755 });
  // Another user may not reach the folder where PATH finds it.
  copyFileSync(requireRedis(), join(folder, 'bin/redis-server'));
  return { folder, file, data };
};

const cli = (...args: string[]): string =>
  spawnSync(requireRedisCli(), ['-u', url, ...args], { encoding: 'utf8' }).stdout;

const start = async ({ folder, file }: Machine): Promise<ChildProcess> => {
  const server = spawn(join(folder, 'bin/redis-server'), [file], { stdio: 'ignore', ...user });
  servers.push(server);
  await until('Redis responds', () => cli('ping').includes('PONG'));
  return server;
};

/** Runs a block as written, on a machine. An error of Redis ends it. */
const follow = (block: string, folder: string): void => {
  const commands = block
    .replaceAll(/(?<![\w.])\/(?=etc|var)/g, `${folder}/`)
    .replaceAll('redis-cli ', `${requireRedisCli()} -e `)
    .replace('chown -R redis:redis', user === undefined ? 'true' : '$&');
  const { PATH = '' } = process.env;
  const env = {
    PATH: `${folder}/bin:${PATH}`,
    REDIS_ADMIN_URL: url,
    MACHINE: folder,
    REDIS_CLI: requireRedisCli(),
  };
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands], options);
  expect(status, stderr).toBe(0);
};

it('keeps what was written, and how much memory it may use, when Redis is killed and starts from its file', async () => {
  const machine = machineWith();
  const { folder } = machine;
  const first = await start(machine);
  cli('set', 'early', '1');
  follow(blockWith('config set appendonly yes'), folder);
  follow(blockWith('config set maxmemory 2gb'), folder);
  cli('set', 'late', '2');
  await end(first, 'SIGKILL');
  await start(machine);
  expect(cli('mget', 'early', 'late').split('\n')).toEqual(expect.arrayContaining(['1', '2']));
  expect(cli('config', 'get', 'maxmemory-policy')).toContain('noeviction');
  expect(cli('config', 'get', 'maxmemory')).toContain('2147483648');
  expect(cli('config', 'get', 'appendonly')).toContain('yes');
});

/** Returns the pid of the Redis that responds. */
const pid = (): number => Number(/process_id:(\d+)/.exec(cli('info', 'server'))?.[1]);
const isAlive = (of: number): boolean => {
  try {
    return process.kill(of, 0);
  } catch {
    return false;
  }
};

it.each(['dump.rdb', 'appendonlydir'])('puts back %s, and keeps what is written after it', async (saved) => {
  const old = machineWith(...(saved === 'dump.rdb' ? [] : ['appendonly yes']));
  const server = await start(old);
  cli('set', 'bot', '1');
  cli('save');
  await end(server, 'SIGTERM');
  const machine = machineWith('appendonly yes');
  const { folder } = machine;
  await start(machine);
  cli('set', 'other', '1');
  mkdirSync(join(folder, 'saved'));
  cpSync(join(old.data, saved), join(folder, 'saved', saved), { recursive: true });
  follow(blockWith('systemctl stop redis-server'), folder);
  expect(cli('mget', 'bot', 'other')).toBe('1\n\n');
  if (saved === 'dump.rdb') follow(blockWith('config set appendonly yes'), folder);
  cli('set', 'after', '2');
  const started = pid();
  process.kill(started, 'SIGKILL');
  await until('it has ended', () => !isAlive(started));
  await start(machine);
  expect(cli('mget', 'bot', 'after')).toBe('1\n2\n');
});
