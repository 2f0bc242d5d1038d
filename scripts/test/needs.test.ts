/** A test that needs what the machine lacks is skipped under that name, and its hooks do not run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { root } from '../pnpm.mjs';
import { readReport } from '../test-report.mjs';

mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/needs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const suite = `
import { beforeAll, describe, expect, it } from 'vitest';
import { needs, permitted } from '${root}/packages/testing/src/needs.ts';
import { program } from '${root}/scripts/programs.mjs';
describe('a group', needs('nginx'), () => {
  beforeAll(() => void program('nginx'));
  it('of one', () => {});
  it('of two', () => {});
});
it('names the first that is missing', { timeout: 1_000, ...needs('haproxy', 'nginx') }, () => {});
it.each([1])('is refused', permitted('a mount', false), () => {});
it('is permitted', permitted('a file', true), () => {});
it('needs one that suffices', needs('php'), () => {});
it('starts it all the same', () => void program('nginx'));`;

it('is counted under the name of what is missing, and one that starts it all the same fails', () => {
  writeFileSync(join(folder, 'a.test.ts'), suite);
  writeFileSync(join(folder, 'php'), '#!/bin/false\n', { mode: 0o755 });
  writeFileSync(join(folder, 'vitest.config.ts'), 'export default {};');
  const report = join(folder, 'vitest.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`];
  const { status } = spawnSync(process.execPath, args, { env: { PATH: folder }, stdio: 'ignore' });
  const { count, failures, missing } = readReport(report, status ?? 1);
  expect(count).toEqual({ passed: 1, failed: 1, skipped: 5 });
  expect(failures).toEqual([expect.stringContaining('starts it all the same')]);
  expect(Object.fromEntries(missing)).toEqual({ nginx: 2, haproxy: 1, php: 1, 'a mount': 1 });
});
