/** The text of `docs/BENCHMARKS.md`: a summary, then the tables of each benchmark, and where and when it ran. */
import { ours, type Figure, type Result } from '../support/results.ts';
import { bySize, figuresOf } from './figures.ts';
import type { Plot } from './plots.ts';
import { count, table } from './table.ts';

/** What each benchmark says, in the order of the page. */
const sections: readonly { readonly name: string; readonly title: string; readonly text: string }[] = [
  {
    name: 'list',
    title: 'Reads, of 1,000 bots',
    text: 'Compared with bare `node:http` that writes the same bytes, in turns: medians of each turn’s ratio. “bare, checked” first sends Redis the same check as the directory, which is the limit for a server that is never stale. For latencies, less is better.',
  },
  { name: 'site', title: 'Pages', text: 'The same for pages of the site.' },
  {
    name: 'write',
    title: 'Submits',
    text: 'Compared with an Express handler that runs the same script, on a Redis of its own.',
  },
  {
    name: 'fan-out',
    title: 'Deliveries',
    text: 'Compared with a bare loop of `undici.request` (the limit) and BullMQ with one job per delivery (the peer).',
  },
  {
    name: 'asleep',
    title: 'Webhooks with filters',
    text: 'Each has the filter of another author. “Passed”: the worker has moved the positions of all of them.',
  },
  { name: 'scale', title: 'Webhooks', text: 'The cost of bookkeeping alone: nothing is sent.' },
  {
    name: 'recheck',
    title: 'Templates that are read again',
    text: 'One pass over 100,000 bots in 300 seconds, two thousand times as fast as in a week.',
  },
  { name: 'sdk', title: 'The client', text: 'Compared with bare `fetch` and `JSON.parse`.' },
  {
    name: 'simulate',
    title: 'A day of traffic, simulated',
    text: 'The real engine and scripts on a virtual clock; endpoints are simulated (`bench/simulate/endpoints.ts`).',
  },
];

/** Makes the text. */
export const benchmarks = (results: readonly Result[], plots: readonly Plot[]): string => {
  const parts = sections.flatMap(({ name, title, text }) => {
    const result = results.find((one) => one.name === name);
    return result === undefined ? [] : [section(title, text, result.figures, plots, name)];
  });
  return [
    '# Benchmarks',
    'Written by `npm run bench report` from `bench/results/`: do not edit it. [bench/README.md](../bench/README.md) explains each benchmark and how to run it. Ratios are comparable between machines, absolute figures are not.',
    circumstances(results),
    summary(results),
    plots
      .filter(({ file }) => summaryPlots.includes(file))
      .map(imageOf)
      .join('\n\n'),
    '## All figures',
    sizes(results, plots),
    ...parts,
  ].join('\n\n');
};

const summaryPlots = ['reads.svg', 'start.svg', 'memory.svg', 'day-oldest.svg'];

/** A figure of a result, and what it is compared with: another's figure of the same name, or a ratio. */
type SummaryRow = {
  readonly text: string;
  readonly result: string;
  readonly name: string;
  readonly compared?: { readonly who: string; readonly as: string } | { readonly ratio: string; readonly as: string };
};

const checked = 'a bare server that checks Redis';
const read = (text: string, name: string): SummaryRow => ({
  text,
  result: text === 'The home page' ? 'site' : 'list',
  name: `${name}: a second`,
  compared: { ratio: `${name}: requests/s, of the limit with its check`, as: checked },
});

