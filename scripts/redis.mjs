/**
 * A private Redis: a child process on a loopback port that ends with this process. `npm start` gives it a folder for
 * its data; tests use a temporary one. find-redis.mjs finds the program.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, startChild, stopChild } from './child.mjs';
import { requireRedis } from './find-redis.mjs';
import { freePort } from './port.mjs';

/**
 * @typedef {object} Redis
 * @property {string} url `redis://127.0.0.1:<port>`; the same for its whole life
 * @property {number} pid of the process that runs now
 * @property {() => Promise<void>} kill as a crash would (SIGKILL)
 * @property {() => Promise<void>} restart on the same port, with what was persisted
 * @property {() => Promise<void>} stop for good
 */

/**
 * Starts a Redis and waits until it answers.
 * @param {{ dir?: string, persist?: boolean, settings?: Readonly<Record<string, string>> }} [options] `dir` keeps its
 *   files; without one they go when it stops. `persist` turns the append-only file on: what was acknowledged survives
 *   `restart()`, and `kill()` unless `appendfsync` is `everysec`, the default: with it Redis responds before it writes
 *   while the disk is busy. `settings` are Redis's own.
 * @returns {Promise<Redis>}
 */
export const startRedis = async ({ dir, persist = false, settings = {} } = {}) => {
  const command = requireRedis();
  const home = dir ?? mkdtempSync(join(tmpdir(), 'bot-directory-redis-'));
  mkdirSync(home, { recursive: true });
  await endStale(home);
  const port = await freePort();
  const options = {
    dir: home,
    bind: '127.0.0.1',
    port: String(port),
    save: '',
    appendonly: persist ? 'yes' : 'no',
    logfile: logOf(home),
    ...settings,
  };
  const launch = async () => {
    const started = startChild(
      command,
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      { stdio: 'ignore' },
    );
    writeFileSync(stateOf(home), JSON.stringify({ pid: started.pid, port, owner: process.pid }));
    await untilReady(started, port, home);
    return started;
  };
  let child = await launch();
  const kill = () => stopChild(child, { signal: 'SIGKILL' });
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0;
    },
    kill,
    async restart() {
      await stopChild(child);
      child = await launch();
    },
    async stop() {
      await stopChild(child);
      rmSync(dir === undefined ? home : stateOf(home), { recursive: true, force: true });
    },
  };
};

/** @param {string} dir */
const logOf = (dir) => join(dir, 'redis.log');
/** @param {string} dir */
const stateOf = (dir) => join(dir, 'running.json');

/**
 * Ends a server that outlived its owner, and throws if the owner is alive: two servers on one append-only file would
 * ruin it.
 * @param {string} dir
 */
const endStale = async (dir) => {
  const state = readState(dir);
  if (state === undefined || !(await isRedis(state.port, state.pid))) return;
  if (isAlive(state.owner)) throw new Error(`Process ${state.owner} runs on ${dir} already. Stop it first.`);
  process.kill(state.pid, 'SIGTERM');
  // It closes its port after its last write to the data.
  while (await isRedis(state.port, state.pid)) await sleep(20);
};

/**
 * @param {string} dir
 * @returns {{ pid: number, port: number, owner: number } | undefined}
 */
const readState = (dir) => {
  try {
    return JSON.parse(readFileSync(stateOf(dir), 'utf8'));
  } catch {
    return undefined;
  }
};

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/**
 * @param {import('./child.mjs').ChildProcess} child
 * @param {number} port
 * @param {string} dir
 */
const untilReady = async (child, port, dir) => {
  while (!(await isRedis(port, child.pid ?? 0))) {
    if (hasEnded(child)) throw new Error(`Redis did not start:\n${readFileSync(logOf(dir), 'utf8').slice(-1_000)}`);
    await sleep(20);
  }
};

/**
 * Whether the Redis at a port answers, has loaded its data and is the expected process.
 * @param {number} port
 * @param {number} pid
 */
const isRedis = async (port, pid) =>
  (await ask(port, 'PING')).startsWith('+PONG') && (await ask(port, 'INFO server')).includes(`\nprocess_id:${pid}\r`);

/**
 * Returns the reply of Redis to one inline command, empty if there is none.
 * @param {number} port
 * @param {string} command
 * @returns {Promise<string>}
 */
const ask = (port, command) =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\nQUIT\r\n`));
    socket.setEncoding('utf8').setTimeout(2_000, () => socket.destroy());
    socket
      .on('data', (text) => (answer += text))
      .on('error', () => {})
      .on('close', () => resolve(answer));
  });
