import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseStatusUrl } from './social-post.ts';

const hosts = { host: 'x.com', aliases: ['twitter.com', 'social.acme.com'] };
const url = 'https://x.com/Ada_L/status/1234567890123456789';

describe('parseStatusUrl', () => {
  it.each([
    url,
    `${url}/`,
    `${url}?s=20&t=abc`,
    `${url}#reply`,
    `${url}/photo/1`,
    `${url}/photo/1/`,
    `${url}/video/2?s=20#x`,
    url.replace('x.com', 'X.COM'),
    url.replace('https', 'HTTPS'),
    url.replace('x.com', 'www.x.com'),
    url.replace('x.com', 'mobile.x.com'),
    url.replace('x.com', 'twitter.com'),
    url.replace('x.com', 'www.Twitter.com'),
    url.replace('x.com', 'mobile.twitter.com'),
    url.replace('x.com', 'social.acme.com'),
  ])('%s folds to the canonical URL', (raw) =>
    expect(parseStatusUrl(raw, hosts)).toEqual({ ok: true, value: { statusId: '1234567890123456789', url } }),
  );

  it('knows one post by its id, whatever handle the URL spells', () => {
    const ids = ['ada', 'ADA', 'bob', 'i'].map((handle) => parseStatusUrl(`https://x.com/${handle}/status/7`, hosts));
    expect(ids.map((parsed) => parsed.ok && parsed.value.statusId)).toEqual(['7', '7', '7', '7']);
  });

  it('takes a host with a port', () => {
    const local = { host: 'localhost:4000', aliases: [] };
    expect(parseStatusUrl('https://localhost:4000/a/status/1', local)).toMatchObject({ ok: true });
  });

  it.each([
    '',
    '1234',
    'x.com/a/status/1',
    '//x.com/a/status/1',
    'http://x.com/a/status/1',
    'ftp://x.com/a/status/1',
    'https:x.com/a/status/1',
    'https://evil.com/a/status/1',
    'https://x.com.evil.com/a/status/1',
    'https://evilx.com/a/status/1',
    'https://m.x.com/a/status/1',
    'https://www.mobile.x.com/a/status/1',
    'https://x.com./a/status/1',
    'https://x.com:443/a/status/1',
    'https://x.com:8443/a/status/1',
    'https://u:p@x.com/a/status/1',
    'https://x.com@evil.com/a/status/1',
    'https://@x.com/a/status/1',
    'https://x.com',
    'https://x.com/',
    'https://x.com/a',
    'https://x.com/a/status',
    'https://x.com/a/status/',
    'https://x.com/status/1',
    'https://x.com//status/1',
    'https://x.com/a/statuses/1',
    'https://x.com/a/Status/1',
    'https://x.com/i/web/status/1',
    'https://x.com/a/status//1',
    'https://x.com//a/status/1',
    'https://x.com/a/status/1a',
    'https://x.com/a/status/a',
    'https://x.com/a/status/-1',
    'https://x.com/a/status/1.5',
    'https://x.com/a/status/0',
    'https://x.com/a/status/01',
    'https://x.com/a/status/١',
    `https://x.com/a/status/${'1'.repeat(26)}`,
    `https://x.com/${'a'.repeat(31)}/status/1`,
    'https://x.com/@a/status/1',
    'https://x.com/a-b/status/1',
    'https://x.com/é/status/1',
    'https://x.com/%61/status/1',
    'https://x.com/a/status/1//',
    'https://x.com/a/status/1/photo',
    'https://x.com/a/status/1/photo/1/2',
    'https://x.com/a/status/1/../2',
    'https://x.com/a/status/1%2f',
    'https://x.com/a/../b/status/1',
    ' https://x.com/a/status/1',
    'https://x.com/a/status/1\n',
    'https://x.com/a/sta\ttus/1',
    'https://x.com\\a\\status\\1',
    'https://x.com/a/status/1?a b',
    'https://x.com/a/status/1\u0000',
    `https://x.com/a/status/1?${'a'.repeat(2_048)}`,
  ])('%j is refused', (raw) => expect(parseStatusUrl(raw, hosts)).toMatchObject({ ok: false }));

  it('never throws, and gives a URL that stands for itself', () => {
    const part = {
      host: fc.constantFrom('x.com', 'www.x.com', 'twitter.com', 'evil.com'),
      handle: fc.stringMatching(/^\w{1,32}$/),
      id: fc.bigInt({ min: 0n }),
      tail: fc.oneof(fc.constantFrom('', '/', '/photo/1', '?a'), fc.string()),
    };
    const near = fc.record(part).map(({ host, handle, id, tail }) => `https://${host}/${handle}/status/${id}${tail}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), near), (raw) => {
        const parsed = parseStatusUrl(raw, hosts);
        if (!parsed.ok) return;
        expect(parsed.value.url.endsWith(`/status/${parsed.value.statusId}`)).toBe(true);
        expect(parseStatusUrl(parsed.value.url, hosts)).toEqual(parsed);
      }),
    );
  });
});
