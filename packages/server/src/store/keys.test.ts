/** The data model in prose, at the top of `keys.ts`, has the keys of the table, and their types. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allKeys } from './keys.ts';

const source = readFileSync(new URL('keys.ts', import.meta.url), 'utf8');
const prose = source.slice(0, source.indexOf('import '));
const described = [...prose.matchAll(/^ \* {3}([a-z][\w-]*) +(hash|zset|set|stream|string) /gm)].map(
  ([, name, type]) => `${name} ${type}`,
);

it('names every key of the table, and no other', () => {
  const nameOf = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
  // Their keys have the same names in each partition.
  const inTable = new Set(
    allKeys.map(({ key, type }) => `${nameOf(key)} ${type}`).filter((row) => !row.startsWith('own-')),
  );
  expect(described.toSorted()).toEqual([...inTable].toSorted());
});
