import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readTemplatePage, readPageMetadata, jsonLdSubjects } from './template-page.ts';

/** The page that a response describes, with its integrations as a list. */
const read = (contentType: string, body: string) => {
  const page = readTemplatePage(contentType, body);
  return page && { ...page, integrations: [...page.integrations.keys()] };
};
const json = (value: unknown) => read('application/json', JSON.stringify(value));
const html = (body: string) => read('text/html; charset=utf-8', body);
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

describe('a JSON response', () => {
  it('gives name, description and integrations, cleaned', () => {
    const answer = { id: 7, name: ' Daily\n Digest ', description: 'Sums\u0000 up', integrations: ['Google Sheets'] };
    expect(json(answer)).toEqual({ name: 'Daily Digest', description: 'Sums up', integrations: ['google-sheets'] });
  });

  it.each([
    ['strings', { integrations: ['Gmail', 'C#'] }, ['gmail', 'c-sharp']],
    ['objects with a slug', { integrations: [{ slug: 'google-sheets', name: 'Sheets' }] }, ['google-sheets']],
    ['objects with a name', { integrations: [{ name: 'Google Sheets' }] }, ['google-sheets']],
    ['an object whose slug says nothing', { integrations: [{ slug: '!', name: 'Gmail' }] }, ['gmail']],
    ['connectors', { connectors: ['Gmail', { name: 'Slack' }] }, ['gmail', 'slack']],
    ['connectors next to no integrations', { integrations: [], connectors: ['Gmail'] }, ['gmail']],
    ['integrations before connectors', { integrations: ['Gmail'], connectors: ['Slack'] }, ['gmail']],
    ['duplicates', { integrations: ['Gmail', 'GMAIL', { slug: 'gmail' }] }, ['gmail']],
    ['texts without a slug', { integrations: ['!', '', '微信', 'a'.repeat(51), 'Gmail'] }, ['gmail']],
    ['other things', { integrations: [null, 7, true, [], ['x'], {}, { slug: 7 }, { name: null }, 'Gmail'] }, ['gmail']],
    ['a text in place of the list', { integrations: 'Gmail' }, []],
    ['an object in place of the list', { integrations: { 0: 'Gmail', length: 1 } }, []],
  ])('reads integrations given as %s', (_, fields, integrations) =>
    expect(json({ name: 'Bot', ...fields })).toMatchObject({ integrations }),
  );

  it.each([
    ['an object', [{ slug: 'ms-teams', name: 'MS Teams' }], ['MS Teams']],
    ['an object with another name', [{ slug: 'google-sheets', name: 'GSheets' }], ['']],
    ['texts, of which the first says something', ['acmecrm', 'AcmeCRM', 'ACMECRM'], ['AcmeCRM']],
  ])('keeps how integrations are written, in %s', (_, integrations, names) => {
    const page = readTemplatePage('application/json', JSON.stringify({ name: 'Bot', integrations }));
    expect([...(page?.integrations.values() ?? [])]).toEqual(names);
  });

  it('keeps 24 integrations', () => {
    const integrations = Array.from({ length: 30 }, (_, n) => `i${n}`);
    expect(json({ name: 'Bot', integrations })).toMatchObject({ integrations: integrations.slice(0, 24) });
  });

  it('reads only the first of very many entries', () => {
    const integrations = [...Array<string>(200_000).fill('Gmail'), 'Slack'];
    expect(json({ name: 'Bot', integrations })).toMatchObject({ integrations: ['gmail'] });
  });

  it('folds little, whatever the entries are', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const long = 'ﷺ'.repeat(340);
    expect(json({ name: 'Bot', integrations: Array<string>(1_000).fill(long) })).toMatchObject({ integrations: [] });
    for (const letter of ['ﷺ', '㍿', 'é'])
      json({ name: 'Bot', integrations: Array(1_000).fill({ slug: letter.repeat(200), name: letter.repeat(199) }) });
    const made = normalize.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
    normalize.mockRestore();
    expect(made).toBeLessThan(2_000_000);
  });

  it.each([undefined, null, 7, ['x'], { text: 'x' }, '\u200b'])('has an empty description for %j', (description) =>
    expect(json({ name: 'Bot', description })).toEqual({ name: 'Bot', description: '', integrations: [] }),
  );

  it.each([undefined, null, 7, true, '', ' \n ', '\u202e', ['Bot'], { text: 'Bot' }])(
    'is unreadable when the name is %j',
    (name) => expect(json({ name, description: 'x' })).toBeUndefined(),
  );

  it.each([null, 7, 'Bot', true, [], [{ name: 'Bot' }]])('is unreadable when it is %j', (value) =>
    expect(json(value)).toBeUndefined(),
  );

  it.each(['', '{', 'Bot', '{"name":"Bot"', "{'name':'Bot'}", '<title>Bot</title>', '{"__proto__":{"name":"Bot"}}'])(
    'is unreadable when its text is %s',
    (body) => expect(readTemplatePage('application/json', body)).toBeUndefined(),
  );

  it('is unreadable when it nests without end', () => {
    const bodies = ['['.repeat(100_000), '{"name":'.repeat(100_000), `${'['.repeat(100_000)}${']'.repeat(100_000)}`];
    expect(bodies.map((body) => readTemplatePage('application/json', body))).toEqual([undefined, undefined, undefined]);
  });

  it('cuts names at 100 characters and descriptions at 500, never through a code point', () => {
    const long = json({ name: 'n'.repeat(101), description: 'd'.repeat(501) });
    expect(long).toMatchObject({ name: 'n'.repeat(100), description: `${'d'.repeat(499)}…` });
    expect(json({ name: `${'n'.repeat(99)}🤖` })).toMatchObject({ name: 'n'.repeat(99) });
  });
});

