import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { defaultCategories, parseCategory } from './categories.ts';

describe('defaultCategories', () => {
  it('holds the names of the source, each name once in any case, and no comma to break a setting', () => {
    expect(defaultCategories).toEqual(expect.arrayContaining(['Marketing', 'SEO', 'Engineering']));
    expect(new Set(defaultCategories.map((name) => name.toLowerCase())).size).toBe(defaultCategories.length);
    expect(defaultCategories.join('')).not.toContain(',');
  });
});

describe('parseCategory', () => {
  const allowed = ['Marketing', 'SEO', 'Café'];

  it.each([
    ['Marketing', 'Marketing'],
    ['mArKeTiNg', 'Marketing'],
    ['seo', 'SEO'],
    [' SEO ', 'SEO'],
    ['CAFE\u0301', 'Café'],
  ])('%s → %s', (raw, category) => expect(parseCategory(raw, allowed)).toEqual({ ok: true, value: category }));

  it.each(['', 'Cooking', 'Market', 'Cafe', 'constructor', 'Marketing, SEO'])(
    '%s is refused with the allowed names',
    (raw) =>
      expect(parseCategory(raw, allowed)).toEqual({ ok: false, why: 'A category is one of: Marketing, SEO, Café.' }),
  );

  it('gives only names of the list', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.mixedCase(fc.constantFrom(...allowed))), (raw) => {
        const parsed = parseCategory(raw, allowed);
        if (parsed.ok) expect(allowed).toContain(parsed.value);
      }),
    );
  });
});

it('refuses a name of a million marks before it looks at them, for to sort them would take a minute', () => {
  expect(parseCategory(`a${'\u0301\u0323'.repeat(500_000)}`, ['SEO'])).toMatchObject({ ok: false });
});
