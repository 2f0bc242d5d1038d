import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepare, type Route } from './request.ts';

const base = 'https://directory.example.com/base';
const settings = { baseUrl: base, operation: 'bots.list' };
const accept = 'application/json';
const getBot: Route = { name: 'getBot', method: 'GET', path: '/api/bots/:slug' };
const merge: Route = { name: 'addIntegrations', method: 'POST', path: '/api/bots/:slug/integrations' };

describe('a path parameter', () => {
  it.each(['', '.', '..', '\ud800', 'a\udfff', undefined, null, 7, ['..']])('%j is refused', (slug) => {
    expect(() => prepare(settings, getBot, { slug })).toThrow(TypeError);
    expect(() => prepare(settings, merge, { slug, integrations: [] })).toThrow(TypeError);
  });

  it('stays one segment of the path, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (slug) => {
        fc.pre(!/^\.{0,2}$/.test(slug));
        const { pathname, search, hash } = new URL(prepare(settings, merge, { slug, integrations: [] }).url);
        const [before, segment = '', after] = pathname.split(/(?<=\/bots\/)([^/]*)(?=\/)/);
        expect([before, after, search, hash]).toEqual(['/base/api/bots/', '/integrations', '', '']);
        expect(decodeURIComponent(segment)).toBe(slug);
      }),
    );
  });

  it('is not sent again in the query or the body', () => {
    expect(prepare(settings, merge, { slug: 'a/b?c', integrations: ['x'] })).toEqual({
      url: `${base}/api/bots/a%2Fb%3Fc/integrations`,
      init: { method: 'POST', redirect: 'manual', body: '{"integrations":["x"]}' },
      headers: { accept, 'content-type': 'application/json' },
    });
    expect(prepare(settings, getBot, { slug: 'a' })).toEqual({
      url: `${base}/api/bots/a`,
      init: { method: 'GET', redirect: 'follow' },
      headers: { accept },
    });
  });
});

it('takes a Date in a query', () => {
  const route: Route = { name: 'listBots', method: 'GET', path: '/api/bots', query: ['updated_since'] };
  const { url } = prepare(settings, route, { updated_since: new Date('2026-11-21T05:56:35.166Z') });
  expect(new URL(url).searchParams.get('updated_since')).toBe('2026-11-21T05:56:35.166Z');
});

describe('a path', () => {
  it.each([
    ['/api/x?at=12:30', {}, '/api/x?at=12:30'],
    ['/api/x?at=:name', { name: 'a' }, '/api/x?at=:name&name=a'],
    ['/api/:name?at=12:30', { name: 'a?b', y: 2 }, '/api/a%3Fb?at=12:30&y=2'],
    ['/api/12:30/:_x1', { _x1: 'a' }, '/api/12:30/a'],
  ])('%s with %j is %s', (path, input, sent) => {
    expect(prepare(settings, { name: 'GET', method: 'GET', path }, input).url).toBe(base + sent);
  });
});

describe('a query', () => {
  const list: Route = { name: 'listBots', method: 'GET', path: '/api/bots', list: true };
  it.each([
    [{}, ''],
    [{ limit: undefined, category: [] }, ''],
    [{ q: null, category: [null, 'SEO'] }, '?category=SEO'],
    [{ limit: 20 }, '?limit=20'],
    [{ category: ['Marketing', 'R&D'], q: 'a b' }, '?category=Marketing&category=R%26D&q=a%20b'],
  ])('%j is written as %j', (input, search) => {
    expect(prepare(settings, list, input).url).toBe(`${base}/api/bots${search}`);
  });
});
