/** All files of the report, as they should be. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatted } from '@bot-directory/codegen/formatted';
import { resultsDir, type Result } from '../support/results.ts';
import { benchmarks } from './benchmarks.ts';
import { plotsOf } from './plots.ts';
import { workedExample } from './worked-example.ts';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const begin = '<!-- begin: written by npm run bench report -->';
const end = '<!-- end -->';

/** A file's path, and its text. */
export type ReportFile = { readonly path: string; readonly text: string };

/** Every result that is there, by name. */
const readResults = (): Result[] =>
  readdirSync(resultsDir)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(`${resultsDir}${name}`, 'utf8')) as Result);

/** Makes all files. */
export const reportFiles = async (results: readonly Result[] = readResults()): Promise<ReportFile[]> => {
  const plots = plotsOf(results);
  const benchmarksPath = `${docs}BENCHMARKS.md`;
  const scalingPath = `${docs}SCALING.md`;
  return [
    { path: benchmarksPath, text: await formatted(benchmarksPath, benchmarks(results, plots)) },
    ...plots.map(({ file, svg }) => ({ path: `${docs}benchmarks/${file}`, text: svg })),
    ...(existsSync(scalingPath)
      ? [
          {
            path: scalingPath,
            text: await formatted(scalingPath, withExample(readFileSync(scalingPath, 'utf8'), results)),
          },
        ]
      : []),
  ];
};

const withExample = (text: string, results: readonly Result[]): string => {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error('docs/SCALING.md has no place for the worked example.');
  return `${text.slice(0, from + begin.length)}\n\n${workedExample(results)}\n\n${text.slice(to)}`;
};
