/** What a benchmark leaves for the tables and plots: one JSON file a run, with the machine and the versions beside it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Writes `bench/results/<name>.json`, in place of an earlier run's. Gives its path. */
export const writeResult = (name: string, figures: object): string => {
  const path = fileURLToPath(new URL(`../results/${name}.json`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ name, ...circumstances(), figures }, null, 2)}\n`);
  return path;
};

const circumstances = () => ({
  takenAt: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim(),
  node: process.version,
  machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, memoryBytes: totalmem() },
});
