import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lineOf, readCount, readFailures } from '../test-report.mjs';

const file = (...statuses: string[]) => ({
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});

const brokenFile = { status: 'failed', assertionResults: [] };

const vitest = (...testResults: ReturnType<typeof file>[]) => {
  const number = (status: string) =>
    testResults.flatMap((result) => result.assertionResults).filter((test) => test.status === status).length;
  return {
    numPassedTests: number('passed'),
    numFailedTests: number('failed'),
    numPendingTests: number('pending'),
    numTodoTests: number('todo'),
    testResults,
  };
};

/** What is read from a folder of reports. */
const read = <T>(readDir: (dir: string) => T, ...reports: object[]): T => {
  const dir = mkdtempSync(join(tmpdir(), 'reports-'));
  try {
    reports.forEach((report, index) => {
      writeFileSync(join(dir, `${String(index)}.json`), JSON.stringify(report));
    });
    return readDir(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
};

test.each([
  ['all pass', 0, [vitest(file('passed', 'passed'), file('passed'))], '3 passed, 0 failed'],
  ['one fails', 1, [vitest(file('passed', 'failed'), file('passed'))], '2 passed, 1 failed'],
  ['skipped ones are told', 0, [vitest(file('passed', 'pending', 'todo'))], '1 passed, 0 failed, 2 skipped'],
  ['a file that could not be loaded', 1, [vitest(file('passed'), brokenFile)], '1 passed, 1 failed'],
  [
    'a file whose hook failed after its tests',
    1,
    [vitest({ ...file('passed', 'passed'), status: 'failed' })],
    '2 passed, 1 failed',
  ],
  ['plain counts', 0, [{ passed: 4, failed: 0, skipped: 1 }], '4 passed, 0 failed, 1 skipped'],
  ['several reports', 1, [vitest(file('passed')), { passed: 4, failed: 2, skipped: 0 }], '5 passed, 2 failed'],
  ['no report', 0, [], '0 passed, 1 failed'],
  ['no test', 0, [vitest()], '0 passed, 1 failed'],
  ['the run failed although no test did', 1, [vitest(file('passed'))], '1 passed, 1 failed'],
])('counts: %s', (_, exitCode, reports, line) => {
  expect(read((dir) => lineOf(readCount(dir, exitCode)), ...reports)).toBe(line);
});

test('names what failed: the file, the test and its errors', () => {
  const failed = { status: 'failed', fullName: 'lists are sorted', failureMessages: ['expected 1 to be 2'] };
  const testResults = [
    { name: 'a.test.ts', status: 'failed', assertionResults: [{ status: 'passed' }, failed] },
    { name: 'b.test.ts', status: 'failed', message: 'cannot be loaded', assertionResults: [] },
    { name: 'c.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
  ];
  expect(read(readFailures, { testResults }, { passed: 1, failed: 1, skipped: 0 })).toEqual([
    'a.test.ts: lists are sorted\nexpected 1 to be 2',
    'b.test.ts\ncannot be loaded',
  ]);
});