describe('an HTML response', () => {
  const head = '<title>From title</title><meta name="description" content="In meta">';
  const ogTitle = '<meta property="og:title" content="From OpenGraph">';
  const openGraph = `${ogTitle}<meta property="og:description" content="In OpenGraph">`;
  const app = { '@type': 'SoftwareApplication', name: 'From JSON-LD', description: 'In JSON-LD' };
  const firm = { '@type': 'Organization', name: 'Acme', description: 'A firm' };
  const other = { '@type': 'Thing', name: 'Other', description: 'Of another' };
  const broken = '<script type="application/ld+json">{oops</script>';

  it.each([
    ['JSON-LD first', head + openGraph + ld(app), 'From JSON-LD', 'In JSON-LD'],
    ['OpenGraph next', head + openGraph, 'From OpenGraph', 'In OpenGraph'],
    ['title and meta description last', head, 'From title', 'In meta'],
    ['a later source for what an earlier one lacks', head + ogTitle, 'From OpenGraph', 'In meta'],
    ['the next source when one is empty', `${head}<meta property="og:title" content=" ">`, 'From title', 'In meta'],
    ['no description at all', '<title>From title</title>', 'From title', ''],
    ['no JSON-LD that cannot be read', head + broken, 'From title', 'In meta'],
    ['no JSON-LD about something else', head + ld(firm), 'From title', 'In meta'],
    ['no description of another node', head + ld([{ ...app, description: 7 }, other]), 'From JSON-LD', 'In meta'],
    ['the named node of several', head + ld([{ ...app, name: 7 }, app]), 'From JSON-LD', 'In JSON-LD'],
    ['a name that is one emoji', head + ld({ ...app, name: '🤖' }), '🤖', 'In JSON-LD'],
    ['decoded entities', '<title>A &amp; B</title><meta name=description content="&lt;b&gt;">', 'A & B', '<b>'],
  ])('gives %s', (_, body, name, description) => expect(html(body)).toEqual({ name, description, integrations: [] }));

  it('gives the integrations of its JSON-LD', () => {
    const connectors = ['Gmail', { name: 'Google Sheets' }];
    expect(html(ld({ ...app, connectors }))).toMatchObject({ integrations: ['gmail', 'google-sheets'] });
  });

  it.each([
    '',
    'garbage',
    '<html></html>',
    '<title> </title>',
    '<h1>Bot</h1>',
    '{"name":"Bot"}',
    '<meta property="og:description" content="x">',
  ])('is unreadable without a name: %s', (body) => expect(html(body)).toBeUndefined());
});

