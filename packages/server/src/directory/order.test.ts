import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RankedOrder } from './order.ts';

type Place = { readonly rank: number; readonly ordinal: number };

const ordinal = fc.nat(90);
const rank = fc.nat(5);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), ordinal, rank }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), ordinal }) },
  fc.record({ do: fc.constant('setAll' as const), all: fc.array(fc.tuple(ordinal, rank)) }),
  fc.record({ do: fc.constant('read' as const) }),
);

it('has bots in the order of their ranks from anywhere, however they came, moved and went', () => {
  const start = fc.option(fc.record({ rank, ordinal }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), start, (steps, from) => {
      const order = new RankedOrder();
      const model = new Map<number, number>();
      const among = new Uint32Array(3).fill(0xffff_ffff);
      const found = (after?: Place): number[] => {
        const ordinals: number[] = [];
        order.each(among, after, (one) => ordinals.push(one) > 0);
        return ordinals;
      };
      const compare = (a: Place, b: Place): number => b.rank - a.rank || b.ordinal - a.ordinal;
      const expected = (after?: Place): number[] =>
        Array.from(model, ([one, own]) => ({ ordinal: one, rank: own }))
          .filter((one) => after === undefined || compare(one, after) > 0)
          .sort(compare)
          .map((one) => one.ordinal);
      for (const one of steps) {
        if (one.do === 'set') {
          order.set(one.ordinal, one.rank);
          model.set(one.ordinal, one.rank);
        } else if (one.do === 'delete') {
          order.delete(one.ordinal);
          model.delete(one.ordinal);
        } else if (one.do === 'setAll') {
          const known = one.all.filter(([each]) => model.has(each));
          order.setAll(known);
          for (const [each, own] of known) model.set(each, own);
        } else expect(found()).toEqual(expected());
      }
      expect(found(from)).toEqual(expected(from));
      expect(order.greatest).toBe(Math.max(0, ...model.values()));
      for (const [one, own] of model) expect(order.rankOf(one)).toBe(own);
    }),
  );
});
