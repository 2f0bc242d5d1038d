import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RankedPostings } from './order.ts';

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
