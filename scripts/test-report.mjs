/** What vitest's JSON report says of a run: how many tests passed, failed and were skipped, which, and for what. */
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
 * @property {VitestTest[]} assertionResults
 */

/**
 * @typedef {object} VitestTest
 * @property {string} status
 * @property {string} fullName
 * @property {{ missing?: string }} [meta] `missing`: see `needs` of packages/testing
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
 * Returns what was missing, and how many tests were skipped for it.
 * @param {VitestTest[]} tests
 */
const missingIn = (tests) => {
  /** @type {Map<string, number>} */
  const missing = new Map();
  for (const { status, meta } of tests)
    if (status !== 'passed' && meta?.missing !== undefined)
      missing.set(meta.missing, (missing.get(meta.missing) ?? 0) + 1);
  return missing;
};

/**
 * Reads the report of a run. A run without tests, or one that failed without a failed test, is one failure.
 * @param {string} file
 * @param {number} exitCode of vitest
 * @returns {{ count: Count, failures: string[], missing: Map<string, number> }}
 */
export const readReport = (file, exitCode) => {
  const none = { passed: 0, failed: 1, skipped: 0 };
  if (!existsSync(file)) return { count: none, failures: ['vitest itself'], missing: new Map() };
  /** @type {VitestReport} */
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const passed = report.numPassedTests;
  const skipped = report.numPendingTests + report.numTodoTests;
  const failures = report.testResults.flatMap(failuresOf);
  if (failures.length === 0 && passed + skipped === 0) failures.push('there were no tests');
  if (failures.length === 0 && exitCode !== 0) failures.push('an error outside of any test');
  const missing = missingIn(report.testResults.flatMap(({ assertionResults }) => assertionResults));
  return { count: { passed, failed: failures.length, skipped }, failures, missing };
};

/**
 * Returns the line that CI reads.
 * @param {Count} count
 */
export const lineOf = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
