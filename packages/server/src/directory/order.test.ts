import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RankedPostings, UpdateOrder } from './order.ts';

it('iterates bots in the order of their ranks from anywhere', () => {
  const rank = fc.nat(5);
  const entries = fc.array(fc.record({ rank, isGone: fc.boolean() }), { maxLength: 40 });
  const start = fc.option(fc.record({ rank, ordinal: fc.nat(40) }), { nil: undefined });
  fc.assert(
    fc.property(entries, start, (all, from) => {
      const postings = new RankedPostings();
      const among = new Uint32Array(2).fill(0xffff_ffff);
      for (const [ordinal, one] of all.entries()) postings.add(one.rank, ordinal);
      for (const [ordinal, one] of all.entries()) if (one.isGone) postings.delete(one.rank, ordinal);
      const found: number[] = [];
      postings.each(among, from, (ordinal) => found.push(ordinal) > 0);
      type Place = { readonly rank: number; readonly ordinal: number };
      const order = (a: Place, b: Place): number => b.rank - a.rank || b.ordinal - a.ordinal;
      const expected = all
        .map((one, ordinal) => ({ ...one, ordinal }))
        .filter((one) => !one.isGone && (from === undefined || order(one, from) > 0))
        .sort(order);
      expect(found).toEqual(expected.map(({ ordinal }) => ordinal));
    }),
  );
});

const step = fc.record({ ordinal: fc.nat(90), atMs: fc.nat(5_000), isRemoved: fc.boolean() });

it('keeps the order of the last updates, however many there were', () => {
  const steps = fc.array(step, { minLength: 1_200, maxLength: 3_000, size: 'max' });
  fc.assert(
    fc.property(steps, fc.nat(90), fc.nat(5_000), (all, ordinal, rank) => {
      const order = new UpdateOrder();
      const model = new Map<number, number>();
      for (const one of all) {
        if (one.isRemoved && one.ordinal % 5 === 0) {
          order.delete(one.ordinal);
          model.delete(one.ordinal);
        } else {
          order.set(one.ordinal, one.atMs);
          model.set(one.ordinal, one.atMs);
        }
      }
      const expected = [...model].sort(([a, aMs], [b, bMs]) => bMs - aMs || b - a).map(([one]) => one);
      const among = new Uint32Array(3).fill(0xffffffff);
      const found: number[] = [];
      order.each(among, undefined, (one) => found.push(one) > 0);
      expect(found).toEqual(expected);
      const rest: number[] = [];
      order.each(among, { ordinal, rank }, (one) => rest.push(one) > 0);
      const isBelow = (one: number) => order.atMs(one) < rank || (order.atMs(one) === rank && one < ordinal);
      expect(rest).toEqual(expected.filter(isBelow));
    }),
    { numRuns: 30 },
  );
});
