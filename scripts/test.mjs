/**
 * `npm test`: format, lint, types, and the tests that need a Redis alone. `npm run test:all`: every test and check, or
 * with `--rest` only what `npm test` leaves out: tests that take long or start other programs (`*.full.test.ts`), and
 * `checks/` with what uses it. With paths (`npm test -- deploy`): only the tests there, of any kind.
 *
 * It installs and builds what that needs, then runs the tests while it lints, checks types and so on; the output of
 * such a check is printed when it ends. It ends with what was skipped and why, what failed, and the line `N passed, N
 * failed`, in which a failed check counts as one. It exits with 0 only if nothing has failed. `INSIDE_NPM_TEST` says to
 * the tests that all is installed and built.
 */
import './require-node.mjs';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, pnpm, pnpmForOutput, root, turbo, turboOptions } from './pnpm.mjs';
import { packageOf } from './programs.mjs';
import { lineOf, readReport } from './test-report.mjs';

/**
 * @typedef {object} Run
 * @property {string[]} packages the options with which pnpm installs them
 * @property {string[]} tests arguments of vitest
 * @property {Record<string, string[]>} checks by name, arguments of pnpm
 */

/** @param {string[]} args */
const lint = (...args) => ['exec', 'turbo', 'run', 'check:lint', ...turboOptions, '--', ...args];
/** @param {string[]} args */
const types = (...args) => ['exec', 'node', 'scripts/typecheck.mjs', ...args];
const format = ['exec', 'oxfmt', '--check'];
const others = {
  'unused code': ['exec', 'turbo', 'run', 'check:unused', ...turboOptions],
  dependencies: ['exec', 'node', 'scripts/dependencies.mjs'],
  // At home, work in progress may have any message.
  ...(process.env.CI === undefined ? {} : { 'commit messages': ['exec', 'node', 'scripts/commits.mjs'] }),
};

/** @type {Record<'first' | 'all' | 'rest', Run>} */
const runs = {
  first: {
    packages: ['--filter=!./checks/**'],
    tests: ['--exclude=**/*.full.*', '--project=!@bot-directory/check-*'],
    checks: { lint: lint('--without-checks'), types: types('--without-checks'), format },
  },
  all: { packages: [], tests: [], checks: { lint: lint(), types: types(), ...others, format } },
  rest: {
    packages: [],
    tests: ['.full.', join(root, 'checks/')],
    checks: { lint: lint('--only-checks'), types: types('--only-checks'), ...others },
  },
};

/** @param {string[]} words @returns {Run} */
const chosen = ([word, ...rest]) => {
  if (word === undefined) return runs.first;
  if (word !== '--all') return { packages: [], tests: [word, ...rest], checks: {} };
  return rest.includes('--rest') ? runs.rest : runs.all;
};
const { packages, tests, checks } = chosen(process.argv.slice(2));

/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const skips = [];

/** @param {string} name @param {number} since */
const printTime = (name, since) =>
  console.log(`── ${name}: ${((performance.now() - since) / 1_000).toFixed(0)} seconds`);

/**
 * Runs what everything else needs.
 * @param {string} name
 * @param {() => Promise<unknown>} action resolves with an exit code, or throws
 */
const step = async (name, action) => {
  console.log(`\n── ${name}`);
  const code = await action().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
  if (code !== 0) failures.push(name);
  return code === 0;
};

/**
 * Runs a check without tests. It has the lowest priority and computes while the tests wait, as they mostly do. At equal
 * priority it would make a Redis late to respond.
 * @param {string} name
 * @param {readonly string[]} args of pnpm
 */
const check = async (name, args) => {
  const started = performance.now();
  const { code, output } = await pnpmForOutput(args, { niceness: 19 });
  console.log(`\n${output}`);
  printTime(name, started);
  if (code !== 0) failures.push(`${name}\n${output.slice(-4_000)}`);
};

const runSuites = async () => {
  const started = performance.now();
  const file = join(root, '.test-report/vitest.json');
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await pnpm(['exec', 'vitest', 'run', ...reporters, ...tests], {
    env: { INSIDE_NPM_TEST: 'true' },
  });
  const report = readReport(file, code);
  printTime('tests', started);
  failures.push(...report.failures);
  for (const [what, count] of report.missing) noteMissing(what, count);
  return report.count;
};

/**
 * Notes what this machine lacks. `.ci/run` installs what Debian has, so there it is a failure.
 * @param {string} what
 * @param {number} count of the tests that were skipped
 */
const noteMissing = (what, count) => {
  const text = `Skipped without ${what}: ${count} ${count === 1 ? 'test' : 'tests'}`;
  if (process.env.CI !== undefined && packageOf(what) !== undefined) failures.push(text);
  else skips.push(text);
};

const test = async () => {
  const none = { passed: 0, failed: 0, skipped: 0 };
  if (!(await step('install', () => install(packages)))) return none;
  if (!(await step('build', () => turbo('build')))) return none;
  if (!(await step('Redis', () => findOrInstallRedis().then(() => 0)))) return none;
  const [count] = await Promise.all([runSuites(), ...Object.entries(checks).map(([name, args]) => check(name, args))]);
  return count;
};

const count = await test();
for (const skip of skips) console.log(`\n── ${skip}`);
for (const failure of failures) console.log(`\n── Failed: ${failure}`);
console.log(`\n${lineOf({ ...count, failed: failures.length })}`);
process.exitCode = failures.length === 0 ? 0 : 1;
