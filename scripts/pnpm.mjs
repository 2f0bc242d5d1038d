/**
 * The package manager, at the version that package.json pins, on a machine that only has npm. Commands that it runs
 * find it on the PATH too; turbo needs that.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runForOutput, runQuietly } from './child.mjs';

/** The project's folder. */
export const root = join(import.meta.dirname, '..');

const quiet = { COREPACK_ENABLE_DOWNLOAD_PROMPT: '0', TURBO_TELEMETRY_DISABLED: '1' };

/** @type {string | undefined} */
let path;

const environment = () => {
  path ??= pathWithPnpm();
  return { ...process.env, ...quiet, PATH: path };
};

/**
 * Runs `pnpm …`; resolves to its exit code.
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export const pnpm = (args, { cwd = root, env = {} } = {}) =>
  run('pnpm', args, { cwd, env: { ...environment(), ...env } });

/**
 * Runs `pnpm …`; resolves to its exit code and its output.
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, niceness?: number }} [options]
 */
export const pnpmForOutput = (args, { cwd = root, env = {}, niceness = 0 } = {}) =>
  runForOutput('pnpm', args, { cwd, env: { ...environment(), ...env }, niceness });

/**
 * Installs exactly what the lockfile says. Takes a fifth of a second when nothing has changed.
 * @param {readonly string[]} [options]
 */
export const install = (options = []) => pnpm(['install', '--frozen-lockfile', ...options]);

/** Options for `turbo run`: its output is lines, and only those of tasks that are not cached. */
export const turboOptions = ['--ui=stream', '--output-logs=new-only'];

/**
 * Runs a task of turbo.json; unchanged results come from its cache.
 * @param {string} task
 * @param {readonly string[]} [options]
 */
export const turbo = (task, options = []) =>
  pnpm(['exec', 'turbo', 'run', task, ...turboOptions, '--concurrency=100%', ...options]);

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
const pnpmQuietly = (args, env) => runQuietly('pnpm', args, { cwd: root, env: { ...environment(), ...env } });

/** Whether what tests need is here, too: an install or a build without it would take it away. */
const isForTests = () => existsSync(join(root, 'node_modules/vitest'));

/**
 * Installs what packages need to be built and to run, without what their tests need. Quiet.
 * @param {readonly string[]} names
 */
export const installToRun = (names) =>
  pnpmQuietly([
    'install',
    '--frozen-lockfile',
    ...(isForTests() ? [] : ['--prod']),
    ...names.map((name) => `--filter-prod=${name}...`),
  ]);

/**
 * Builds packages, and those that they need, without declarations of types. Quiet.
 * @param {readonly string[]} names
 */
export const buildToRun = (names) =>
  pnpmQuietly(
    ['exec', 'turbo', 'run', 'build', ...turboOptions, ...names.map((name) => `--filter=${name}...`)],
    isForTests() ? {} : { DTS: '0' },
  );

/**
 * Returns the packages of the workspace. Needs an install. `ofChecks`: whether a package is in `checks/`, or uses one
 * that is: what `npm test` neither installs whole nor lints.
 * @returns {{ name: string, path: string, ofChecks: boolean }[]}
 */
export const packages = () => {
  const list = spawnSync('pnpm', ['ls', '--recursive', '--depth', '-1', '--json'], {
    cwd: root,
    encoding: 'utf8',
    env: environment(),
  });
  /** @type {{ name: string, path: string }[]} */
  const all = JSON.parse(list.stdout);
  return all.map((one) => ({ ...one, ofChecks: /"@bot-directory\/check-/.test(readManifest(one.path)) }));
};

/** @param {string} folder */
const readManifest = (folder) => readFileSync(join(folder, 'package.json'), 'utf8');

const pathWithPnpm = () => {
  const { packageManager } = JSON.parse(readManifest(root));
  const [, version = '', major = ''] = /^pnpm@((\d+)[^+]*)/.exec(packageManager) ?? [];
  const installed = spawnSync('pnpm', ['--version'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...quiet },
  });
  if (installed.stdout?.startsWith(`${major}.`)) return process.env.PATH;
  const npx = spawnSync('npx', ['--yes', '--package', `pnpm@${version}`, '--', 'node', '-p', 'process.env.PATH'], {
    // Here, npx would read all of node_modules first, which takes ten seconds.
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  if (npx.status !== 0)
    throw new Error(`${npx.stderr}\nnpx could not fetch pnpm@${version}; is the npm registry reachable?`);
  return npx.stdout.trim();
};
