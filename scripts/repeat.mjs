/**
 * Runs the server's suite repeatedly while another process keeps every processor busy, until a test fails: `npm run
 * repeat -- 20`; file names after the number limit the run to those. It prints what failed by name, and how many runs
 * passed. The busy process ends with this one, whatever ends it.
 */
import './require-node.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { pnpmForOutput, turbo } from './pnpm.mjs';
import { readReport } from './test-report.mjs';

const [times = '20', ...named] = process.argv.slice(2);
const files = named.length > 0 ? named : ['packages/server/'];
const dir = mkdtempSync(join(tmpdir(), 'bot-directory-repeat-'));
const reportFile = join(dir, 'vitest.json');

/** Runs the suite once. Returns what failed. */
const runOnce = async () => {
  rmSync(reportFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const { code, output } = await pnpmForOutput(['exec', 'vitest', 'run', ...reporters, ...files]);
  if (code !== 0) console.log(output);
  return readReport(reportFile, code).failures;
};

const repeat = async () => {
  if ((await turbo('build')) !== 0) return 1;
  for (let i = 0; i < availableParallelism(); i += 1) new Worker('for (;;);', { eval: true }).unref();
  for (let run = 1; run <= Number(times); run += 1) {
    const started = performance.now();
    const failed = await runOnce();
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    console.log(`run ${run} of ${times}: ${failed.length === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
    for (const name of failed) console.log(`  ${name}`);
    if (failed.length > 0) return 1;
  }
  return 0;
};

const code = await repeat();
rmSync(dir, { recursive: true, force: true });
process.exit(code);
