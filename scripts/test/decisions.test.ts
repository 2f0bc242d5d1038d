/** Decisions have one form, stand in the index, and are linked from the code or the page that each explains. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = 'docs/decisions';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const decisions = readdirSync(join(root, folder)).filter((name) => name !== 'README.md');

/** A Markdown link to a file of the folder, or “decision 0015” and “decisions 0015 and 0020” in a comment. */
const links = (text: string): string[] =>
  [...text.matchAll(/\bdecisions\/(\d{4}[\w-]*\.md)|\bdecisions?\s+(?:\* )?(\d{4}(?:(?:, | and )\d{4})*)/g)].flatMap(
    ([, file, numbers = '']) => (file === undefined ? (numbers.match(/\d{4}/g) ?? []) : [file]),
  );

const elsewhere = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => /\.(md|mjs|js|tsx?|lua|ya?ml|css)$|Dockerfile$/.test(path) && !path.startsWith(folder))
  .filter((path) => path !== 'scripts/test/decisions.test.ts' && existsSync(join(root, path)))
  .flatMap((path) => links(read(path)).map((link) => ({ path, link })));

it.each(decisions)('%s has the heading and the sections of every decision', (name) => {
  const text = read(join(folder, name));
  expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)} · \\S.+\\n`));
  expect(text.match(/^\*\*(Context\.|Decision\.|Consequences\.|Undo when\*\*)/gm)).toEqual([
    '**Context.',
    '**Decision.',
    '**Consequences.',
    '**Undo when**',
  ]);
});

it('each decision has a number of its own', () => {
  const numbers = decisions.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([]);
});

it.each(decisions)('%s is linked from outside the folder', (name) => {
  expect(elsewhere.filter(({ link }) => name === link || name.startsWith(`${link}-`))).not.toEqual([]);
});

it('has an index of all of them, with their titles', () => {
  const entries = [...read(join(folder, 'README.md')).matchAll(/^- \[(\d{4})\]\((.+)\) (.+(?:\n {2}.+)*)/gm)];
  const titles = entries.map(([, number = '', file = '', title = '']) => [
    file,
    `# ${number} · ${title.replaceAll(/\s+/g, ' ')}`,
  ]);
  expect(titles.sort()).toEqual(decisions.sort().map((name) => [name, read(join(folder, name)).split('\n', 1)[0]]));
});

it('has every decision that is referred to, from outside and from each other', () => {
  const within = decisions.flatMap((path) =>
    [...read(join(folder, path)).matchAll(/\]\((\d{4}[\w-]*\.md)\)/g)].map(([, link = '']) => ({ path, link })),
  );
  const dead = [...elsewhere, ...within].filter(
    ({ link }) => !decisions.some((name) => name === link || name.startsWith(`${link}-`)),
  );
  expect(dead).toEqual([]);
});
