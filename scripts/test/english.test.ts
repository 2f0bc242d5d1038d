/** Docs and code, with its names, texts and comments, have none of the words that STYLE.md's table replaces. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const [, section = ''] = read('docs/STYLE.md').split('\n## Replacements\n');
const refused = (section.split('\n## ', 1)[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split(' | ', 1)[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, words = '']) => words));
const pattern = new RegExp(refused.map((words) => `${/^\w/.test(words) ? '\\b' : ''}${words}\\b`).join('|'), 'gi');

/** History, and this test's own sample. */
const exempt = /CHANGELOG\.md$|^scripts\/test\/english\.test\.ts$/;
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) =>
    /\.(md|m?js|tsx?|json|html|lua|rb|py|php|java|go|css|ya?ml|cfg|service)$|(^|\/)(Dockerfile|environment)$/.test(
      path,
    ),
  )
  .filter((path) => !exempt.test(path) && existsSync(join(root, path)));

/** Returns a file as one line, as a sentence may span several: code without comment marks, a page without code. */
const textOf = (path: string, text: string): string =>
  (path.endsWith('.md')
    ? text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '')
    : text.replaceAll(/^\s*(?:\/?\*+|\/\/|--|#)/gm, '')
  ).replaceAll(/\s+/g, ' ');

const found = (path: string): string[] =>
  [...textOf(path, read(path)).matchAll(pattern)].map(
    ({ 0: words, index, input }) => `${words}: …${input.slice(Math.max(0, index - 40), index + 40)}…`,
  );

it('has words to refuse, and pages and comments to read', () => {
  expect(refused).toContain('lest');
  expect(textOf('a.ts', "it('never ends, for\n/** It is\n * told. */")).toBe("it('never ends, for It is told. */");
  expect(textOf('a.md', 'It says `lest`.\n```\nlest\n```\n')).toBe('It says . ');
  expect(files.length).toBeGreaterThan(300);
});

it('keeps to the table of replacements', () => {
  expect(files.map((path) => [path, found(path)]).filter(([, words]) => words?.length !== 0)).toEqual([]);
});
