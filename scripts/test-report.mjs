/** What vitest's JSON report says of a run: how many tests passed, failed and were skipped, and which failed. */
import { existsSync, readFileSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/**
 * @typedef {object} VitestReport The part of the report that is read.
 * @property {number} numPassedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {VitestFile[]} testResults
 */

/**
 * @typedef {object} VitestFile
 * @property {string} name its path
 * @property {string} status
 * @property {{ status: string, fullName: string }[]} assertionResults one for each test
 */

/**
 * Names what failed in a file. A file that could not be loaded, or whose hooks failed, counts as one failure although
 * none of its tests did.
 * @param {VitestFile} file
 */
const failuresOf = ({ name, status, assertionResults }) => {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [`${name}: the file itself`];
  return failed.map(({ fullName }) => `${name}: ${fullName}`);
};

/**
 * Reads the report of a run. A run without tests, or one that failed without a failed test, is one failure.
 * @param {string} file
 * @param {number} exitCode of vitest
 * @returns {{ count: Count, failures: string[] }}
 */
export const readReport = (file, exitCode) => {
  if (!existsSync(file)) return { count: { passed: 0, failed: 1, skipped: 0 }, failures: ['vitest itself'] };
  /** @type {VitestReport} */
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const [passed, skipped] = [report.numPassedTests, report.numPendingTests + report.numTodoTests];
  const failures = report.testResults.flatMap(failuresOf);
  if (failures.length === 0 && passed + skipped === 0) failures.push('there were no tests');
  if (failures.length === 0 && exitCode !== 0) failures.push('an error outside of any test');
  return { count: { passed, failed: failures.length, skipped }, failures };
};

/**
 * Returns the line that CI reads.
 * @param {Count} count
 */
export const lineOf = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
