/** Integrations on pages: by their usual names, with marks that cost little. */
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { page } from '../src/page.tsx';
import { integrationName, markOf } from '../src/parts/integration-names.ts';
import { marks } from '../src/parts/marks.gen.ts';
import { frame } from './samples.ts';
import { botView, frames, views } from './views.ts';

it.each([
  ['google-search-console', 'Google Search Console'],
  ['github', 'GitHub'],
  ['git-hub', 'GitHub'],
  ['node-js', 'Node.js'],
  ['c-plus-plus', 'C++'],
  ['openai', 'OpenAI'],
  ['monday-com', 'monday.com'],
  ['1password', '1Password'],
  ['ms-teams', 'MS Teams'],
  ['acme-crm', 'Acme CRM'],
  ['some-unknown-thing', 'Some Unknown Thing'],
])('calls %s %s', (slug, name) => expect(integrationName(slug)).toBe(name));

it('calls what it does not know as it is written', () => {
  expect([integrationName('acme', 'ACME'), integrationName('github', 'GITHUB')]).toEqual(['ACME', 'GitHub']);
});

it.each(['slack', 'zoom', 'linkedin', 'salesforce', 'ms-teams', 'outlook', 'gmail', 'notion'])(
  'has a mark of %s',
  (slug) => {
    expect(markOf(slug)).toBeDefined();
  },
);

it.each(Object.entries(views))('%s, has each mark that it uses, once, and no others', (name, view) => {
  const html = page({ ...frame, ...frames[name] }, view);
  const used = [...html.matchAll(/<use href="#([^"]+)"/g)].map(([, id]) => id);
  const there = [...html.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id);
  expect(there.toSorted()).toEqual([...new Set(used)].toSorted());
});

it('shows names and marks, and links by slug', () => {
  const html = page(frame, { ...botView, bot: { ...botView.bot, integrations: ['google-search-console', 'slack'] } });
  expect(html).toMatch(
    /href="\/integrations\/google-search-console"><svg[^>]*><use href="#mark-googlesearchconsole"><\/use><\/svg>Google Search Console</,
  );
  expect(html).toContain('<use href="#mark-slack"></use></svg>Slack<');
});

it('costs a page at most 4 KB, whichever marks they are', () => {
  const longest = [...marks].sort(([, a], [, b]) => b.length - a.length).slice(0, 40);
  const bytesWith = (integrations: readonly string[]): number =>
    brotliCompressSync(
      page(frame, { ...botView, related: [], others: [], bot: { ...botView.bot, integrations: [...integrations] } }),
    ).length;
  const slugs = longest.map(([name]) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
  expect(bytesWith(slugs) - bytesWith([])).toBeLessThanOrEqual(4_096);
});
