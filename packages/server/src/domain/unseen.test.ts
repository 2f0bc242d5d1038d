import { describe, expect, it } from 'vitest';
import { parseAuthor, readHttpsUrl } from './links.ts';
import { parseCategory } from './names.ts';
import { withoutUnseenEnds } from './unseen.ts';

describe('a character that nobody sees', () => {
  it.each([
    ['\u200bhttps://acme.com/', 'Character 1 cannot be seen: it is U+200B ZERO WIDTH SPACE. Remove it.'],
    ['https://acme.com/\u2060', 'Character 18 cannot be seen: it is U+2060 WORD JOINER. Remove it.'],
    ['https://ac\u00adme.com/', 'Character 11 cannot be seen: it is U+00AD SOFT HYPHEN. Remove it.'],
    ['\u202ahttps://acme.com/', 'Character 1 cannot be seen: it is U+202A LEFT-TO-RIGHT EMBEDDING. Remove it.'],
    ['\ufeffhttps://acme.com/', 'Character 1 cannot be seen: it is U+FEFF ZERO WIDTH NO-BREAK SPACE. Remove it.'],
  ])('is named where a link is refused: %j', (raw, why) => expect(readHttpsUrl(raw)).toEqual({ ok: false, why }));

  it('is named where a handle or a category is refused', () => {
    const why = 'Character 4 cannot be seen: it is U+2069 POP DIRECTIONAL ISOLATE. Remove it.';
    expect(parseAuthor('ada\u2069')).toEqual({ ok: false, why });
    expect(parseCategory('SEO\u2069', ['SEO'])).toEqual({ ok: false, why });
  });

  it('is dropped at the ends', () => {
    expect(withoutUnseenEnds('\u202a \u200e@ada\u2069\n\u2060')).toBe('@ada');
    expect(withoutUnseenEnds('a\u200bb c')).toBe('a\u200bb c');
    expect(withoutUnseenEnds('\u200b')).toBe('');
  });
});
