/** Finds a Redis on this machine, or installs one. */
import { spawnSync } from 'node:child_process';
import { runQuietly } from './child.mjs';
import { onPath } from './on-path.mjs';

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
    // oxlint-disable-next-line house/programs-by-name -- it was found on the PATH
    const code = await runQuietly(command, args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
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

/** Returns the path of its command line, of the same release. Throws as `requireRedis` does. */
export const requireRedisCli = () => requireRedis().replace(/server$/, 'cli');

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
 * Reads the major version, from `Redis server v=7.0.15 sha=…` or `Valkey server v=8.1.1 sha=…`.
 * @param {string} command
 */
const majorOf = (command) =>
  Number(/\bv=(\d+)\./.exec(spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout)?.[1] ?? 0);
