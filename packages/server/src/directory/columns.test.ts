import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyTable } from './columns.ts';

const step = fc.record({
  do: fc.constantFrom('add' as const, 'add' as const, 'delete' as const),
  ordinal: fc.nat(3_000),
  key: fc.oneof(fc.constantFrom('', 'bot', 'née', '数据'), fc.string()),
});

it('finds the entries of a key, however many came and went, and when it is restored', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 500, size: 'max' }), fc.nat(12_000), (steps, more) => {
      const table = new KeyTable();
      const model = new Map<number, string>();
      for (let ordinal = 4_000; ordinal < 4_000 + more; ordinal += 1) {
        table.add(ordinal, `key-${ordinal}`);
        model.set(ordinal, `key-${ordinal}`);
      }
      for (const { do: what, ordinal, key } of steps) {
        if (model.delete(ordinal) || what === 'delete') table.delete(ordinal);
        if (what === 'delete') continue;
        table.add(ordinal, key);
        model.set(ordinal, key);
      }
      const restored = new KeyTable();
      restored.restore(0, table.hashesOf(Array.from({ length: 16_001 }, (_, ordinal) => model.get(ordinal))));
      const expected = new Map<string, number[]>([['none', []]]);
      for (const [ordinal, key] of [...model].sort(([a], [b]) => a - b))
        expected.set(key, [...(expected.get(key) ?? []), ordinal]);
      for (const one of [table, restored])
        for (const [key, ordinals] of expected) {
          const mayHave = one.mayHave(key).sort((a, b) => a - b);
          expect(mayHave.filter((ordinal) => model.get(ordinal) === key)).toEqual(ordinals);
          expect(mayHave.every((ordinal) => model.has(ordinal))).toBe(true);
        }
    }),
    { numRuns: 30 },
  );
});
