import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { needs } from '../../packages/testing/src/needs.ts';
import { program } from '../programs.mjs';
import { startRedis } from '../redis.mjs';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const start = async (options: Parameters<typeof startRedis>[0]) => {
  const redis = await startRedis(options);
  cleanups.push(redis.stop);
  return redis;
};

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'redis-test-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const ask = (url: string, command: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${command}\r\nQUIT\r\n`);
  return text(socket);
};

const isServing = (url: string): Promise<boolean> =>
  ask(url, 'PING').then(
    (answer) => answer.startsWith('+PONG'),
    () => false,
  );

/** Ends a process that is not our child. Otherwise its Redis would write to the folder that is being removed. */
const end = async (pid: number): Promise<void> => {
  for (;;) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** Starts a process that starts a Redis, prints its pid and url, and lives on. */
const startOwner = async (dir: string) => {
  const code = `import { startRedis } from ${JSON.stringify(new URL('../redis.mjs', import.meta.url).href)};
    const { pid, url } = await startRedis({ dir: process.argv[1], persist: true });
    console.log(pid, url);`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', code, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(() => owner.kill('SIGKILL'));
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const [pid = '', url = ''] = line.toString().trim().split(' ');
  cleanups.push(() => end(Number(pid)));
  return { owner, pid: Number(pid), url };
};

test('listens on the loopback address and nowhere else', async () => {
  const redis = await start({});
  expect(redis.url).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
  expect(await ask(redis.url, 'CONFIG GET bind')).toContain('$9\r\n127.0.0.1\r\n');
});

test('two have nothing to do with each other', async () => {
  const [one, other] = await Promise.all([start({}), start({})]);
  await ask(one.url, 'SET key one');
  expect(await ask(other.url, 'GET key')).toBe('$-1\r\n+OK\r\n');
});

test('what it acknowledged before a crash is there after a restart on the same port, when it persists', async () => {
  const redis = await start({ persist: true, settings: { appendfsync: 'no' } });
  const { url, pid } = redis;
  expect(await ask(url, 'SET key kept')).toContain('+OK');
  await redis.kill();
  expect(await isServing(url)).toBe(false);
  await redis.restart();
  expect(redis.url).toBe(url);
  expect(redis.pid).not.toBe(pid);
  expect(await ask(url, 'GET key')).toContain('kept');
});

test('what it held is gone after a restart, when it does not persist', async () => {
  const redis = await start({});
  await ask(redis.url, 'SET key lost');
  await redis.restart();
  expect(await ask(redis.url, 'GET key')).toBe('$-1\r\n+OK\r\n');
});

test('ends with its owner when that is killed with -9', async () => {
  const { owner, url } = await startOwner(folder());
  expect(await isServing(url)).toBe(true);
  owner.kill('SIGKILL');
  await expect.poll(() => isServing(url), { timeout: 120_000 }).toBe(false);
});

test('one that outlived its owner is ended by the next on its folder, which has its data', needs('pgrep'), async () => {
  const dir = folder();
  const { owner, pid, url } = await startOwner(dir);
  await ask(url, 'SET key inherited');
  const watchdog = spawnSync(program('pgrep'), ['-P', String(owner.pid), '-x', 'sh'], { encoding: 'utf8' }).stdout;
  process.kill(Number(watchdog), 'SIGKILL');
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(await isServing(url)).toBe(true);
  const redis = await start({ dir, persist: true });
  expect(redis.pid).not.toBe(pid);
  expect(await ask(redis.url, 'GET key')).toContain('inherited');
  expect(await isServing(url)).toBe(false);
});

test('refuses a folder that a living process runs on', async () => {
  const dir = folder();
  const { owner } = await startOwner(dir);
  await expect(startRedis({ dir, persist: true })).rejects.toThrow(
    `Process ${String(owner.pid)} runs on ${dir} already`,
  );
});

test('says why it did not start', async () => {
  const dir = folder();
  const redis = await start({ dir });
  const squatter = createServer();
  cleanups.push(() => squatter.close());
  await redis.kill();
  squatter.listen(Number(new URL(redis.url).port), '127.0.0.1');
  await once(squatter, 'listening');
  await expect(redis.restart()).rejects.toThrow(/Redis did not start:[^]*Address already in use/);
});
