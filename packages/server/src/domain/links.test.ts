import { limits } from '@bot-directory/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHttpsUrl, parseTemplateLink, parseStatusUrl, parseAuthor } from './links.ts';

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

const host = 'bots.acme.com';
const canonical = `https://${host}/bot/aB3-x`;

describe('parseTemplateLink', () => {
  it.each([
    canonical,
    'https://BOTS.Acme.COM/bot/aB3-x',
    'HTTPS://bots.acme.com/bot/aB3-x',
    `${canonical}/`,
    `${canonical}?ref=home`,
    `${canonical}/?ref=a/b&c=https://evil.com`,
    `${canonical}#top`,
    `${canonical}?#`,
    `${canonical}/?a#b`,
  ])('%s folds to the canonical link', (raw) =>
    expect(parseTemplateLink(raw, host)).toEqual({ ok: true, value: { templateId: 'aB3-x', link: canonical } }),
  );

  it.each(['a', '1', 'a.b~c_d-e', '..a', '...', '__proto__', 'a'.repeat(128)])(
    'takes the template id %s',
    (templateId) => {
      const parsed = parseTemplateLink(`https://${host}/bot/${templateId}`, host);
      expect(parsed).toMatchObject({ ok: true, value: { templateId } });
    },
  );

  it('distinguishes ids by case', () => {
    const ids = ['abc', 'ABC'].map((id) => parseTemplateLink(`https://${host}/bot/${id}`, host));
    expect(ids[0]).not.toEqual(ids[1]);
  });

  it('takes a template host with a port, and only with that port', () => {
    const link = 'https://localhost:4000/bot/x';
    expect(parseTemplateLink(link, 'Localhost:4000')).toMatchObject({ ok: true, value: { link } });
    expect(parseTemplateLink(link, 'localhost:4001').ok).toBe(false);
    expect(parseTemplateLink('https://localhost/bot/x', 'localhost:4000').ok).toBe(false);
  });

  it.each([
    '',
    'x',
    'aB3-x',
    '/bot/aB3-x',
    'bots.acme.com/bot/aB3-x',
    '//bots.acme.com/bot/aB3-x',
    'http://bots.acme.com/bot/aB3-x',
    'ftp://bots.acme.com/bot/aB3-x',
    'https:bots.acme.com/bot/aB3-x',
    'https:///bots.acme.com/bot/aB3-x',
    'https://acme.com/bot/x',
    'https://www.bots.acme.com/bot/x',
    'https://bots.acme.com.evil.com/bot/x',
    'https://evil.com/bots.acme.com/bot/x',
    'https://bots.acme.com./bot/x',
    'https://bots%2eacme.com/bot/x',
    'https://ｂots.acme.com/bot/x',
    'https://bo\u00ADts.acme.com/bot/x',
    'https://bots.acme.com:443/bot/x',
    'https://bots.acme.com:8443/bot/x',
    'https://bots.acme.com:/bot/x',
    'https://user:pass@bots.acme.com/bot/x',
    'https://bots.acme.com@evil.com/bot/x',
    'https://@bots.acme.com/bot/x',
    'https://bots.acme.com',
    'https://bots.acme.com/',
    'https://bots.acme.com/bot',
    'https://bots.acme.com/bot/',
    'https://bots.acme.com/bot//',
    'https://bots.acme.com/bots/x',
    'https://bots.acme.com/BOT/x',
    'https://bots.acme.com//bot/x',
    'https://bots.acme.com/bot//x',
    'https://bots.acme.com/bot/x//',
    'https://bots.acme.com/bot/x/y',
    'https://bots.acme.com/en/bot/x',
    'https://bots.acme.com/a/../bot/x',
    'https://bots.acme.com/bot/../bot/x',
    'https://bots.acme.com/bot/.',
    'https://bots.acme.com/bot/..',
    'https://bots.acme.com/bot/./',
    'https://bots.acme.com/bot/../',
    'https://bots.acme.com/bot/x%2fy',
    'https://bots.acme.com/bot/x%2Fy',
    'https://bots.acme.com/bot%2fx',
    'https://bots.acme.com/bot/%78',
    'https://bots.acme.com/bot/%2e%2e',
    'https://bots.acme.com/bot/x;y',
    'https://bots.acme.com/bot/x:y',
    'https://bots.acme.com/bot/é',
    'https://bots.acme.com/bot/{x}',
    `https://bots.acme.com/bot/${'a'.repeat(129)}`,
    ' https://bots.acme.com/bot/x',
    'https://bots.acme.com/bot/x ',
    'https://bots.acme.com/bot/x\n',
    'https://bots.acme.com/bo\tt/x',
    'https://bots.acme.com/bot/x?a b',
    'https://bots.acme.com/bot/x\u0000',
    'https://bots.acme.com\\bot\\x',
    'https://bots.acme.com/bot/x\\',
    `${canonical}?${'a'.repeat(2_048)}`,
  ])('%j is refused', (raw) => expect(parseTemplateLink(raw, host)).toMatchObject({ ok: false }));

  it('never throws, and accepts nothing but spellings of one canonical link', () => {
    const start = fc.constantFrom('https://bots.acme.com/bot/', 'https://bots.acme.com/', 'https://', '');
    const near = fc.tuple(start, fc.string({ unit: 'binary' })).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), near), (raw) => {
        const parsed = parseTemplateLink(raw, host);
        if (!parsed.ok) return;
        expect(parsed.value.link).toBe(`https://${host}/bot/${parsed.value.templateId}`);
        expect(new URL(parsed.value.link).href).toBe(parsed.value.link);
        expect(parseTemplateLink(parsed.value.link, host)).toEqual(parsed);
      }),
    );
  });
});

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

  it('identifies a post by its id, whatever handle the URL has', () => {
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

  it('never throws, and gives a URL that parses to itself', () => {
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

  it('gives a handle that parses to itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^@?\w{1,30}$/)), (raw) => {
        const parsed = parseAuthor(raw);
        if (parsed.ok) expect(parseAuthor(parsed.value)).toEqual(parsed);
      }),
    );
  });
});
