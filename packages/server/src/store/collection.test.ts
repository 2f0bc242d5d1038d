import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collection, jsonArray, type Stored } from './collection.ts';

const entry = (seq: number, version: number): Stored => ({
  id: `bot_${seq}`,
  seq,
  version,
  changedAtMs: version,
  json: Buffer.from(JSON.stringify({ seq, version })),
});
const parsed = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

describe('a collection', () => {
  it('is an empty array when nothing is in it', () => {
    expect(new Collection().bytes().toString()).toBe('[]');
    expect(jsonArray([]).toString()).toBe('[]');
  });

  it('gives the bytes of a plain sorted list, whatever changed in which order and whenever it was read', () => {
    const changes = fc.array(fc.record({ seq: fc.integer({ min: 1, max: 700 }), read: fc.boolean() }), {
      maxLength: 1_500,
      size: 'max',
    });
    fc.assert(
      fc.property(changes, (steps) => {
        const collection = new Collection<Stored>();
        const model = new Map<number, Stored>();
        for (const [i, { seq, read }] of steps.entries()) {
          const changed = entry(seq, i + 1);
          collection.put(changed);
          model.set(seq, changed);
          if (read && seq % 5 === 0) {
            collection.settle();
            collection.bytes();
          }
        }
        collection.settle();
        const expected = [...model.values()].sort((a, b) => b.seq - a.seq);
        expect(parsed(collection.bytes())).toEqual(expected.map(({ json }) => parsed(json)));
        expect(collection.version).toBe(steps.length);
        for (const { id, version } of expected) expect(collection.get(id)?.version).toBe(version);
      }),
      { numRuns: 20 },
    );
  });
});
