/** The messages of commits, in repositories that the test makes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkCommits, complaintsAbout } from '../commits.mjs';

const home = mkdtempSync(join(tmpdir(), 'commits-'));
afterAll(() => rmSync(home, { recursive: true }));

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
const git = (folder: string, ...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: folder });
const commit = (folder: string, message: string) => git(folder, 'commit', '-q', '--allow-empty', '-m', message);

/** Makes a repository with a bad message before the commit that adds the check, and these after it. */
const repository = (name: string, ...messages: string[]): string => {
  const folder = join(home, name);
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  git(folder, 'init', '-q');
  commit(folder, 'before; the check');
  writeFileSync(join(folder, 'scripts/commits.mjs'), '');
  git(folder, 'add', '.');
  commit(folder, 'check; this');
  for (const message of messages) commit(folder, message);
  return folder;
};

const good = 'area: what changes\n\nWhy it changes.';
const bad = 'area: two things; in one\n\nWhy.';

it.each([
  ['a subject of 60 characters', `a: ${'x'.repeat(57)}\n\nWhy.`, []],
  ['a subject of 61 characters', `a: ${'x'.repeat(58)}\n\nWhy.`, ['the subject has 61 characters, more than 60']],
  ['a semicolon', 'a: b; c\n\nWhy.', ['the subject has a ";": these are two commits']],
  ['no area', 'Change it\n\nWhy.', ['the subject is not "area: what changes"']],
  ['no body', 'a: b\n', ['no body says why']],
])('judges %s', (_, message, complaints) => {
  expect(complaintsAbout(message)).toEqual(complaints);
});

it('checks only the commits after the one that added it', () => {
  expect(checkCommits(repository('good', good))).toEqual({ count: 1, complaints: [] });
  const { count, complaints } = checkCommits(repository('bad', good, bad));
  expect([count, complaints]).toEqual([2, [expect.stringMatching(/^\w+ area: two things; in one: /)]]);
});

it('checks what a shallow clone has', () => {
  const origin = repository('origin', bad, good, good);
  const clone = (depth: number): string => {
    const folder = join(home, `depth-${String(depth)}`);
    git(home, 'clone', '-q', '--depth', String(depth), `file://${origin}`, folder);
    return folder;
  };
  expect(checkCommits(clone(1))).toEqual({ count: 0, complaints: [] });
  expect(checkCommits(clone(2))).toEqual({ count: 1, complaints: [] });
  expect(checkCommits(clone(4)).complaints).toHaveLength(1);
});

it('checks nothing in a copy without history', () => {
  const folder = join(repository('around', bad), 'copy');
  mkdirSync(folder);
  expect(checkCommits(folder)).toEqual({ count: 0, complaints: [] });
  expect(checkCommits(mkdtempSync(join(home, 'none-')))).toEqual({ count: 0, complaints: [] });
});
