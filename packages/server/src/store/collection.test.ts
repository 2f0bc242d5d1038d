import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collection, OutOfOrder, type Entry } from './collection.ts';
import { arrayLength, arrayPiece } from './selected.ts';

const entry = (seq: number, version: number): Entry => ({
  id: `bot_${seq}`,
  seq,
  version,
  changedAtMs: version,
  json: JSON.stringify({ seq, name: version % 3 === 0 ? 'née' : version % 3 === 1 ? '数据' : 'bot', version }),
});
const whole = (collection: Collection): Buffer =>
  Buffer.concat([Buffer.from('['), ...collection.segments.newestFirst().map(({ bytes }) => bytes), Buffer.from(']')]);

/** Commit numbers have gaps. */
const seqOf = (place: number): number => 10 * place + 7;
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
        let [version, places] = [0, 0];
        for (const one of steps) {
          const held = { segments: collection.segments, bytes: whole(collection) };
          const listed = [...model.keys()];
          if (one.do === 'add')
            for (let i = 0; i < one.count; i += 1) model.set((places += 1), entry(seqOf(places), (version += 1)));
          else if (one.do === 'change' && listed.length > 0) {
            const place = listed[one.which % listed.length] ?? 0;
            model.set(place, entry(seqOf(place), (version += 1)));
          } else if (one.do === 'remove')
            for (const place of listed.sort((a, b) => a - b).splice(one.which % (listed.length + 1), one.count)) {
              model.delete(place);
              removed.push(place);
              collection.remove(`bot_${seqOf(place)}`, { seq: 0, version: (version += 1), changedAtMs: version });
            }
          else if (one.do === 'restore' && removed.length > 0) {
            const [place = 0] = removed.splice(one.which % removed.length, 1);
            model.set(place, entry(seqOf(place), (version += 1)));
          }
          for (const changed of [...model.values()].sort((a, b) => a.seq - b.seq)) {
            const ordinal = collection.ordinalOf(changed.id);
            if (ordinal === undefined || collection.stateOf(ordinal).version !== changed.version)
              collection.put(changed);
          }
          collection.commit();
          const stillHeld = Buffer.concat(held.segments.newestFirst().map(({ bytes }) => bytes));
          expect(stillHeld.equals(held.bytes.subarray(1, -1))).toBe(true);
        }
        const expected = [...model.values()].sort((a, b) => b.seq - a.seq);
        expect(whole(collection).toString()).toBe(`[${expected.map(({ json }) => json).join(',')}]`);
        expect([collection.size, collection.version]).toEqual([model.size, version]);
        const after = { seq: from, rank: 0 };
        const page = collection.page({ limit: 7, after });
        const rest = expected.filter(({ seq }) => seq < from);
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

  it('keeps the place of one that was out of the list before it came into it', () => {
    const collection = new Collection();
    collection.put(entry(5, 1));
    collection.remove('bot_7', { seq: 7, version: 2, changedAtMs: 2 });
    collection.put(entry(9, 3));
    collection.commit();
    collection.put(entry(7, 4));
    collection.commit();
    expect(whole(collection).toString()).toBe(
      `[${[entry(9, 3), entry(7, 4), entry(5, 1)].map(({ json }) => json).join(',')}]`,
    );
  });

  it('separates all entries when those of the oldest segment go and one of them comes back', () => {
    const collection = new Collection();
    const entries = Array.from({ length: 300 }, (_, i) => entry(i + 1, i + 1));
    for (const each of entries) collection.put(each);
    collection.commit();
    for (const { id } of entries.slice(0, 299)) collection.remove(id, { seq: 0, version: 301, changedAtMs: 301 });
    collection.commit();
    collection.put(entry(1, 302));
    collection.commit();
    expect(whole(collection).toString()).toBe(`[${entries[299]?.json},${entry(1, 302).json}]`);
  });

  it('refuses one that stands before others and that it never had', () => {
    const collection = new Collection();
    collection.put(entry(5, 1));
    collection.put(entry(9, 2));
    expect(() => collection.put(entry(7, 3))).toThrow(OutOfOrder);
  });
});
