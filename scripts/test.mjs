/**
 * `npm test`: everything that must hold, from a fresh clone. Installs, builds, lints, checks types and runs the tests
 * of every package, one package after another. Ends with the line `N passed, N failed`, in which a step that failed
 * counts as one, and exits with 0 only when nothing has failed.
 *
 * A package's test script either runs vitest (last, so that the reporter's options reach it) or writes
 * `{ passed, failed, skipped }` as a `.json` file into the folder `TEST_REPORT_DIR`.
 */
import './require-node.mjs';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, packages, pnpm, root, turbo } from './pnpm.mjs';
import { lineOf, readCount, sumOf } from './test-report.mjs';

/** @type {{ name: string, count: import('./test-report.mjs').Count }[]} */
const results = [];

/**
 * Runs a step that has no tests of its own: it counts only when it fails.
 * @param {string} name
 * @param {() => Promise<unknown>} action resolves with an exit code, or throws
 */
const step = async (name, action) => {
  console.log(`\n── ${name}`);
  const code = await action().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
  if (code !== 0) results.push({ name, count: { passed: 0, failed: 1, skipped: 0 } });
  return code === 0;
};

/** @param {{ name: string, path: string }} package_ */
const testPackage = async ({ name, path }) => {
  const { scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  if (path === root || scripts?.test === undefined) return;
  console.log(`\n── tests of ${name}`);
  const reportDir = join(root, '.test-report', basename(path));
  rmSync(reportDir, { recursive: true, force: true });
  mkdirSync(reportDir, { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(reportDir, 'vitest.json')}`];
  const args = scripts.test.includes('vitest') ? reporters : [];
  const exitCode = await pnpm(['run', 'test', ...args], { cwd: path, env: { TEST_REPORT_DIR: reportDir } });
  results.push({ name: `tests of ${name}`, count: readCount(reportDir, exitCode) });
};

const test = async () => {
  if (!(await step('install', () => install()))) return;
  if (!(await step('build', () => turbo('build')))) return;
  if (!(await step('Redis', () => findOrInstallRedis().then(() => 0)))) return;
  await step('format', () => pnpm(['exec', 'prettier', '--check', '.', '--log-level=warn']));
  await step('lint', () => pnpm(['exec', 'eslint', '.']));
  await step('unused code', () => pnpm(['exec', 'knip']));
  await step('types', () => turbo('typecheck', ['--continue=always']));
  for (const package_ of packages()) await testPackage(package_);
};

await test();
const total = sumOf(results.map(({ count }) => count));
const failed = results.filter(({ count }) => count.failed > 0);
console.log(failed.length === 0 ? '' : `\nFailed: ${failed.map(({ name }) => name).join(', ')}\n`);
console.log(lineOf(total));
process.exitCode = total.failed === 0 ? 0 : 1;
