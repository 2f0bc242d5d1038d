/** The map in ARCHITECTURE.md is the one that lint enforces. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverLayers } from '../../lint/server-layers.js';

const root = join(import.meta.dirname, '../..');
const [, tree = ''] = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8').split('```\n');
const part = /^[\w-]+(?:\.ts|\/)/;

/** The first words of each line, up to the first that names no part. */
const rows = tree
  .split('\n')
  .filter((line) => /^ {2}\S/.test(line))
  .map((line) => line.trim().split(/\s+/))
  .map((words) =>
    words
      .slice(
        0,
        words.findIndex((word) => !part.test(word)),
      )
      .map((word) => word.replace('/', '')),
  );

it('has the layers of the server in the order of lint', () => {
  expect(rows).toEqual(serverLayers);
});

it('has exactly the parts of the server', () => {
  const parts = readdirSync(join(root, 'packages/server/src')).filter((name) => !name.endsWith('.test.ts'));
  expect(rows.flat().sort()).toEqual(parts.sort());
});

it('has exactly the packages', () => {
  const named = [...tree.matchAll(/^packages\/([\w-]+)\/ {2}/gm)].map(([, name]) => name);
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  );
  expect([...named, 'server'].sort()).toEqual(packages.sort());
});

it('has a README in every package and example, which says what it is for and how it is tested', () => {
  for (const folder of ['packages', 'examples'])
    for (const name of readdirSync(join(root, folder))) {
      const path = join(root, folder, name);
      if (!existsSync(join(path, 'package.json'))) continue;
      expect(readFileSync(join(path, 'README.md'), 'utf8'), `${folder}/${name}`).toMatch(/^# .+\n\n.{40}[\s\S]*test/i);
    }
});
