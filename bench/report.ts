/**
 * Writes `docs/BENCHMARKS.md`, its plots and the figures of `docs/SCALING.md` from `bench/results/`. The same results
 * give the same bytes. `--check` writes nothing, and exits with 1 if a file is not what the results make.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { reportFiles } from './report/files.ts';

const isCheck = process.argv.includes('--check');
for (const { path, text } of await reportFiles()) {
  if (!isCheck) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(path);
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${path} is not what bench/results makes: npm run bench report`);
    process.exitCode = 1;
  }
}
