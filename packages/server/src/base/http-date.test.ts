import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate } from './http-date.ts';

describe('a date in HTTP', () => {
  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'takes %s',
    (text) => expect(parseHttpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37)),
  );

  it.each([
    '',
    'yesterday',
    '1994',
    '784111777',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 25:49:37 GMT',
    'Wed, 30 Feb 1994 08:49:37 GMT',
    'Thursday, 31-Nov-94 08:49:37 GMT',
    'Tue Feb 29 08:49:37 1994',
  ])('takes no «%s»', (text) => expect(parseHttpDate(text)).toBeUndefined());

  it('takes what we write', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), (seconds) => {
        expect(parseHttpDate(new Date(seconds * 1_000).toUTCString())).toBe(seconds * 1_000);
      }),
    );
  });
});