const rows: readonly SummaryRow[] = [
  read('The list of 1,000 bots', 'all bots'),
  read('A page of 20', 'a page of 20'),
  read('A revalidation (304)', '304'),
  read('The home page', 'home page, br'),
  {
    text: 'Submits',
    result: 'write',
    name: 'submits a second',
    compared: { who: 'template, one script', as: 'Express that fetches the template and runs the same script' },
  },
  ...[
    ['Deliveries to one origin', 'kept-alive HTTPS, 1,000 webhooks at 1 origin: a second'],
    ['Deliveries to 1,000 origins', 'kept-alive HTTPS, 1,000 webhooks at 1,000 origins: a second'],
    ['From a publish to its first delivery', 'publish to first delivery, p50'],
  ].map(([text = '', name = '']): SummaryRow => ({
    text,
    name,
    result: 'fan-out',
    compared: { who: 'bare', as: 'a bare loop that sends' },
  })),
  {
    text: 'Redis memory of a pending delivery',
    result: 'fan-out',
    name: 'Redis memory of a pending delivery',
    compared: { who: 'bullmq', as: 'BullMQ, one job per delivery' },
  },
  {
    text: 'A call of the client',
    result: 'sdk',
    name: 'bots.get',
    compared: { who: 'bare fetch', as: 'bare `fetch`' },
  },
  ...[100_000, 1_000_000].flatMap((at): SummaryRow[] => {
    const result = `list-by-size-${at}`;
    return [
      { text: `Start with ${count(at)} bots`, result, name: 'start until the first page' },
      { text: `A search that is new, of ${count(at)} bots`, result, name: 'new query, q, common words: median' },
    ];
  }),
  { text: 'Memory of a bot, of 1,000,000', result: 'list-by-size-1000000', name: 'memory a bot (RSS)' },
];

/** How fast it is, compared with what, and what it costs as it grows. */
const summary = (results: readonly Result[]): string => {
  const shown = rows.flatMap(({ text, result, name, compared }) => {
    const figures = results.find((one) => one.name === result)?.figures ?? [];
    const who = result === 'sdk' ? 'SDK' : ours;
    const [own] = figuresOf(figures, name, who);
    if (own === undefined) return [];
    const unit = name.includes('a second') ? { ...own, unit: 'a second' } : own;
    if (compared === undefined) return [[text, valueOf(unit), '', '']];
    if ('ratio' in compared) {
      const share = figuresOf(figures, compared.ratio, who)[0]?.value;
      return [[text, valueOf(unit), share === undefined ? '' : `${share.toFixed(2)} ×`, compared.as]];
    }
    const [other] = figuresOf(figures, name, compared.who);
    return [[text, valueOf(unit), other === undefined ? '' : valueOf({ ...other, unit: unit.unit }), compared.as]];
  });
  return table(['', 'Directory', 'Compared', 'with'], shown);
};

const sizes = (results: readonly Result[], plots: readonly Plot[]): string => {
  const figures = bySize(results);
  if (figures.length === 0) return '';
  const columns = [...new Set(figures.map(({ at = 0 }) => count(at)))];
  const names = [...new Set(figures.map(({ name }) => name))];
  const rows = names.map((name) => [
    name,
    ...columns.map((column) => {
      const found = figures.find((one) => one.name === name && count(one.at ?? 0) === column);
      return found === undefined ? '' : valueOf(found);
    }),
  ]);
  return [
    '### Cost against size',
    'The cost of a directory by its number of bots.',
    imagesOf(plots, 'size'),
    folded(table(['', ...columns], rows)),
  ].join('\n\n');
};

const folded = (text: string): string => `<details>\n<summary>All figures</summary>\n\n${text}\n\n</details>`;

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
  return [`### ${title}`, text, imagesOf(plots, name), folded(table(['', ...who], rows))]
    .filter((part) => part !== '')
    .join('\n\n');
};

const imagesOf = (plots: readonly Plot[], of: string): string =>
  plots
    .filter((plot) => plot.of === of && !summaryPlots.includes(plot.file))
    .map(imageOf)
    .join('\n\n');

const imageOf = ({ file, alt }: Plot): string => `![${alt}](benchmarks/${file})`;

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
    'Load is the mean number of processes that wanted a core in the minute before the run began. Beyond a few tenths the machine had other work, and times, above all the longest stalls, are those of a busy machine.',
    table(['Result', 'Commit', 'Date', 'Machine', 'Load', 'Versions'], rows),
  ].join('\n\n');
};
