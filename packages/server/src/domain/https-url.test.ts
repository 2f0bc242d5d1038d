import { limits } from '@bot-directory/contract';
import { describe, expect, it } from 'vitest';

import { readHttpsUrl } from './https-url.ts';

describe('readHttpsUrl', () => {
  it.each([
    ['https://Acme.com/A/b?c#d', { authority: 'acme.com', path: '/A/b' }],
    ['HTTPS://acme.com:8443', { authority: 'acme.com:8443', path: '' }],
    ['https://acme.com/a/../b/%2e', { authority: 'acme.com', path: '/a/../b/%2e' }],
    ['https://acme.com?a/b', { authority: 'acme.com', path: '' }],
  ])('%s is taken at its raw text', (raw, parts) => expect(readHttpsUrl(raw)).toEqual({ ok: true, value: parts }));

  it.each([
    ['http://acme.com/', 'must begin with https://'],
    ['https:acme.com', 'must begin with https://'],
    ['https:///acme.com', 'must begin with https://'],
    ['https://a@acme.com/', 'user name or password'],
    [' https://acme.com/', 'white space'],
    ['https://acme.com/\u0000', 'control character'],
    ['https://acme.com\\a', 'backslash'],
    [`https://acme.com/${'a'.repeat(limits.urlLength)}`, 'at most 2048 characters'],
  ])('%s is refused', (raw, why) =>
    expect(readHttpsUrl(raw)).toEqual({ ok: false, why: expect.stringContaining(why) }),
  );
});
