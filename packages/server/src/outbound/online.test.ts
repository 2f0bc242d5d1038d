import { describe, expect, it } from 'vitest';
import { createIsOnline } from './online.ts';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

describe('the control look-up', () => {
  it.each([
    ['ENOTFOUND', true],
    ['ENODATA', true],
    ['ESERVFAIL', false],
    ['EREFUSED', false],
    ['ETIMEOUT', false],
    ['ECONNREFUSED', false],
  ])('that ends in %s says that we are online: %s', async (code, isOnline) => {
    expect(await createIsOnline(failing(code))()).toBe(isOnline);
  });

  it('asks once for all who ask at a time, for a name that is always there', async () => {
    const asked: string[] = [];
    const isOnline = createIsOnline((name) => {
      asked.push(name);
      return Promise.resolve(['198.41.0.4']);
    });
    expect(await Promise.all([isOnline(), isOnline(), isOnline()])).toEqual([true, true, true]);
    expect(asked).toEqual(['a.root-servers.net']);
  });
});
