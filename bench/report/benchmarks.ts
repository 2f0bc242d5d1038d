/** The text of `docs/BENCHMARKS.md`: plots, tables, and where and when each was measured. */
import type { Figure, Result } from '../support/results.ts';
import { bySize, figuresOf } from './figures.ts';
import type { Plot } from './plots.ts';
import { count, table } from './table.ts';

/** What each benchmark says, in the order of the page. */
const sections: readonly { readonly name: string; readonly title: string; readonly text: string }[] = [
  {
    name: 'list',
    title: 'Reads, of 1,000 bots',
    text: 'Beside bare `node:http` that writes the same bytes, in turns; medians of the ratios of each turn. «bare, checked» first asks Redis what the directory asks, and is the limit of whoever is never stale. Of latencies, less is better.',
  },
  { name: 'site', title: 'Pages', text: 'The same for pages of the site.' },
  { name: 'write', title: 'Submits', text: 'Beside an Express handler that runs the same script on the same Redis.' },
  {
    name: 'fan-out',
    title: 'Deliveries',
    text: 'Beside a bare loop of `undici.request` (the limit) and BullMQ with one job per delivery (the peer).',
  },
  { name: 'scale', title: 'Webhooks', text: 'Nothing is sent: what the bookkeeping alone takes.' },
  { name: 'sdk', title: 'The client', text: 'Beside bare `fetch` and `JSON.parse`.' },
  { name: 'several-cores', title: 'Several cores', text: 'Two web processes behind a proxy on one machine.' },
  {
    name: 'simulate',
    title: 'A day of traffic, simulated',
    text: 'The real engine and scripts on a virtual clock; endpoints are simulated (`bench/simulate/endpoints.ts`).',
  },
];

/** Makes it. */
export const benchmarks = (results: readonly Result[], plots: readonly Plot[]): string => {
  const parts = sections.flatMap(({ name, title, text }) => {
    const result = results.find((one) => one.name === name);
    return result === undefined ? [] : [section(title, text, result.figures, plots, name)];
  });
  return [
    '# Benchmarks',
    'Written by `npm run bench:report` from `bench/results/`: change nothing here. What each benchmark does, and how to run it, is in [bench/README.md](../bench/README.md). Ratios are comparable between machines; all else is not.',
    sizes(results, plots),
    ...parts,
    circumstances(results),
  ].join('\n\n');
};

const sizes = (results: readonly Result[], plots: readonly Plot[]): string => {
  const figures = bySize(results);
  if (figures.length === 0) return '';
  const columns = [...new Set(figures.map(({ at = 0, who }) => `${count(at)} ${who}`))];
  const names = [...new Set(figures.map(({ name }) => name))];
  const rows = names.map((name) => [
    name,
    ...columns.map((column) => {
      const found = figures.find((one) => one.name === name && `${count(one.at ?? 0)} ${one.who}` === column);
      return found === undefined ? '' : valueOf(found);
    }),
  ]);
  return [
    '## Cost against size',
    'What a directory of so many bots costs; `before` is the server before lists were kept in segments (commit 4579f55).',
    imagesOf(plots, 'size'),
    table(['', ...columns], rows),
  ].join('\n\n');
};

const section = (
  title: string,
  text: string,
  figures: readonly Figure[],
  plots: readonly Plot[],
  name: string,
): string => {
  const shown = figures.filter(({ at }) => at === undefined);
  const who = [...new Set(shown.map((one) => one.who))];
  const names = [...new Set(shown.map((one) => one.name))];
  const rows = names.map((row) => [
    row,
    ...who.map((column) => {
      const found = figuresOf(shown, row, column)[0];
      return found === undefined ? '' : valueOf(found);
    }),
  ]);
  return [`## ${title}`, text, imagesOf(plots, name), table(['', ...who], rows)]
    .filter((part) => part !== '')
    .join('\n\n');
};

const imagesOf = (plots: readonly Plot[], of: string): string =>
  plots
    .filter((plot) => plot.of === of)
    .map(({ file, alt }) => `![${alt}](benchmarks/${file})`)
    .join('\n\n');

const valueOf = ({ value, unit }: Figure): string => {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 0.1 ? 2 : 3;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })} ${unit}`.trim();
};

const circumstances = (results: readonly Result[]): string => {
  const rows = results.map(({ name, commit, date, machine, versions }) => [
    name,
    commit,
    date,
    `${machine.cores} × ${machine.cpu}, ${count(machine.memoryBytes / 2 ** 30)} GB`,
    machine.load === undefined ? 'not noted' : String(machine.load),
    Object.entries(versions)
      .map((pair) => pair.join(' '))
      .join(', '),
  ]);
  return [
    '## Where and when',
    'Load is the mean number of processes that wanted a core in the minute before the run began. Beyond a few tenths the machine had other work, and times, above all the longest stalls, are those of a busy machine.',
    table(['Result', 'Commit', 'Date', 'Machine', 'Load', 'Versions'], rows),
  ].join('\n\n');
};
