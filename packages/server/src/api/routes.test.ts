import { describe, expect, it } from 'vitest';
import { readRoutes } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { Directory } from '../directory/directory.ts';
import { bindOperations } from '../operations/index.ts';
import { KeyedResource, resourceFinder, type ResourceRoute } from '../reads/resource.ts';
import type { EventReads } from './events.ts';
import { apiRoutes, type ApiContext } from './routes.ts';

const baseUrl = 'https://bots.example.com';
const categories = ['SEO', 'Marketing'];
const directory = new Directory({ store: undefined, form: { baseUrl } });
/** Reads that are never made. */
const events = {} as EventReads;

const routes = new Map<string, ResourceRoute<ApiContext>>();
const rules = {
  template: { host: 'templates.example' },
  social: { host: 'social.example', aliases: [] },
  categories,
  webhook: { allowedNetworks: [] },
};
apiRoutes({
  operations: bindOperations(rules, undefined),
  events: undefined,
  categories,
  templateHost: 'templates.example.com',
  limit: [],
  ending: new AbortController().signal,
  handlerOf: (route) => {
    routes.set(route.path, route);
    return () => undefined;
  },
});

const finder = (form: string): ((url: string) => KeyedResource) => {
  const find = resourceFinder({
    context: { directory, baseUrl, categories, events, frame: { templateHost: 'templates.example.com' } },
    directory,
    form,
  });
  return (url) => {
    const [path = ''] = url.split('?', 1);
    const slug = path.slice('/api/bots/'.length);
    const route = routes.get(path) ?? routes.get('/api/bots/:slug');
    const found = route && find(route, { url, params: { slug }, headers: {} });
    if (!(found instanceof KeyedResource)) throw new Error(`nothing is at ${url}`);
    return found;
  };
};
const readQuery = finder('form');
const key = (url: string): string => readQuery(url).key;
const refusal = (url: string): Failure => {
  try {
    readQuery(url);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error(`${url} was not refused`);
};

describe('the query of a URL', () => {
  it.each(Object.entries(readRoutes))('is known for %s of the contract', (_name, { path }) => {
    expect(key(path.replace(':slug', 'a-bot'))).toBeDefined();
  });

  it('is the same for every spelling', () => {
    const one = key('/api/bots?integration=google-sheets&integration=Slack&category=seo&limit=5');
    expect(
      key('/api/bots?limit=5&category=SEO&category=seo&integration=slack&integration=GOOGLE%20Sheets&colour=red'),
    ).toBe(one);
    expect(key('/api/bots?limit=6&category=SEO&integration=slack&integration=google-sheets')).not.toBe(one);
  });

  it('differs wherever the response may', () => {
    const urls = [
      '/api/bots',
      '/api/bots?sort=installs',
      '/api/bots?q=a',
      '/api/bots?author=a',
      '/api/bots?limit=1',
      '/api/feed',
      '/api/feed?limit=1',
      '/api/categories',
      '/api/bots/a',
      '/api/bots/b',
    ];
    expect(new Set(urls.map(key)).size).toBe(urls.length);
  });

  it('names every refused parameter at once', () => {
    const refused = refusal('/api/bots?limit=0&sort=oldest&category=Nope&page=2&cursor=!');
    expect(refused.extras.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      '?category',
      '?cursor',
      '?limit',
      '?page',
      '?sort',
    ]);
  });

  it('refuses more parameters than any client needs, whatever their names', () => {
    for (const name of ['category', 'colour'])
      expect(refusal(`/api/bots?${Array.from({ length: 101 }, () => name).join('&')}`).extras.errors).toEqual([
        { pointer: '?', detail: 'must have at most 100 parameters' },
      ]);
    expect(key(`/api/bots?${Array.from({ length: 100 }, () => 'colour').join('&')}`)).toBe(key('/api/bots'));
  });

  it('refuses more words than anyone types', () => {
    const words = Array.from({ length: 13 }, (_, i) => `w${i}`);
    expect(refusal(`/api/bots?q=${words.join('+')}`).extras.errors).toEqual([
      { pointer: '?q', detail: 'must have at most 12 different words' },
    ]);
    expect(key(`/api/bots?q=${words.slice(1).join('+')}+w1`)).toBe(key(`/api/bots?q=${words.slice(1).join('+')}`));
  });
});

describe('the tag of a read', () => {
  it('is the same until its state changes, and another in another release or with other settings', () => {
    const tag = (form: string): unknown => finder(form)('/api/categories').validators().tag;
    expect(tag('a')).toBe(tag('a'));
    expect(tag('a')).not.toBe(tag('b'));
    const read = readQuery('/api/bots');
    expect(read.validators()).toBe(read.validators());
  });
});
