/** How many tests passed, failed and were skipped, by the reports that a package's test runs have written. */
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
 * The sum of a report, in vitest's JSON or as a plain `{ passed, failed, skipped }`.
 * @param {VitestReport | Count} report
 * @returns {Count}
 */
const countOf = (report) => {
  if ('passed' in report) return { passed: report.passed, failed: report.failed, skipped: report.skipped };
  // A file that could not be loaded, or whose hooks failed, has failed although no test in it has.
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
 * Adds counts up.
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
 * The sum of a package's reports. Tests that did not run, or a run that failed without a failed test, are one failure.
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
 * The one line that CI reads.
 * @param {Count} count
 */
export const lineOf = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
