import { limits } from '@bot-directory/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseIntegration } from './integrations.ts';

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
