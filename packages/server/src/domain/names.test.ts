import { readFileSync } from 'node:fs';
import { limits } from '@bot-directory/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unaccented, visible } from './folding.ts';
import {
  categoriesText,
  defaultCategories,
  hyphenated,
  isSlug,
  namesOfCategory,
  parseCategory,
  parseIntegration,
  namesIn,
  presentNames,
  slugFor,
} from './names.ts';

const id = 'bot_01K9ABCDEFGHJKMNPQRSTVWXYZ';
const fallback = 'bot-rstvwxyz';

describe('slugFor', () => {
  it.each([
    ['İstanbul Botu', 'istanbul-botu'],
    ["Anna's Bot", 'annas-bot'],
    ['Anna’s Bot', 'annas-bot'],
    ['ﬁle ① Ｆｕｌｌ', 'file-1-full'],
    ['Łódź Straße', 'lodz-strasse'],
    ['naïve café—bot', 'naive-cafe-bot'],
    ['Ærø Đà Þór ŒUVRE', 'aero-da-thor-oeuvre'],
    ['STRAẞE', 'strasse'],
    ['Research & Development', 'research-and-development'],
    ['AT&T', 'at-and-t'],
    ['R&D', 'r-and-d'],
    ['  C++ / Rust  ', 'c-rust'],
    ['24/7 Support', '24-7-support'],
    ['24/7', '24-7'],
    ['Bot_of-the.day', 'bot-of-the-day'],
    ['✨ Shiny ✨', 'shiny'],
    ['<script>alert(1)</script>', 'script-alert-1-script'],
    ['Бот Bob', 'bob'],
  ])('%s → %s', (name, slug) => expect(slugFor(name, id)).toBe(slug));

  it.each(['Сводка дня', 'Ελληνικά 2', '微信', '2', '2024', 'x', '', '!!!', '🤖', '\ud800'])(
    '%s, too poor for a slug, is named by the end of its id',
    (name) => expect(slugFor(name, id)).toBe(fallback),
  );

  it.each([
    'Submit',
    'Search',
    'New',
    'Index',
    'Feed',
    'Reports',
    'Install',
    'Integrations',
    'Null',
    'constructor',
    '__proto__',
    'prototype',
    "Sub'mit",
  ])('%s is reserved and gets a suffix', (name) => expect(slugFor(name, id)).toMatch(/^[a-z]+-bot$/));

  it('cuts at a hyphen, and inside a word only when there is none', () => {
    expect(slugFor(`${'abcd '.repeat(11)}abcde fgh`, id)).toBe(`${'abcd-'.repeat(11)}abcde`);
    expect(slugFor(`${'abcd '.repeat(11)}abcdef`, id)).toBe('abcd-'.repeat(11).slice(0, -1));
    expect(slugFor('a'.repeat(61), id)).toBe('a'.repeat(60));
  });

  it('refuses an id that is not ours', () => expect(() => slugFor('', 'bot_…')).toThrow(TypeError));

  it('always has the form of a slug, keeps its length and is stable under its own spelling', () => {
    const reserved = [
      'submit',
      'facets',
      'integrations',
      'reports',
      'install',
      'new',
      'search',
      'constructor',
      'prototype',
    ];
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 200 }));
    const name = fc.oneof(anyText, fc.lorem(), fc.mixedCase(fc.constantFrom(...reserved)));
    fc.assert(
      fc.property(name, (text) => {
        const slug = slugFor(text, id);
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(limits.slugLength);
        expect(reserved).not.toContain(slug);
        expect(slugFor(slug, id)).toBe(slug);
      }),
    );
  });
});

describe('isSlug', () => {
  it.each(['a', 'a-b', 'daily-digest-2', '2', `${'a'.repeat(60)}-123456`])('accepts %s', (text) =>
    expect(isSlug(text)).toBe(true),
  );
  it.each(['', '-', 'a-', '-a', 'a--b', 'A', 'a_b', 'a b', 'é', 'a/b', 'a\n', '__proto__', 'a'.repeat(73)])(
    'refuses %j',
    (text) => expect(isSlug(text)).toBe(false),
  );
});

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

  it('leaves out only letters that leave nothing in a slug', () => {
    const texts = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((one) => /\p{L}/u.test(one) && /\p{L}/u.test(visible(one.normalize('NFKD'))))
      .map((letter) => `a${letter}b`);
    const others = texts.filter((text) => {
      const parsed = parseIntegration(text);
      return !parsed.ok || parsed.value !== hyphenated(unaccented(text));
    });
    expect([texts.length > 100_000, others]).toEqual([true, []]);
  });

  it('gives a bounded slug that parses to itself, and ignores case', () => {
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

it('refuses a name of a million marks before it looks at them, because sorting them would take a minute', () => {
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

it('refuses a name of a million marks before it looks at them, because sorting them would take a minute', () => {
  expect(parseCategory(`a${'\u0301\u0323'.repeat(500_000)}`, ['SEO'])).toMatchObject({ ok: false });
});

describe('former names of categories', () => {
  const former = new Map([
    ['Search', 'SEO'],
    ['Ads', 'Marketing'],
    ['Ranking', 'SEO'],
  ]);
  const categories = Object.assign(['Marketing', 'SEO', 'Café'], { former });

  it.each([
    ['Search', 'SEO'],
    [' rANKING ', 'SEO'],
    ['ads', 'Marketing'],
    ['seo', 'SEO'],
  ])('%s means %s', (raw, category) => expect(parseCategory(raw, categories)).toEqual({ ok: true, value: category }));

  it.each(['Searc', '', 'Market'])('%s is refused with the present names', (raw) =>
    expect(parseCategory(raw, categories)).toEqual({
      ok: false,
      why: 'A category is one of: Marketing, SEO, Café.',
    }),
  );

  it.each([
    ['SEO', ['SEO', 'Search', 'Ranking']],
    ['Search', ['SEO', 'Search', 'Ranking']],
    ['Marketing', ['Marketing', 'Ads']],
    ['Café', ['Café']],
  ])('%s has or had the names %j', (name, names) => expect(namesOfCategory(name, former)).toEqual(names));

  it('are in the text of the setting, from which all names are read', () => {
    expect(categoriesText(categories)).toBe('Marketing=Ads,SEO=Search=Ranking,Café');
    expect(namesIn('Marketing=Ads,SEO=Search,Café')).toEqual(['Marketing', 'Ads', 'SEO', 'Search', 'Café']);
    expect(categoriesText(['Marketing', 'SEO'])).toBe('Marketing,SEO');
  });

  it('become the present ones, each once', () => {
    expect(presentNames(['Ranking', 'Café', 'Search', 'Gone'], former)).toEqual(['SEO', 'Café', 'Gone']);
    expect(presentNames(['Search'], undefined)).toEqual(['Search']);
  });
});

describe('hyphenated', () => {
  it.each([
    ['google  sheets', 'google-sheets'],
    ['--a__b--', 'a-b'],
    ['…', ''],
  ])('%s → %s', (text, expected) => expect(hyphenated(text)).toBe(expected));

  it('has no hyphen at an end and no two together, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = hyphenated(unaccented(text));
        expect(once).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
        expect(hyphenated(unaccented(once))).toBe(once);
      }),
    );
  });
});
