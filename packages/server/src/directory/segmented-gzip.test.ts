import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinCrc, shiftOf } from './segmented-gzip.ts';

it('joins the CRCs of parts into that of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 20 }), (parts) => {
      const joined = parts.reduce((crc, part) => joinCrc(crc, crc32(part), shiftOf(part.length)), 0);
      expect(joined).toBe(crc32(Buffer.concat(parts)));
    }),
  );
});
