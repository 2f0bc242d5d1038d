import { describe, expect, it } from 'vitest';
import { readRoutes } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { createReadQuestion } from './questions.ts';

const readQuestion = createReadQuestion(['SEO', 'Marketing']);
const key = (url: string): unknown => {
  const question = readQuestion(url);
  return question instanceof Failure ? question : question?.key;
};

describe('the question of a URL', () => {
  it.each(Object.entries(readRoutes))('is known for %s of the contract', (_name, { path }) => {
    expect(readQuestion(path.replace(':slug', 'a-bot'))).toBeDefined();
  });

  it.each([
    '/',
    '/bots/a',
    '/api/bots/submit',
    '/api/bots/a/integrations',
    '/api/bots/',
    '/api/unknown',
    '/api/webhooks/bots',
    '/api/events',
  ])('is none for %s', (url) => {
    expect(readQuestion(url)).toBeUndefined();
  });

  it('is the same for every spelling', () => {
    const one = key('/api/bots?integration=google-sheets&integration=Slack&category=seo&limit=5');
    expect(
      key('/api/bots?limit=5&category=SEO&category=seo&integration=slack&integration=GOOGLE%20Sheets&colour=red'),
    ).toBe(one);
    expect(key('/api/bots?limit=6&category=SEO&integration=slack&integration=google-sheets')).not.toBe(one);
  });

  it('differs wherever the answer may', () => {
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
    const refused = readQuestion('/api/bots?limit=0&sort=oldest&category=Nope&page=2&cursor=!');
    expect(refused).toBeInstanceOf(Failure);
    expect((refused as Failure).extras.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      '?category',
      '?cursor',
      '?limit',
      '?page',
      '?sort',
    ]);
  });
});