describe('the media type', () => {
  const object = '{"name":"Bot"}';
  const page = '<title>Bot</title>';

  it.each([
    ['application/json', object],
    ['APPLICATION/JSON; charset="utf-8"', object],
    ['application/vnd.acme.template+json', object],
    ['application/json', `\ufeff${object}`],
    ['text/html', page],
    ['Text/HTML;charset=utf-8', page],
    ['application/xhtml+xml', page],
    [undefined, object],
    [undefined, `\n <!doctype html>${page}`],
  ])('%s is read', (contentType, body) => expect(readTemplatePage(contentType, body)).toMatchObject({ name: 'Bot' }));

  it.each(['text/plain', 'application/octet-stream', 'image/png', 'application/jsonp', 'text/htmlx', '', ';'])(
    '%j is not',
    (contentType) => {
      expect(readTemplatePage(contentType, object)).toBeUndefined();
      expect(readTemplatePage(contentType, page)).toBeUndefined();
    },
  );
});

it('never throws, and gives only clean and bounded values', () => {
  const field = fc.constantFrom('name', 'description', 'integrations', 'connectors', '@graph', '@type', '__proto__');
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.array(fc.string()));
  const body = fc.oneof(
    fc.dictionary(field, value).map((object) => JSON.stringify(object)),
    fc.dictionary(field, value).map(ld),
    fc.string({ unit: 'binary' }).map((title) => `<title>${title}`),
    fc.string({ unit: 'binary' }).map((content) => `<title>Bot</title><meta name=description content="${content}">`),
    fc.string({ unit: 'binary' }),
  );
  const type = fc.constantFrom('application/json', 'text/html', undefined);
  fc.assert(
    fc.property(type, body, (contentType, text) => {
      const page = readTemplatePage(contentType, text);
      if (page === undefined) return;
      expect(page.name).toMatch(/^.{1,100}$/);
      expect(page.description).toMatch(/^[^]{0,500}$/);
      expect(page.integrations.size).toBeLessThanOrEqual(24);
      for (const name of page.integrations.values()) expect(name).toMatch(/^[^,\p{C}]{0,50}$/u);
    }),
  );
});

describe('readPageMetadata', () => {
  it('collects JSON-LD, meta elements and the title unchanged', () => {
    const page = readPageMetadata(`<!DOCTYPE html><html><head>
      <TITLE>Tom &amp; Jerry &lt;b&gt;</TITLE>
      <meta property="og:title" content="Tom &quot;T&quot;">
      <META NAME=Description CONTENT='A cat&#39;s bot'/>
      <script type="Application/LD+JSON">{"name":"a &amp; </b>"}</script>
      <script>var x = '<title>no</title><meta name="description" content="no">';</script>
      </head><body><script type="application/ld+json">[]</script></body></html>`);
    expect(page.title).toBe('Tom & Jerry <b>');
    expect([...page.meta]).toEqual([
      ['og:title', 'Tom "T"'],
      ['description', "A cat's bot"],
    ]);
    expect(page.jsonLd).toEqual(['{"name":"a &amp; </b>"}', '[]']);
  });

  it('counts the first of a kind, and nothing in comments, styles or text areas', () => {
    const page = readPageMetadata(`<!-- <title>0</title> --><style><title>0</title></style>
      <textarea><title>0</title></textarea><title>1</title><svg><title>2</title></svg><meta name=description content=1>
      <meta name=description content=2><meta name=author><meta content=x>`);
    expect(page).toEqual({ jsonLd: [], meta: new Map([['description', '1']]), title: '1' });
  });

  it.each([
    ['nothing', ''],
    ['an unclosed title', '<title>Bot'],
    ['tags that never end', '<'.repeat(100_000)],
    ['attributes', `<meta ${'a=1 '.repeat(100_000)}__proto__=1 constructor=1>`],
    ['comments', '<!--'.repeat(100_000)],
    ['closing tags', '</b></p></br>'.repeat(50_000)],
  ])('reads %s', (_, html) => expect(readPageMetadata(html)).toMatchObject({ jsonLd: [] }));

  it.each(['<div>', '<a>', '<svg>', '<p><li><table>', '<title></title><b>', '<form>'])(
    'reads the beginning of a page of 200,000 nested %s',
    (tag) => expect(readPageMetadata(`<title>Bot</title>${tag.repeat(200_000)}`).title).toBe('Bot'),
  );

  it('stops at the depth at which browsers stop, not before', () => {
    const reads = (depth: number) => readPageMetadata(`${'<b>'.repeat(depth)}<meta name=a content=b>`).meta.has('a');
    expect([reads(500), reads(600)]).toEqual([true, false]);
  });

  it('never throws', () => {
    const sign = fc.constantFrom('<', '</', '>', '/>', '"', "'", '=', '<!', '--', '&', '&#', ';', ' ');
    const word = fc.constantFrom('title', 'meta', 'script', 'svg', 'p', 'form', 'br', 'name', 'content', 'a', '1');
    const page = fc.array(fc.oneof(sign, word)).map((pieces) => pieces.join(''));
    fc.assert(fc.property(page, (html) => void readPageMetadata(html)));
  });
});

