import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lineOf, readReport } from '../test-report.mjs';

const dir = mkdtempSync(join(tmpdir(), 'reports-'));
afterAll(() => rmSync(dir, { recursive: true }));

const file = (...statuses: string[]) => ({
  name: 'a.test.ts',
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, i) => ({ status, fullName: `test ${String(i)}` })),
});

const broken = { ...file(), status: 'failed' };

/** Reads the report that vitest writes of these files. */
const read = (files: ReturnType<typeof file>[], exitCode: number) => {
  const count = (status: string) =>
    files.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
  const path = join(dir, 'vitest.json');
  const report = {
    numPassedTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    testResults: files,
  };
  writeFileSync(path, JSON.stringify(report));
  return readReport(path, exitCode);
};

it.each([
  ['all pass', 0, [file('passed', 'passed'), file('passed')], '3 passed, 0 failed', []],
  ['one fails', 1, [file('passed', 'failed'), file('passed')], '2 passed, 1 failed', ['a.test.ts: test 1']],
  ['some are skipped', 0, [file('passed', 'pending', 'todo')], '1 passed, 0 failed, 2 skipped', []],
  ['a file cannot be loaded', 1, [file('passed'), broken], '1 passed, 1 failed', ['a.test.ts: the file itself']],
  [
    'a hook fails after the tests of its file',
    1,
    [{ ...file('passed', 'passed'), status: 'failed' }],
    '2 passed, 1 failed',
    ['a.test.ts: the file itself'],
  ],
  ['there is no test', 0, [], '0 passed, 1 failed', ['there were no tests']],
  ['the run fails but no test', 1, [file('passed')], '1 passed, 1 failed', ['an error outside of any test']],
])('counts and names failures when %s', (_, exitCode, files, line, failures) => {
  const report = read(files, exitCode);
  expect([lineOf(report.count), report.failures]).toEqual([line, failures]);
});

it('counts a run without a report as one failure', () => {
  expect(lineOf(readReport(join(dir, 'none.json'), 0).count)).toBe('0 passed, 1 failed');
});
