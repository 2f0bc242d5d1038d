/** PROMISES.md names faults and tests that are there, and every fault attacks one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faults } from './faults.ts';

const promises = readFileSync(join(import.meta.dirname, '../../../../docs/PROMISES.md'), 'utf8')
  .split('\n- ')
  .slice(1)
  .map((item) => item.replaceAll(/\s+/g, ' '))
  .map((item) => /^\*\*(.+)\*\* - Kept by (.+) - Tried by (.+)$/.exec(item)?.slice(1) ?? [item]);

const all = (pattern: RegExp): string[] =>
  promises.flatMap(([, , tried = '']) => [...tried.matchAll(pattern)].map(([, name = '']) => name));

it('has a mechanism that keeps every promise, and a fault that tries to break it', () => {
  expect(promises.length).toBeGreaterThan(0);
  for (const [promise, kept, tried] of promises)
    expect([promise, kept, tried]).toEqual([promise, expect.stringMatching(/\w/), expect.stringMatching(/_[^_`]+_/)]);
});

it('names every fault of the chaos suite, and none that is not there', () => {
  expect([...new Set(all(/_([^_`]+)_/g))].sort()).toEqual(faults.map(({ name }) => name).sort());
});

it('names tests that are there', () => {
  for (const name of all(/`([\w-]+\/[\w.-]+\.test\.ts)`/g))
    expect([name, existsSync(join(import.meta.dirname, '..', name))]).toEqual([name, true]);
});

it('has a test in `npm test` for every promise', () => {
  for (const [promise, , tried = ''] of promises)
    expect([promise, tried]).toEqual([promise, expect.stringMatching(/`(?![^`]*\.full\.)[^`]+\.test\.ts`/)]);
});
