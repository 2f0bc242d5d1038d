/**
 * `npm test`: every check, from a fresh clone. It installs and builds, then lints, checks types and runs the tests of
 * every package, with a few jobs at once; a job's output is printed when it ends. Only what has changed is built. It
 * ends with what failed and the line `N passed, N failed`, in which a failed step counts as one, and exits with 0 only
 * if nothing has failed.
 *
 * A package's test script either runs vitest (last, so that the reporter's options reach it) or writes
 * `{ passed, failed, skipped }` as a `.json` file into the folder `TEST_REPORT_DIR`. `INSIDE_NPM_TEST` tells it that
 * all is installed and built.
 */
import './require-node.mjs';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, packages, pnpmForOutput, root, turbo, turboOptions } from './pnpm.mjs';
import { lineOf, readCount, readFailures, sumOf } from './test-report.mjs';

/** @typedef {import('./test-report.mjs').Count} Count */
/** @typedef {{ output: string, count: Count, failures: string[] }} JobResult */
/** @typedef {{ name: string, run: () => Promise<JobResult> }} Job */

/** @type {{ name: string, count: Count, failures: string[], seconds: number }[]} */
const results = [];
const nothing = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs what everything else needs. It counts only if it fails.
 * @param {string} name
 * @param {() => Promise<unknown>} action resolves with an exit code, or throws
 */
const step = async (name, action) => {
  console.log(`\n── ${name}`);
  const started = performance.now();
  const code = await action().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
  const count = code === 0 ? nothing : { ...nothing, failed: 1 };
  results.push({ name, count, failures: [], seconds: (performance.now() - started) / 1_000 });
  return code === 0;
};

/**
 * A job without tests: it counts only if it fails. It computes in what the tests leave, which mostly wait; beside an
 * equal, a Redis would be late to respond.
 * @param {string} name
 * @param {readonly string[]} args of pnpm
 * @returns {Job}
 */
const check = (name, args) => ({
  name,
  run: async () => {
    const { code, output } = await pnpmForOutput(args, { niceness: 19 });
    return code === 0
      ? { output, count: nothing, failures: [] }
      : { output, count: { ...nothing, failed: 1 }, failures: [output] };
  },
});

/** @typedef {{ args: readonly string[], niceness: number }} Part A part of a suite: what vitest is told. */

/**
 * The server's suite is by far the longest, and its longest file runs beside the others from the start. That one gives
 * way to them: it computes most of all, and waits for a busy machine as long as it must.
 * @type {Record<string, Part>}
 */
const serverParts = {
  '': { args: ['--exclude', 'test/site/browser.test.ts'], niceness: 0 },
  browser: { args: ['test/site/browser.test.ts'], niceness: 5 },
};

/** The packages whose suites take longest, which start first. */
const longest = ['server', 'sdk', 'deploy', 'webhook-receiver', 'openapi', 'scripts'];

/** @param {{ name: string }} package_ */
const rank = ({ name }) => {
  const at = longest.indexOf(name.split('/')[1] ?? '');
  return at === -1 ? longest.length : at;
};

/**
 * @param {{ name: string, path: string }} package_
 * @returns {Job[]} none for a package without tests
 */
const testsOf = ({ name, path }) => {
  const { scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  if (path === root || scripts?.test === undefined) return [];
  /** @type {Record<string, Part>} */
  const parts = name.endsWith('/server') ? serverParts : { '': { args: [], niceness: 0 } };
  return Object.entries(parts).map(([part, { args, niceness }]) => {
    const reportDir = join(root, '.test-report', [basename(path), part].filter(Boolean).join('-'));
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(reportDir, 'vitest.json')}`];
    const command = ['run', 'test', ...(scripts.test.includes('vitest') ? [...reporters, ...args] : [])];
    const run = async () => {
      rmSync(reportDir, { recursive: true, force: true });
      mkdirSync(reportDir, { recursive: true });
      const { code, output } = await pnpmForOutput(command, {
        cwd: path,
        env: { TEST_REPORT_DIR: reportDir, INSIDE_NPM_TEST: 'true' },
        niceness,
      });
      return { output, count: readCount(reportDir, code), failures: readFailures(reportDir) };
    };
    return { name: `tests of ${name}${part === '' ? '' : `: ${part}`}`, run };
  });
};

/** Runs jobs in order, so many at a time. */
const runJobs = async (/** @type {Job[]} */ jobs, atOnce = 1) => {
  const left = [...jobs];
  const work = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      const started = performance.now();
      const { output, ...result } = await job.run();
      results.push({ name: job.name, ...result, seconds: (performance.now() - started) / 1_000 });
      console.log(`\n── ${job.name}\n${output}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

const test = async () => {
  if (!(await step('install', () => install()))) return;
  if (!(await step('build', () => turbo('build')))) return;
  if (!(await step('Redis', () => findOrInstallRedis().then(() => 0)))) return;
  const suites = packages().sort((a, b) => rank(a) - rank(b));
  // Checks run at the lowest priority beside the suites, all at once: none is left to run alone when the suites end.
  const checks = [
    check('lint', ['exec', 'turbo', 'run', 'check:lint', ...turboOptions]),
    check('types', ['exec', 'node', 'scripts/typecheck.mjs']),
    check('unused code', ['exec', 'turbo', 'run', 'check:unused', ...turboOptions]),
    check('dependencies', ['exec', 'node', 'scripts/dependencies.mjs']),
    check('format', ['exec', 'prettier', '--check', '.', '--cache', '--cache-strategy=content', '--log-level=warn']),
  ];
  await Promise.all([runJobs(suites.flatMap(testsOf), 3), runJobs(checks, checks.length)]);
};

await test();
const total = sumOf(results.map(({ count }) => count));
const failed = results.filter(({ count }) => count.failed > 0);
for (const { name, seconds } of results) console.log(`${seconds.toFixed(0).padStart(5)} s  ${name}`);
for (const { name, failures } of failed) {
  console.log(`\n── Failed: ${name}`);
  for (const failure of failures) console.log(failure.slice(-4_000));
}
console.log(`\n${lineOf(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;
