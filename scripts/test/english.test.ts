/** Docs and comments have none of the words that STYLE.md's table replaces. */
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
const exempt = /^docs\/released\/|CHANGELOG\.md$|^scripts\/test\/english\.test\.ts$/;
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => /\.(md|m?js|tsx?|lua|css|ya?ml|cfg|service)$|(^|\/)(Dockerfile|environment)$/.test(path))
  .filter((path) => !exempt.test(path) && existsSync(join(root, path)));

/** The prose of a file: all of a page without its code, else the lines that are comments or end in one. */
const prose = (path: string, text: string): string => {
  if (path.endsWith('.md')) return text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '');
  return text
    .split('\n')
    .map((line) => /^\s*(?:\/?\*|\/\/|--|#)(.*)|\s(?:\/\/|\/\*|\{\/\*) (.*)/.exec(line))
    .map((match) => match?.[1] ?? match?.[2] ?? '\n')
    .join(' ');
};

/** A sentence may go over several lines. */
const found = (path: string): string[] =>
  [...prose(path, read(path)).replaceAll(/\s+/g, ' ').matchAll(pattern)].map(
    ({ 0: words, index, input }) => `${words}: …${input.slice(Math.max(0, index - 40), index + 40)}…`,
  );

it('has words to refuse, and pages and comments to read', () => {
  expect(refused).toContain('lest');
  expect(prose('a.ts', 'const lest = 1; // lest it fails\n/** Mended. */').replaceAll(/\s+/g, ' ')).toBe(
    'lest it fails * Mended. */',
  );
  expect(files.length).toBeGreaterThan(300);
});

it('keeps to the table of replacements', () => {
  expect(files.map((path) => [path, found(path)]).filter(([, words]) => words?.length !== 0)).toEqual([]);
});
