/** Counts how many tests passed, failed and were skipped, from the reports of a package's test runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/**
 * @typedef {object} VitestReport The part of vitest's JSON report that is counted.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one for each file
 */

/**
 * The counts of a report: vitest's JSON or a plain `{ passed, failed, skipped }`.
 * @param {VitestReport | Count} report
 * @returns {Count}
 */
const countOf = (report) => {
  if ('passed' in report) return { passed: report.passed, failed: report.failed, skipped: report.skipped };
  // A file that could not be loaded, or whose hooks failed, counts as failed although none of its tests did.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
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

/**
 * The total of a package's reports. Tests that did not run, or a run that failed without a failed test, count as one
 * failure.
 * @param {string} dir holds the reports, each a `.json`
 * @param {number} exitCode of the package's test script
 * @returns {Count}
 */
export const readCount = (dir, exitCode) => {
  const reports = readdirSync(dir).filter((name) => name.endsWith('.json'));
  const count = sumOf(reports.map((name) => countOf(JSON.parse(readFileSync(join(dir, name), 'utf8')))));
  const ran = count.passed + count.failed + count.skipped > 0;
  return count.failed === 0 && (!ran || exitCode !== 0) ? { ...count, failed: 1 } : count;
};

/**
 * The line that CI reads.
 * @param {Count} count
 */
export const lineOf = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
