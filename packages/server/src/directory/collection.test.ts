import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collection, OutOfOrder, type Entry, type Removal, type Selected } from './collection.ts';

const entry = (position: number, version: number): Entry => ({
  position,
  version,
  changedAtMs: version,
  json: JSON.stringify({ position, name: version % 3 === 0 ? 'née' : version % 3 === 1 ? '数据' : 'bot', version }),
});
const removal = (position: number, version: number): Removal => ({ position, version, changedAtMs: version });
const arrayOf = (entries: readonly Entry[]): string => `[${entries.map(({ json }) => json).join(',')}]`;
const whole = ({ segments }: Pick<Collection, 'segments'>): Buffer => Buffer.concat(segments.pieces());
const arrayPiece = ({ segments, ordinals }: Selected, from: number, to: number): Buffer =>
  segments.arrayPiece(ordinals, from, to);
const arrayLength = ({ segments, ordinals }: Selected): number => segments.arrayLength(ordinals);

/** Positions have gaps. */
const positionOf = (index: number): number => 10 * index + 7;
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 120 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change' as const), which: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      // The oldest go often: their segments empty, and another becomes the last.
      which: fc.oneof(fc.constant(0), fc.nat()),
      count: fc.nat(300),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('restore' as const), which: fc.nat() }) },
);

describe('a collection', () => {
  it('is an empty array when nothing is in it', () => {
    const collection = new Collection();
    collection.commit();
    expect(whole(collection).toString()).toBe('[]');
    const page = collection.page({ limit: 5, after: undefined });
    expect([arrayPiece(page, 0, 5).toString(), arrayLength(page)]).toEqual(['[]', 2]);
  });

  it('gives the bytes of a plain list, whatever was added, changed, removed and put back; what is held stays', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), fc.nat(2_000), (steps, from) => {
        const collection = new Collection();
        const model = new Map<number, Entry>();
        const removed: number[] = [];
        let version = 0;
        let added = 0;
        for (const one of steps) {
          const held = { segments: collection.segments, bytes: whole(collection) };
          const listed = [...model.keys()];
          if (one.do === 'add')
            for (let i = 0; i < one.count; i += 1) model.set((added += 1), entry(positionOf(added), (version += 1)));
          else if (one.do === 'change' && listed.length > 0) {
            const index = listed[one.which % listed.length] ?? 0;
            model.set(index, entry(positionOf(index), (version += 1)));
          } else if (one.do === 'remove')
            for (const index of listed.sort((a, b) => a - b).splice(one.which % (listed.length + 1), one.count)) {
              model.delete(index);
              removed.push(index);
              collection.remove(removal(positionOf(index), (version += 1)));
            }
          else if (one.do === 'restore' && removed.length > 0) {
            const [index = 0] = removed.splice(one.which % removed.length, 1);
            model.set(index, entry(positionOf(index), (version += 1)));
          }
          for (const changed of [...model.values()].sort((a, b) => a.position - b.position)) {
            const ordinal = collection.ordinalAt(changed.position);
            if (ordinal === undefined || collection.stateOf(ordinal).version !== changed.version)
              collection.put(changed);
          }
          collection.commit();
          expect(whole(held).equals(held.bytes)).toBe(true);
        }
        const expected = [...model.values()].sort((a, b) => b.position - a.position);
        expect(whole(collection).toString()).toBe(arrayOf(expected));
        expect([collection.size, collection.version]).toEqual([model.size, version]);
        const after = { position: from, rank: 0 };
        const page = collection.page({ limit: 7, after });
        const rest = expected.filter(({ position }) => position < from);
        const bytes = arrayPiece(page, 0, 7);
        expect(bytes.toString()).toBe(
          `[${rest
            .slice(0, 7)
            .map(({ json }) => json)
            .join(',')}]`,
        );
        expect([bytes.length, page.total, page.next !== undefined]).toEqual([
          arrayLength(page),
          model.size,
          rest.length > 7,
        ]);
        const pieces = [0, 2, 4, 6].map((i) => arrayPiece(page, i, i + 2));
        expect(Buffer.concat(pieces.slice(0, Math.max(1, Math.ceil(page.ordinals.length / 2))))).toEqual(bytes);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the position of an entry that was withdrawn before the collection had it', () => {
    const collection = new Collection();
    collection.put(entry(5, 1));
    collection.remove(removal(7, 2));
    collection.put(entry(9, 3));
    collection.commit();
    collection.put(entry(7, 4));
    collection.commit();
    expect(whole(collection).toString()).toBe(arrayOf([entry(9, 3), entry(7, 4), entry(5, 1)]));
  });

  it('separates all entries when those of the oldest segment go and one of them comes back', () => {
    const collection = new Collection();
    const entries = Array.from({ length: 300 }, (_, i) => entry(i + 1, i + 1));
    for (const each of entries) collection.put(each);
    collection.commit();
    for (const { position } of entries.slice(0, 299)) collection.remove(removal(position, 301));
    collection.commit();
    collection.put(entry(1, 302));
    collection.commit();
    expect(whole(collection).toString()).toBe(`[${entries[299]?.json},${entry(1, 302).json}]`);
  });

  it('refuses a new entry whose position is before that of others', () => {
    const collection = new Collection();
    collection.put(entry(5, 1));
    collection.put(entry(9, 2));
    expect(() => collection.put(entry(7, 3))).toThrow(OutOfOrder);
  });
});
