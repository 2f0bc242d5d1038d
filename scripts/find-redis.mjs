/** Finds a Redis on this machine, or installs one. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './child.mjs';

const oldest = 7;
const advice = `Redis ${oldest} or newer is needed: install redis-server or valkey-server, or set REDIS_URL.`;

/**
 * Returns the path of the first `redis-server`, or else `valkey-server`, that is new enough.
 * @param {string} [path]
 */
export const findRedis = (path) =>
  [...onPath('redis-server', path), ...onPath('valkey-server', path)].find((command) => majorOf(command) >= oldest);

/**
 * Returns the path of a Redis. Installs one if there is none and the system's package manager asks no question. Throws
 * with advice if it cannot.
 */
export const findOrInstallRedis = async () => {
  const found = findRedis();
  if (found !== undefined) return found;
  for (const [command, ...args] of installation()) {
    console.error(`No Redis on the PATH. Running: ${command} ${args.join(' ')}`);
    const code = await run(command, args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    if (code !== 0) break;
  }
  return requireRedis();
};

/** Returns the path of a Redis. Throws with advice if there is none. */
export const requireRedis = () => {
  const found = findRedis();
  if (found === undefined) throw new Error(advice);
  return found;
};

/**
 * Returns the commands that install Redis here, or none if they would ask for a password.
 * @param {{ path?: string, isRoot?: boolean }} [machine]
 * @returns {[string, ...string[]][]}
 */
export const installation = ({ path, isRoot = process.getuid?.() === 0 } = {}) => {
  if (isRoot && onPath('apt-get', path).length > 0) {
    return [
      ['apt-get', 'update', '-q'],
      ['apt-get', 'install', '-q', '-y', '--no-install-recommends', 'redis-server'],
    ];
  }
  return onPath('brew', path).length > 0 ? [['brew', 'install', 'redis']] : [];
};

/**
 * @param {string} name
 * @param {string} [path]
 */
const onPath = (name, path = process.env.PATH ?? '') =>
  path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter(isExecutable);

/** @param {string} file */
const isExecutable = (file) => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads the major version, from `Redis server v=7.0.15 sha=…` or `Valkey server v=8.1.1 sha=…`.
 * @param {string} command
 */
const majorOf = (command) =>
  Number(/\bv=(\d+)\./.exec(spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? 0);
