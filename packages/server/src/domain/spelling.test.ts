import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hyphenated, unaccented } from './spelling.ts';

describe('unaccented', () => {
  it.each([
    ['naïve café', 'naive cafe'],
    ['İSTANBUL', 'istanbul'],
    ['ﬁle ① Ｆｕｌｌ', 'file 1 full'],
    ['cafe\u0301', 'cafe'],
  ])('%s → %s', (text, expected) => expect(unaccented(text)).toBe(expected));
});

describe('hyphenated', () => {
  it.each([
    ['google  sheets', 'google-sheets'],
    ['--a__b--', 'a-b'],
    ['…', ''],
  ])('%s → %s', (text, expected) => expect(hyphenated(text)).toBe(expected));

  it('has no hyphen at an end and no two together, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = hyphenated(unaccented(text));
        expect(once).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
        expect(hyphenated(unaccented(once))).toBe(once);
      }),
    );
  });
});
