import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TemplateId } from './links.ts';
import { findBlock, isBlockedHost, parseBlock, type Block, type BlockKind } from './block-list.ts';

const block = (kind: BlockKind, value: string): Block => {
  const parsed = parseBlock(kind, value);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};
const hits = (one: Block, { templateId = 'tpl-1', author = '@Ada', text = ['Name', 'Description'] } = {}): boolean =>
  findBlock([one], { templateId: templateId as TemplateId, author, text }) === one;

describe('a block', () => {
  it('of a template hits that id and no other, with regard to case', () => {
    expect(hits(block('template', 'tpl-1'))).toBe(true);
    expect(hits(block('template', 'TPL-1'))).toBe(false);
    expect(hits(block('template', 'tpl-10'))).toBe(false);
  });

  it.each(['@ada', 'ADA', ' @Ada '])('of the author %j hits @Ada', (value) => {
    expect(hits(block('author', value))).toBe(true);
    expect(findBlock([block('author', value)], { templateId: 't' as TemplateId, author: null, text: [] })).toBe(
      undefined,
    );
  });

  it.each([
    ['free money', ['Get FREE, money!', ''], true],
    ['free money', ['free', 'money'], true],
    ['free money', ['free more money', ''], false],
    ['free mon', ['free money', ''], false],
    ['free mon*', ['free money', ''], true],
    ['ree money', ['free money', ''], false],
    ['café', ['Le CAFE du coin', ''], true],
    ['数据', ['大数据助手', ''], true],
    ['ハハ', ['パパの日記', ''], false],
    ['달력', ['구글달력', ''], true],
    ['free money', ['Frее mоney', ''], true],
    ['free money', ['fr\u200dee mon\u2060ey', ''], true],
    ['casino', ['', 'The best саѕinos'], false],
    ['casino*', ['', 'The best саѕinos'], true],
    ['казино', ['Лучшее кaзинo', ''], true],
    ['modem', ['Modern mail', ''], false],
    ['bot 1', ['Bot I', ''], false],
    ['cop', ['Собирает сор и мусор', ''], false],
    ['casino*', ['', 'The best casinos'], true],
  ] as const)('of the words %j in %j: %s', (words, text, expected) => {
    expect(hits(block('words', words), { text: [...text] })).toBe(expected);
  });

  it('of a text hits that text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const parsed = parseBlock('words', text);
        return !parsed.ok || hits(parsed.value, { text: ['before', text, 'after'] });
      }),
      // A vowel of Arabic on a tatweel, in one character; and a filler of half width.
      { examples: [['ﹻ'], ['a\uFFA0b']] },
    );
  });

  it.each([
    ['author', '@Ada', ' ada'],
    ['words', 'Free  Crypto*', 'free crypto *'],
    ['words', 'Café!', 'cafe'],
    ['words', '数据', '数据*'],
  ] as const)('of %s %j is the same as of %j: one unblock undoes both', (kind, one, other) => {
    expect(block(kind, one)).toEqual(block(kind, other));
  });

  it('is the same when it is parsed again, as the operator reads it in the list', () => {
    fc.assert(
      fc.property(fc.constantFrom('author', 'words'), fc.string({ unit: 'grapheme', maxLength: 201 }), (kind, text) => {
        const parsed = parseBlock(kind, text);
        if (parsed.ok) expect(block(kind, parsed.value.value)).toEqual(parsed.value);
      }),
    );
  });

  it.each([
    ['template', 'a/b'],
    ['template', ''],
    ['author', 'two words'],
    ['words', '***'],
    ['words', 'x'.repeat(201)],
    ['words', '数'.repeat(200)],
    ['host', 'localhost'],
    ['host', 'https://hooks.acme.com/T0KEN'],
    ['host', `${'a.'.repeat(126)}aa`],
    ['host', '192.0.2.0/33'],
  ] as const)('of %s %j is refused', (kind, value) => {
    expect(parseBlock(kind, value).ok).toBe(false);
  });
});

describe('a block of a host', () => {
  const addressesOf = (host: string): Promise<string[]> =>
    host === 'nowhere.example'
      ? Promise.reject(new Error('no such name'))
      : Promise.resolve(['192.0.2.7', '2001:db8::7']);

  it.each([
    ['Hooks.Acme.com.', 'hooks.acme.com', true],
    ['acme.com', 'hooks.acme.com', true],
    ['acme.com', 'myacme.com', false],
    ['hooks.acme.com', 'acme.com', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.0/24', '192.0.2.7', true],
    ['192.0.2.0/24', '198.51.100.7', false],
    ['2001:db8::/32', '[2001:db8::9]', true],
    ['192.0.2.0/24', 'leads-there.example', true],
    ['2001:db8::7', 'leads-there.example', true],
    ['198.51.100.0/24', 'leads-there.example', false],
    ['192.0.2.0/24', 'nowhere.example', false],
  ])('%s, for a webhook at %s: %s', async (value, host, expected) => {
    const others = [block('words', 'acme'), block('author', '@acme')];
    expect(await isBlockedHost([...others, block('host', value)], host, addressesOf)).toBe(expected);
    expect(await isBlockedHost(others, host, addressesOf)).toBe(false);
  });
});
