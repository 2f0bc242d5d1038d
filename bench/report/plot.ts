/** Plots as SVG: the same rows give the same bytes, and one file is good on light and on dark. */
import { init, use } from 'echarts/core';
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

/** A line of a plot. */
export type Line = {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
};

/** What a plot says of its axes. `isLog`: both go in powers of ten. */
export type Axes = { readonly title: string; readonly x: string; readonly y: string; readonly isLog: boolean };

const width = 720;
const height = 380;
/** Stand-ins: each becomes a variable of the file's style, whose value depends on the reader's colours. */
const inks = { text: '#010101', faint: '#020202', series: ['#030303', '#040404', '#050505', '#060606'] };
const style = `<style>
svg{--t:#1f2328;--f:#d1d9e0;--s0:#0969da;--s1:#bc4c00;--s2:#1a7f37;--s3:#8250df}
@media (prefers-color-scheme:dark){svg{--t:#e6edf3;--f:#3d444d;--s0:#4493f8;--s1:#f0883e;--s2:#3fb950;--s3:#ab7df8}}
</style>`;

/** Lines over a size or a time. */
export const linePlot = ({ title, x, y, isLog }: Axes, lines: readonly Line[]): string =>
  render({
    ...frame(title),
    legend: { show: lines.length > 1, top: 36, itemWidth: 22, textStyle: { color: inks.text } },
    grid: { left: 80, right: 40, top: 90, bottom: 55 },
    xAxis: axis(x, isLog, 'middle'),
    yAxis: axis(y, isLog, 'end'),
    series: lines.map(({ name, points }) => ({
      name,
      type: 'line',
      data: points.map((point) => [...point]),
      symbol: 'circle',
      symbolSize: points.length > 30 ? 0 : 6,
      lineStyle: { width: 2 },
    })),
  });

/** Bars, one group for each name. */
export const barPlot = (
  title: string,
  groups: readonly string[],
  bars: readonly { readonly name: string; readonly values: readonly (number | null)[] }[],
): string =>
  render({
    ...frame(title),
    legend: { top: 36, itemWidth: 14, textStyle: { color: inks.text } },
    grid: { left: 50, right: 20, top: 90, bottom: 40 },
    xAxis: {
      type: 'category',
      data: [...groups],
      axisLabel: { color: inks.text, interval: 0 },
      axisLine: { lineStyle: { color: inks.text } },
    },
    yAxis: { ...axis('', false, 'end'), min: 0 },
    series: bars.map(({ name, values }) => ({ name, type: 'bar', data: [...values], barGap: '10%' })),
  });

const frame = (title: string) => ({
  animation: false,
  color: inks.series,
  textStyle: { fontFamily: 'system-ui, sans-serif' },
  title: { text: title, left: 'center', textStyle: { color: inks.text, fontSize: 15 } },
});

const axis = (name: string, isLog: boolean, nameLocation: 'middle' | 'end') => ({
  type: isLog ? 'log' : 'value',
  name,
  nameLocation,
  nameGap: nameLocation === 'middle' ? 32 : 12,
  nameTextStyle: { color: inks.text },
  axisLabel: { color: inks.text, formatter: (value: number) => value.toLocaleString('en') },
  axisLine: { show: true, lineStyle: { color: inks.text } },
  splitLine: { lineStyle: { color: inks.faint } },
});

const render = (option: Record<string, unknown>): string => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString({ useViewBox: true });
  chart.dispose();
  return `${normalized(svg)}\n`;
};

/** Numbers ids from the start of each plot, not of the process, and replaces the stand-ins for colours. */
const normalized = (svg: string): string => {
  const ids = new Map<string, string>();
  const colours: [string, string][] = [
    [inks.text, 'var(--t)'],
    [inks.faint, 'var(--f)'],
    ...inks.series.map((ink, i): [string, string] => [ink, `var(--s${i})`]),
  ];
  const named = svg.replaceAll(/zr\d+-[\w-]+/g, (id) => {
    const known = ids.get(id) ?? `i${ids.size}`;
    ids.set(id, known);
    return known;
  });
  const coloured = colours.reduce((text, [ink, variable]) => text.replaceAll(ink, variable), named);
  return coloured.replace(/(<svg[^>]*>)/, `$1\n${style}`);
};