const nameOf = (node: unknown): unknown =>
  typeof node === 'object' && node !== null && 'name' in node ? node.name : undefined;

const names = (...blocks: unknown[]): unknown[] =>
  jsonLdSubjects(blocks.map((block) => JSON.stringify(block))).map(nameOf);

const app = { '@type': 'SoftwareApplication', name: 'App' };
const site = { '@type': 'WebSite', name: 'Site' };
const page = { '@type': 'WebPage', name: 'Page' };
const thing = { '@type': 'Thing', name: 'Thing' };

describe('jsonLdSubjects', () => {
  it.each([
    ['a node', [app], ['App']],
    ['a node without a type', [{ name: 'Bare' }], ['Bare']],
    ['a list', [[site, app]], ['App']],
    ['a graph', [{ '@context': 'https://schema.org', '@graph': [site, page, app] }], ['App', undefined, 'Page']],
    ['several blocks', [site, page, thing, app], ['App', 'Thing', 'Page']],
    ['a main entity', [{ ...page, mainEntity: thing }], ['Thing', 'Page']],
    ['a full type name', [{ ...site, '@type': 'https://schema.org/WebSite' }, app], ['App']],
    ['a prefixed type name', [thing, { ...app, '@type': 'schema:WebApplication' }], ['App', 'Thing']],
    ['several types', [{ ...app, '@type': ['Organization', 'Product'] }], ['App']],
    ['a type that is no text', [{ ...app, '@type': 7 }], ['App']],
    ['only the publisher', [{ '@type': 'Organization', name: 'Acme' }], []],
    ['no nodes', [null, 1, 'x', [], [null]], []],
  ])('%s', (_, blocks, expected) => expect(names(...blocks)).toEqual(expected));

  it('skips blocks that are not JSON', () =>
    expect(jsonLdSubjects(['{', '', '<!-- {} -->', '{"name":"x"}'])).toEqual([{ name: 'x' }]));

  it('gives up on deep nesting', () => {
    expect(jsonLdSubjects(['['.repeat(200_000), `${'['.repeat(9_000)}{}${']'.repeat(9_000)}`])).toEqual([]);
    expect(jsonLdSubjects([`${'{"@graph":'.repeat(9_000)}1${'}'.repeat(9_000)}`]).length).toBeLessThan(9);
  });

  it('reads only the first of very many nodes and types', () => {
    const types = Array<string>(200_000).fill('Thing');
    expect(names(Array(200_000).fill({ '@type': types.slice(0, 2), name: 'x' })).length).toBe(100);
    expect(names({ '@type': types, name: 'x' })).toEqual(['x']);
  });

  it('never throws', () => {
    const key = fc.constantFrom('@graph', '@type', 'mainEntity', 'name', '__proto__');
    const leaf = fc.constantFrom(null, 1, '', 'WebPage', true);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
    }));
    fc.assert(fc.property(tree, (value) => void jsonLdSubjects([JSON.stringify(value)])));
  });
});
