/**
 * What a benchmark leaves for the tables and plots: one JSON file a run, with the machine, the versions and its
 * rows. `bench/results/` is part of the repository, and `npm run bench report` writes `docs/BENCHMARKS.md` from it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { requireRedis } from '../../scripts/find-redis.mjs';

/** One figure. `who` was measured; `at`: the size, or the hour, that it was measured at. */
export type Figure = {
  readonly name: string;
  readonly who: string;
  readonly at?: number;
  readonly value: number;
  readonly unit: string;
};

/** A run of a benchmark. `commit` and `date` are those of what was measured. */
export type Result = {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  /**
   * `load`: the mean number of processes that wanted a core in the minute before. Beyond a few tenths, it adds noise.
   */
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryBytes: number;
    readonly load?: number;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly figures: readonly Figure[];
};

const date = new Date().toISOString().slice(0, 10);
const loadAtStart = Math.round((loadavg()[0] ?? 0) * 10) / 10;

/** The service itself, among those who were measured. */
export const ours = 'directory';

/** Where the results are. */
export const resultsDir = fileURLToPath(new URL('../results/', import.meta.url));

/** Writes `bench/results/<name>.json`, over an earlier run's. `commit`: that of the build, if it is not this one. */
export const writeResult = (name: string, figures: readonly Figure[], commit = headCommit()): string => {
  const path = `${resultsDir}${name}.json`;
  mkdirSync(dirname(path), { recursive: true });
  const result: Result = { name, commit, date, ...surroundings(), figures };
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  return path;
};

const headCommit = (): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim();

const surroundings = (): Pick<Result, 'machine' | 'versions'> => ({
  machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, memoryBytes: totalmem(), load: loadAtStart },
  versions: {
    node: process.version.slice(1),
    redis: /v=([\d.]+)/.exec(execFileSync(requireRedis(), ['--version'], { encoding: 'utf8' }))?.[1] ?? '',
    ...Object.fromEntries(peers.map((peer) => [peer, manifest.dependencies[peer]])),
  },
});

const peers = ['bullmq', 'fastify', 'hono', 'undici'] as const;
