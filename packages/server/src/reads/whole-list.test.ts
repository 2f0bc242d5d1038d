import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Directory } from '../directory/directory.ts';
import { lengthOf, validatorsOf } from './representation.ts';
import { WholeList } from './whole-list.ts';

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme', maxLength: 400 }), fc.constant('again and again '));

it('is a gzip stream of the bytes of any segments, of the length it says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 900, size: 'max' }),
      fc.array(fc.nat(899), { maxLength: 60 }),
      async (texts, removed) => {
        const collection = new Directory({ store: undefined, form: { baseUrl: '' } }).posts;
        for (const [i, name] of texts.entries())
          collection.put({
            position: i + 1,
            version: i,
            changedAtMs: 0,
            json: JSON.stringify({ name }),
          });
        collection.commit();
        for (const i of removed) collection.remove({ position: i + 1, version: 1_000 + i, changedAtMs: 0 });
        collection.commit();
        const list = new WholeList(validatorsOf('tag', 0), collection, {}, (error) => {
          throw error;
        });
        const plain = await list.variant(['identity']);
        const whole = Buffer.concat([...plain.pieces()]);
        const kept = texts.filter((_, i) => !removed.includes(i)).reverse();
        expect(JSON.parse(whole.toString())).toEqual(kept.map((name) => ({ name })));
        expect(plain.head.lines).toContain(`Content-Length: ${whole.length}\r\n`);
        await collection.segments.deflate();
        const gzip = await list.variant(['gzip', 'identity']);
        const pieces = [...gzip.pieces()];
        expect((gzip === plain ? whole : gunzipSync(Buffer.concat(pieces))).equals(whole)).toBe(true);
        expect(gzip.head.lines).toContain(`Content-Length: ${lengthOf(pieces)}\r\n`);
        expect(gzip === plain).toBe(whole.length < 1_024);
      },
    ),
    { numRuns: 40 },
  );
});
