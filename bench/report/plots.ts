/** Which plots there are, and what they show. */
import { ours, type Figure, type Result } from '../support/results.ts';
import { bySize, figuresOf } from './figures.ts';
import { barPlot, linePlot, type Line } from './plot.ts';

/** A plot of the report. `of`: the section that it stands in. */
export type Plot = { readonly of: string; readonly file: string; readonly alt: string; readonly svg: string };

/** All plots for which there are results. */
export const plotsOf = (results: readonly Result[]): Plot[] => [
  ...sizePlots(results),
  ...readPlot(results),
  ...simulationPlots(results),
];

/** Against size: one figure each. */
const ofSize = [
  {
    file: 'write.svg',
    name: 'a write a second, whole, gzip: CPU of the first process a write',
    title: 'CPU that a write costs a web process, while whole lists are read as gzip',
    y: 'ms',
  },
  {
    file: 'first-list.svg',
    name: 'after a write: whole, gzip: first read',
    title: 'First whole list after a write, gzip',
    y: 'ms',
  },
  { file: 'start.svg', name: 'start until the first page', title: 'Start until the first page', y: 'ms' },
  { file: 'memory.svg', name: 'memory a bot (RSS)', title: 'Resident memory a bot, all encodings made', y: 'bytes' },
];

const sizePlots = (results: readonly Result[]): Plot[] => {
  const figures = bySize(results);
  return ofSize.flatMap(({ file, name, title, y }) => {
    const lines = line(figuresOf(figures, name, ours), ours);
    if (lines.length === 0) return [];
    return [{ of: 'size', file, alt: title, svg: linePlot({ title, x: 'bots', y, isLog: true }, lines) }];
  });
};

const line = (figures: readonly Figure[], name: string): Line[] =>
  figures.length === 0 ? [] : [{ name, points: figures.map(({ at = 0, value }) => [at, value] as const) }];

const readPlot = (results: readonly Result[]): Plot[] => {
  const figures = results.find(({ name }) => name === 'list')?.figures ?? [];
  const suffix = ': requests/s';
  const groups = [...new Set(figures.filter(({ unit }) => unit === '× bare').map(({ name }) => name))]
    .filter((name) => name.endsWith(suffix) && !name.includes('under writes'))
    .map((name) => name.slice(0, -suffix.length));
  if (groups.length === 0) return [];
  const bars = [ours, 'fastify', 'hono', 'ts-rest + Redis'].map((who) => ({
    name: who,
    values: groups.map((group) => figuresOf(figures, `${group}${suffix}`, who)[0]?.value ?? null),
  }));
  const title = 'Requests a second, as a share of bare node:http';
  return [{ of: 'list', file: 'reads.svg', alt: title, svg: barPlot(title, groups, bars) }];
};

const simulationPlots = (results: readonly Result[]): Plot[] => {
  const figures = results.find(({ name }) => name === 'simulate')?.figures ?? [];
  return [
    { file: 'day-oldest.svg', name: 'oldest undelivered', title: 'Oldest undelivered event, over a day', y: 's' },
    { file: 'day-attempts.svg', name: 'attempts', title: 'Attempts an hour, over a day', y: 'attempts' },
    { file: 'day-memory.svg', name: 'Redis memory', title: 'Redis memory, over a day', y: 'MB' },
  ].flatMap(({ file, name, title, y }) => {
    const own = figures.filter((one) => one.name === name && one.at !== undefined);
    const lines = [...new Set(own.map(({ who }) => who))].flatMap((who) => line(figuresOf(own, name, who), who));
    if (lines.length === 0) return [];
    return [{ of: 'simulate', file, alt: title, svg: linePlot({ title, x: 'hours', y, isLog: false }, lines) }];
  });
};
