/** What a package's test runs report: how many tests passed, failed and were skipped, and why those failed that did. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/**
 * @typedef {object} VitestReport The part of vitest's JSON report that is counted.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {VitestFile[]} testResults
 */

/**
 * @typedef {object} VitestFile
 * @property {string} name its path
 * @property {string} status
 * @property {string} [message] why it could not be run
 * @property {{ status: string, fullName?: string, failureMessages?: string[] }[]} assertionResults one for each test
 */

/** A file that could not be loaded, or whose hooks failed, counts as failed although none of its tests did. */
const isBroken = (/** @type {VitestFile} */ { status, assertionResults }) =>
  status === 'failed' && assertionResults.every((test) => test.status !== 'failed');

/**
 * The counts of a report: vitest's JSON or a plain `{ passed, failed, skipped }`.
 * @param {VitestReport | Count} report
 * @returns {Count}
 */
const countOf = (report) => {
  if ('passed' in report) return { passed: report.passed, failed: report.failed, skipped: report.skipped };
  const brokenFiles = report.testResults.filter(isBroken);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
};

/**
 * Adds up counts.
 * @param {readonly Count[]} counts
 * @returns {Count}
 */
export const sumOf = (counts) =>
  counts.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

const reportsIn = (/** @type {string} */ dir) =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')));

/**
 * The total of a package's reports. Tests that did not run, or a run that failed without a failed test, count as one
 * failure.
 * @param {string} dir holds the reports, each a `.json`
 * @param {number} exitCode of the package's test script
 * @returns {Count}
 */
export const readCount = (dir, exitCode) => {
  const count = sumOf(reportsIn(dir).map(countOf));
  const ran = count.passed + count.failed + count.skipped > 0;
  return count.failed === 0 && (!ran || exitCode !== 0) ? { ...count, failed: 1 } : count;
};

/**
 * Why tests failed: for each its file, name and errors.
 * @param {string} dir holds the reports
 * @returns {string[]} empty if a report says nothing of it
 */
export const readFailures = (dir) =>
  reportsIn(dir)
    .flatMap((report) => /** @type {VitestFile[]} */ (report.testResults ?? []))
    .flatMap((file) => [
      ...(isBroken(file) ? [`${file.name}\n${file.message ?? ''}`] : []),
      ...file.assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages = [] }) => [`${file.name}: ${fullName}`, ...failureMessages].join('\n')),
    ]);

/**
 * The line that CI reads.
 * @param {Count} count
 */
export const lineOf = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
