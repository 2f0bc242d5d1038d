import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseAuthor } from './author.ts';

describe('parseAuthor', () => {
  it.each([
    ['ada', '@ada'],
    ['@ada', '@ada'],
    ['Ada_L_1815', '@Ada_L_1815'],
    ['_', '@_'],
    ['a'.repeat(30), `@${'a'.repeat(30)}`],
    [`@${'a'.repeat(30)}`, `@${'a'.repeat(30)}`],
  ])('%s → %s', (raw, author) => expect(parseAuthor(raw)).toEqual({ ok: true, value: author }));

  it.each([
    '',
    '@',
    '@@ada',
    'ada@',
    'a b',
    ' ada',
    'ada\n',
    'ada.l',
    'ada-l',
    'é',
    'ａ',
    'a'.repeat(31),
    'https://x.com/ada',
  ])('%j is refused', (raw) => expect(parseAuthor(raw)).toMatchObject({ ok: false }));

  it('gives a handle that stands for itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^@?\w{1,30}$/)), (raw) => {
        const parsed = parseAuthor(raw);
        if (parsed.ok) expect(parseAuthor(parsed.value)).toEqual(parsed);
      }),
    );
  });
});
