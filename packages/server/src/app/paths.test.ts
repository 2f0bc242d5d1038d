import { describe, expect, it } from 'vitest';
import { contract } from '@bot-directory/contract';
import { paths } from './start-web.ts';

describe('the methods of a path', () => {
  it.each(Object.entries(contract))('include the method of %s', (_name, { method, path }) => {
    expect(paths.allowedMethods(path.replace(':slug', 'a-bot'))).toContain(method);
  });

  it.each([
    ['/api/bots', ['GET', 'HEAD', 'OPTIONS']],
    ['/api/feed', ['GET', 'HEAD', 'POST', 'OPTIONS']],
    ['/api/webhooks/bots', ['POST', 'DELETE', 'OPTIONS']],
    ['/bots/a-bot/install', ['POST', 'OPTIONS']],
    ['/bots', ['GET', 'HEAD', 'OPTIONS']],
    ['/healthz', ['GET', 'HEAD', 'OPTIONS']],
  ])('of %s are %j', (path, methods) => {
    expect([...paths.allowedMethods(path)].sort()).toEqual([...methods].sort());
  });

  it('of a literal path are not those of a pattern that it matches', () => {
    expect(paths.allowedMethods('/api/bots/submit')).toEqual(['POST', 'OPTIONS']);
  });

  it.each(['', '/api', '/api/bots/a/b', '/api/bots//integrations', '/bots/', '*'])(
    'are empty where nothing is served: %j',
    (path) => {
      expect(paths.allowedMethods(path)).toEqual([]);
    },
  );
});
