import { readFileSync } from 'node:fs';
import { limits } from '@bot-directory/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIntegration, defaultCategories, parseCategory } from './labels.ts';

describe('parseIntegration', () => {
  it.each([
    ['Google Sheets', 'google-sheets'],
    ['google-sheets', 'google-sheets'],
    ['GOOGLE  SHEETS', 'google-sheets'],
    ['google_sheets', 'google-sheets'],
    [' Google\tSheets ', 'google-sheets'],
    ['C++', 'c-plus-plus'],
    ['Google+', 'google-plus'],
    ['C#', 'c-sharp'],
    ['F＃', 'f-sharp'],
    ['Node.js', 'node-js'],
    ['AT&T', 'at-and-t'],
    ['Pokémon', 'pokemon'],
    ['Ｓｌａｃｋ', 'slack'],
    ['constructor', 'constructor'],
    ['x', 'x'],
    ['a'.repeat(50), 'a'.repeat(50)],
  ])('%s → %s', (raw, slug) => expect(parseIntegration(raw)).toEqual({ ok: true, value: slug }));

  it('makes what docs/API.md shows', () => {
    const page = readFileSync(new URL('../../../../docs/API.md', import.meta.url), 'utf8');
    const [, table = ''] = page.split(/^\| sent +\| stored +\|\n/m);
    const rows = [
      ...table
        .split('\n\n', 1)
        .join('')
        .matchAll(/^\| (`.+`) +\| `(.+)` +\|$/gm),
    ];
    expect(rows).toHaveLength(5);
    for (const [, sent = '', stored] of rows)
      for (const [, raw = ''] of sent.matchAll(/`([^`]+)`/g))
        expect(parseIntegration(raw)).toEqual({ ok: true, value: stored });
  });

  it.each(['', ' ', '-', '!!!', '微信', '🤖', '\ud800', 'a'.repeat(51), `${'a'.repeat(49)}&`])('%s is refused', (raw) =>
    expect(parseIntegration(raw)).toEqual({ ok: false, why: expect.stringMatching(/^An integration .*\.$/) }),
  );

  it('gives a bounded slug that stands for itself, and ignores case', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 60 })), (raw) => {
        const parsed = parseIntegration(raw);
        if (!parsed.ok) return;
        expect(parsed.value).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(parsed.value.length).toBeLessThanOrEqual(limits.integrationLength);
        expect(parseIntegration(parsed.value)).toEqual(parsed);
        expect(parseIntegration(parsed.value.toUpperCase())).toEqual(parsed);
      }),
    );
  });
});

it('refuses a name of a million marks before it looks at them, for to sort them would take a minute', () => {
  expect(parseIntegration(`a${'\u0301\u0323'.repeat(500_000)}`)).toMatchObject({ ok: false });
});

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
