/**
 * `npm test`: every check, from a fresh clone, or with paths (`npm test -- deploy`) only the tests there. It installs
 * and builds, then runs all suites while it lints, checks types and so on; the output of such a check is printed when
 * it ends. It ends with what was skipped and why, what failed, and the line `N passed, N failed`, in which a failed
 * check counts as one. It exits with 0 only if nothing has failed. `INSIDE_NPM_TEST` says to the tests that all is
 * installed and built.
 */
import './require-node.mjs';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, pnpm, pnpmForOutput, root, turbo, turboOptions } from './pnpm.mjs';
import { packageOf } from './programs.mjs';
import { lineOf, readReport } from './test-report.mjs';

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
  const code = await pnpm(['exec', 'vitest', 'run', ...reporters, ...process.argv.slice(2)], {
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
  if (!(await step('install', () => install()))) return none;
  if (!(await step('build', () => turbo('build')))) return none;
  if (!(await step('Redis', () => findOrInstallRedis().then(() => 0)))) return none;
  const [count] = await Promise.all([
    runSuites(),
    check('lint', ['exec', 'turbo', 'run', 'check:lint', ...turboOptions]),
    check('types', ['exec', 'node', 'scripts/typecheck.mjs']),
    check('unused code', ['exec', 'turbo', 'run', 'check:unused', ...turboOptions]),
    check('dependencies', ['exec', 'node', 'scripts/dependencies.mjs']),
    // At home, work in progress may have any message.
    ...(process.env.CI === undefined ? [] : [check('commit messages', ['exec', 'node', 'scripts/commits.mjs'])]),
    check('format', ['exec', 'oxfmt', '--check']),
  ]);
  return count;
};

const count = await test();
for (const skip of skips) console.log(`\n── ${skip}`);
for (const failure of failures) console.log(`\n── Failed: ${failure}`);
console.log(`\n${lineOf({ ...count, failed: failures.length })}`);
process.exitCode = failures.length === 0 ? 0 : 1;
