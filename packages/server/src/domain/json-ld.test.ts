import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { jsonLdSubjects } from './json-ld.ts';

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

  it('skips blocks that are no JSON', () =>
    expect(jsonLdSubjects(['{', '', '<!-- {} -->', '{"name":"x"}'])).toEqual([{ name: 'x' }]));

  it('gives up on deep nesting', () => {
    expect(jsonLdSubjects(['['.repeat(200_000), `${'['.repeat(9_000)}{}${']'.repeat(9_000)}`])).toEqual([]);
    expect(jsonLdSubjects([`${'{"@graph":'.repeat(9_000)}1${'}'.repeat(9_000)}`]).length).toBeLessThan(9);
  });

  it('looks at the first of very many nodes and types', () => {
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
