import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { displayLines, displayText } from './display-text.ts';

describe('displayText', () => {
  it.each([
    ['  Daily \t\r\n Digest  ', 'Daily Digest'],
    ['a\u00a0\u2028\u3000b', 'a b'],
    ['a\u0000b\u0007\u001b[31mc\u007f\u009f', 'ab[31mc'],
    ['\u202egnp.exe\u202c', 'gnp.exe'],
    ['\u2066a\u2069\u200eb\u200fc\u061c', 'abc'],
    ['\ufeffBot', 'Bot'],
    ['in\u00advis\u200bi\u2060ble', 'invisible'],
    ['a\ud800b\udc00c', 'abc'],
    ['\ud83e\udd16 Bot', '🤖 Bot'],
    ['👩\u200d💻', '👩\u200d💻'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['<b>&amp;</b>', '<b>&amp;</b>'],
    ['微信', '微信'],
    [`Z${'\u0301'.repeat(96)}a`, `Z${'\u0301'.repeat(4)}a`],
    [`Z${'\u0301\u200d\u200d'.repeat(96)}`, `Z${'\u0301\u200d'.repeat(3)}\u0301\u200d`],
    ['Tie\u0302\u0301ng Vie\u0323\u0302t', 'Tie\u0302\u0301ng Vie\u0323\u0302t'],
    ['ที่นี่', 'ที่นี่'],
    ['בְּרֵאשִׁ֖ית', 'בְּרֵאשִׁ֖ית'],
    ['⠠⠃\u2800⠃', '⠠⠃\u2800⠃'],
    ['a\uf8ffb\u{f0000}c\u{10fffd}d', 'abcd'],
    ['a\ufdd0b\uffffc\u{1fffe}d\u{10ffff}e\ufffcf', 'abcdef'],
    ['not assigned yet: \u{1faff}', 'not assigned yet: \u{1faff}'],
  ])('%j → %j', (raw, text) => expect(displayText(raw, 100)).toBe(text));

  it.each([
    '',
    '   ',
    '\u0000',
    '\u200b\u200d',
    '\u3164',
    '\u115f',
    '\u0301',
    '\u202e \u2069',
    '\ud800',
    '\ufe0f',
    '\u2800',
    '\u2800 \u2800',
    '\ue000',
    '\u{100000}',
    '\ufdd0',
    '\uffff',
    '\u{2fffe}',
    '\ufffc',
  ])('%j shows nothing and is empty', (raw) => expect(displayText(raw, 100)).toBe(''));

  it('cuts between characters as people see them, and leaves no space at the end', () => {
    expect(displayText('abcdef', 3)).toBe('abc');
    expect(displayText('ab cd', 3)).toBe('ab');
    expect(displayText('a🤖b', 2)).toBe('a');
    expect(displayText('a🤖b', 3)).toBe('a🤖');
    for (const whole of ['🇺🇦', '👨‍👩‍👧‍👦', '👩🏽‍💻', 'e\u0302\u0301', 'क्षि', '각', '1\ufe0f\u20e3'])
      for (let longest = 1; longest < whole.length + 3; longest += 1)
        expect([longest, displayText(`ab${whole}${whole}`, longest)]).toEqual([
          longest,
          'ab'.slice(0, longest) + (longest < 2 + whole.length ? '' : whole),
        ]);
    // Only if even the first is too long.
    expect(displayText('👨‍👩‍👧‍👦', 5)).toBe('👨‍👩');
    expect(displayText('🤖🤖', 1)).toBe('');
  });

  it('is one bounded, well-formed, trimmed line, and clean text stays as it is', () => {
    const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
    const unit = fc.oneof(anyUnit, fc.constantFrom(' ', '\n', '\u202e', '🤖', 'a'));
    const raw = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
    fc.assert(
      fc.property(raw, fc.integer({ min: 1, max: 30 }), (text, longest) => {
        const clean = displayText(text, longest);
        expect(clean.length).toBeLessThanOrEqual(longest);
        expect(clean).not.toMatch(/\p{Cs}|(?! )\s|(?!\s)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
        expect(clean.trim()).toBe(clean);
        expect(displayText(clean, longest)).toBe(clean);
      }),
    );
  });
});

describe('displayLines', () => {
  it.each([
    ['Reads the inbox.\r\n\r\n  Writes   a draft.\n', 'Reads the inbox.\n\nWrites a draft.'],
    ['a\n\n\n\nb\u2028c', 'a\n\nb\nc'],
    [' \n\t\n', ''],
    ['a\u0000b\u202e', 'ab'],
  ])('%j → %j', (raw, text) => expect(displayLines(raw, 100)).toBe(text));

  it('cuts after a word, and says so', () => {
    expect(displayLines('It mails a weekly report', 20)).toBe('It mails a weekly…');
    expect(displayLines('It mails a weekly report', 18)).toBe('It mails a weekly…');
    expect(displayLines('It mails a weekly report', 24)).toBe('It mails a weekly report');
    expect(displayLines('一二三四五六七八', 5)).toBe('一二三四…');
    expect(displayLines('a🤖🤖🤖', 5)).toBe('a🤖…');
  });

  it('is bounded, and clean text stays as it is', () => {
    const unit = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(' ', '\n', '\r\n', '\u0301', '\u200d', '🤖'));
    const raw = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
    fc.assert(
      fc.property(raw, fc.integer({ min: 2, max: 30 }), (text, longest) => {
        const clean = displayLines(text, longest);
        expect(clean.length).toBeLessThanOrEqual(longest);
        expect(displayLines(clean, longest)).toBe(clean);
      }),
    );
  });
});
