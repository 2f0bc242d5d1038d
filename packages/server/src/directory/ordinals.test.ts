import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBits, eachBitDown, OrdinalSet, wordsFor } from './ordinals.ts';

/** Dense at first, then sparse among many: both forms of the set. */
const ordinal = fc.oneof(fc.nat(200), fc.nat(20_000));
const step = fc.record({ ordinal, remove: fc.boolean() });
const down = (model: Set<number>, end: number): number[] => [...model].filter((one) => one < end).sort((a, b) => b - a);

describe('a set of ordinals', () => {
  it('equals a plain set, however it grew and shrank', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 800, size: 'max' }),
        fc.array(fc.nat(300), { maxLength: 300, size: 'max' }),
        fc.nat(20_100),
        (steps, ascending, end) => {
          const set = new OrdinalSet();
          const model = new Set<number>();
          for (const one of [...new Set(ascending)].sort((a, b) => a - b)) {
            set.add(one);
            model.add(one);
          }
          for (const { ordinal: one, remove } of steps) {
            if (remove) set.delete(one);
            else set.add(one);
            if (remove) model.delete(one);
            else model.add(one);
            expect(set.has(one)).toBe(!remove);
          }
          expect(set.size).toBe(model.size);
          const all = set.toBits(wordsFor(20_101));
          expect(countBits(all)).toBe(model.size);
          const seen: number[] = [];
          eachBitDown(all, (one) => seen.push(one) > 0, end);
          expect(seen).toEqual(down(model, end));
          const own: number[] = [];
          set.eachDown(all, (one) => own.push(one) < 5);
          expect(own).toEqual(down(model, Infinity).slice(0, 5));
          expect(set.first(all, 5)).toEqual(down(model, Infinity).reverse().slice(0, 5));
        },
      ),
      { numRuns: 50 },
    );
  });
});
