/** Each page in each state: nothing of a stranger in its markup, small enough. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { bot, submittedFields } from '@bot-directory/contract';
import { guide } from '../scripts/guide.ts';
import { page } from '../src/page.tsx';
import { frame, hostile } from './samples.ts';
import { botView, frames, submitView, views } from './views.ts';

describe.each(Object.entries(views))('%s', (name, view) => {
  const html = page({ ...frame, ...frames[name] }, view);

  it('has one h1, and headings in order', () => {
    const levels = [...html.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.entries()) expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('has no markup of a stranger, and links nothing that a browser runs', () => {
    const run: string[] = [];
    const parser = new Parser({
      onopentag: (name, attributes) => {
        const { href, src, action, type } = attributes;
        if (['img', 'i', 'b', 'iframe', 'object'].includes(name)) run.push(name);
        if (name === 'script' && type !== 'application/ld+json' && !Object.values(frame.assets).includes(src ?? ''))
          run.push(name);
        for (const address of [href, src, action])
          if (address !== undefined && !/^(https:|mailto:|[/#])/.test(address)) run.push(address);
        run.push(...Object.keys(attributes).filter((attribute) => /^(on|style)/.test(attribute)));
      },
    });
    parser.end(html);
    expect(run).toEqual([]);
  });
});

describe('the page of a bot', () => {
  const { page: name, bot: shown, ...rest } = botView;
  const htmlOf = (changed: object): string => page(frame, { page: name, bot: { ...shown, ...changed }, ...rest });
  const another = (field: string, value: unknown): unknown => {
    if (typeof value === 'number') return value + 1;
    if (Array.isArray(value)) return ['another'];
    return field.endsWith('_at') ? '2001-02-03T04:05:06.789Z' : 'https://another.example/ada/status/1';
  };

  // The id, by which programs know a bot, is on no page.
  it.each(Object.keys(bot.shape).filter((field) => field !== 'id'))('shows its %s', (field) => {
    expect(htmlOf({ [field]: another(field, Object.entries(shown).find(([own]) => own === field)?.[1]) })).not.toBe(
      htmlOf({}),
    );
  });
});

describe('the form for a new bot', () => {
  it.each(submittedFields)('asks for %s', (field) => {
    expect(page(frame, submitView)).toContain(` name="${field}"`);
  });
});

it("shows subscribers their guide's text and code, with this directory's address", () => {
  const source = readFileSync(join(import.meta.dirname, '../../../docs/SUBSCRIBING.md'), 'utf8');
  const html = page(frame, { page: 'subscribing', guide: guide() });
  let text = '';
  const parser = new Parser({ ontext: (part) => void (text += part) });
  parser.end(html.slice(html.indexOf('<main')));
  const codes = [...source.matchAll(/^```\w+\n(.*?)\n```/gms)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(2);
  for (const part of ['Move to another URL.', ...codes])
    expect(text).toContain(part.replaceAll('https://directory.example.com', frame.baseUrl));
});

it('links a category only if it has a page', () => {
  const html = page(frame, { ...botView, bot: { ...botView.bot, categories: ['SEO', 'Forgotten'] } });
  expect(html).toContain('href="/categories/seo"');
  expect(html).toContain('Forgotten');
  expect(html).not.toContain('/categories/forgotten');
});

it('says how to tell whose success a bot_exists is', () => {
  const view = views['an error code'];
  expect(view && page(frame, view)).toMatch(/<code>created_at<\/code> is later than your first attempt/);
});

it('is the same each time', () => {
  for (const view of Object.values(views)) expect(page(frame, view)).toBe(page(frame, view));
});

it.each([
  ['the home page', 8_192],
  ['a bot', 5_200],
  ['the API reference', 11_500],
])('%s takes at most its share of bytes', (name, most) => {
  const view = views[name];
  if (view === undefined) throw new Error(name);
  expect(brotliCompressSync(page(frame, view)).length).toBeLessThanOrEqual(most);
});

it('keeps structured data readable and harmless', () => {
  const html = page(frame, {
    page: 'bot',
    bot: hostile,
    posts: [],
    updatedAt: hostile.created_at,
    templateUrl: 'https://templates.example.com/bot/3',
    related: [],
    others: [],
    namesakes: [],
    template: { checkedOn: '2026-11-21', found: 'found' },
    forms: undefined,
  });
  const [block] = [...html.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)].map(([, text = '']) =>
    JSON.parse(text),
  );
  expect(block).toMatchObject({ '@type': 'SoftwareApplication', name: hostile.name, description: hostile.description });
});

it.each([
  ['the home page', '/'],
  ['the last page', undefined],
  ['no result', undefined],
  ['every filter', undefined],
  ['a refused submission', undefined],
  ['a bot', '/bots/meeting-notes-actions-3'],
])('tells search engines the canonical URL of %s, or not to index it', (name, path) => {
  const view = views[name];
  if (view === undefined) throw new Error(name);
  const html = page(frame, view);
  if (path === undefined) expect(html).toContain('<meta name="robots" content="noindex,follow"');
  else expect(html).toContain(`<link rel="canonical" href="${frame.baseUrl}${path}"`);
});
