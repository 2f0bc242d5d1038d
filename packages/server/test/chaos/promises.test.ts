/** The table of promises in ARCHITECTURE.md names faults and tests that are there, and every fault attacks one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faults } from './faults.ts';

const architecture = readFileSync(join(import.meta.dirname, '../../../../docs/ARCHITECTURE.md'), 'utf8');
const [, section = ''] = architecture.split('## Promises, and what tries to break them\n');
const rows = (section.split('\n## ', 1)[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split(' | '));

const all = (pattern: RegExp): string[] =>
  rows.flatMap(([, tried = '']) => [...tried.matchAll(pattern)].map(([, name = '']) => name));

it('has a fault that tries to break every promise', () => {
  expect(rows.length).toBeGreaterThan(0);
  for (const [promise, tried] of rows)
    expect([promise, tried]).toEqual([promise, expect.stringMatching(/[_*][^_*`]+[_*]/)]);
});

it('names every fault of the chaos suite, and none that is not there', () => {
  expect([...new Set(all(/[_*]([^_*`]+)[_*]/g))].sort()).toEqual(faults.map(({ name }) => name).sort());
});

it('names tests that are there', () => {
  for (const name of all(/`([\w-]+\/[\w.-]+\.test\.ts)`/g))
    expect([name, existsSync(join(import.meta.dirname, '..', name))]).toEqual([name, true]);
});
