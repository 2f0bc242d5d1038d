import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseTemplateLink } from './template-link.ts';

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

  it('tells ids apart by case', () => {
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
