import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalTarget } from './target.ts';

it.each([
  ['/', '/'],
  ['/api/bots', '/api/bots'],
  ['/api/bots/', '/api/bots'],
  ['/api/bots/?limit=1', '/api/bots?limit=1'],
  ['/api/bots?q=a/', '/api/bots?q=a/'],
  ['/api/bots?q=%61', '/api/bots?q=%61'],
  ['/api/%62ots/a%2Dbot', '/api/bots/a-bot'],
  ['/api/bots/a%2fb', '/api/bots/a%2fb'],
  ['/api/bots/%25%32%64', '/api/bots/%252d'],
  ['/api/bots/%E0%A4%A', '/api/bots/%E0%A4%A'],
  ['/api/bots/b%C3%A9', '/api/bots/b%C3%A9'],
  ['http://bots.example.com', '/'],
  ['http://bots.example.com?x=1', '/?x=1'],
  ['HTTPS://bots.example.com:8443/api/bots/?limit=1', '/api/bots?limit=1'],
  ['/#/x', '/%23/x'],
  ['/api/bots#x', '/api/bots%23x'],
  ['/api/bots?q=c#', '/api/bots?q=c%23'],
  ['//', '//'],
  ['/api//', '/api//'],
  ['*', '*'],
])('%s is %s', (target, canonical) => {
  expect(canonicalTarget(target)).toBe(canonical);
});

it('never changes the parts that a path decodes to, nor an address without escapes and trailing slash', () => {
  const part = fc.string({ minLength: 1, unit: 'grapheme' });
  const escapeAll = (text: string): string =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1 }), (parts) => {
      const plain = `/${parts.map(encodeURIComponent).join('/')}`;
      const canonical = canonicalTarget(`/${parts.map(escapeAll).join('/')}/`);
      expect(canonical.split('/').slice(1).map(decodeURIComponent)).toEqual(parts);
      expect(canonicalTarget(canonical)).toBe(canonical);
      expect(canonicalTarget(plain).split('/').slice(1).map(decodeURIComponent)).toEqual(parts);
    }),
  );
});
