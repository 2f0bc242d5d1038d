import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readPageMetadata } from './page-metadata.ts';

describe('readPageMetadata', () => {
  it('gathers JSON-LD, meta elements and the title as they stand', () => {
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
