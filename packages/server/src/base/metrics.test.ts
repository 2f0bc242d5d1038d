import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Histogram } from './metrics.ts';

const valuesOf = (text: string, part: string): number[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`h_seconds_${part}`))
    .map((line) => Number(line.split(' ').at(-1)));

it('counts every observation in each bucket that it fits, sums them, and keeps labels apart', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1 }), (observed) => {
      const histogram = new Histogram({ name: 'h_seconds', help: 'h.' });
      for (const seconds of observed) histogram.observe('kind="a"', seconds);
      const text = histogram.text();
      const bounds = [...text.matchAll(/le="([^"]+)"/g)].map(([, bound]) =>
        Number(bound === '+Inf' ? Infinity : bound),
      );
      expect(valuesOf(text, 'bucket')).toEqual(bounds.map((bound) => observed.filter((s) => s <= bound).length));
      expect(valuesOf(text, 'count')).toEqual([observed.length]);
      expect(valuesOf(text, 'sum')[0]).toBeCloseTo(observed.reduce((a, b) => a + b));
      expect(histogram.countsAs({ name: 'h_total', help: 'h.' })).toContain(`\nh_total{kind="a"} ${observed.length}\n`);
      histogram.observe('kind="b"', 1);
      expect(valuesOf(histogram.text(), 'count')).toEqual([observed.length, 1]);
    }),
  );
});
