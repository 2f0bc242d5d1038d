/** The map in ARCHITECTURE.md is the one that lint enforces, and its drawing is that of the imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverLayers } from '../../lint/server-layers.js';

const root = join(import.meta.dirname, '../..');
const document = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');
const [, tree = ''] = document.split('```\n');
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

describe('the drawing', () => {
  const server = join(root, 'packages/server/src');
  const [, drawing = ''] = /```mermaid\n([^]*?)```/.exec(document) ?? [];
  const files = new Map([...drawing.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, node = '', file = '']) => [node, file]));
  const importsOf = (file: string): string[] =>
    [...readFileSync(join(server, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) =>
      join(dirname(file), path),
    );
  /** Whether a file imports another, itself or by one that it imports. */
  const imports = (from: string, to: string): boolean => {
    const own = importsOf(from);
    return own.includes(to) || own.some((one) => importsOf(one).includes(to));
  };

  it('has files that are there', () => {
    expect(files.size).toBeGreaterThan(8);
    for (const file of files.values()) expect([file, existsSync(join(server, file))]).toEqual([file, true]);
  });

  it('has an arrow only where one of two files imports the other', () => {
    const arrows = [...drawing.matchAll(/^ *(\w+)\S* (?:.*?)--> (\w+)/gm)].map(([, from = '', to = '']) => [from, to]);
    const checked = arrows.flatMap(([from = '', to = '']) => {
      const one = files.get(from);
      const other = files.get(to);
      return one === undefined || other === undefined ? [] : [[one, other] as const];
    });
    expect(checked.length).toBeGreaterThan(7);
    for (const [one, other] of checked)
      expect([one, other, imports(one, other) || imports(other, one)]).toEqual([one, other, true]);
  });
});

it('has a README in every package and example, which says what it is for and how it is tested', () => {
  for (const folder of ['packages', 'examples'])
    for (const name of readdirSync(join(root, folder))) {
      const path = join(root, folder, name);
      if (!existsSync(join(path, 'package.json'))) continue;
      expect(readFileSync(join(path, 'README.md'), 'utf8'), `${folder}/${name}`).toMatch(/^# .+\n\n.{40}[\s\S]*test/i);
    }
});
