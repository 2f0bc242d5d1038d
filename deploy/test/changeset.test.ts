/** A pull request that changes a published package without a changeset fails, as `ci.yml` calls it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { read, root } from './support/files.ts';

const repository = mkdtempSync(join(tmpdir(), 'changeset-'));
afterAll(() => rmSync(repository, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgSign=false', ...args], {
    cwd: repository,
    encoding: 'utf8',
  });

const commit = (): string => git('add', '.') + git('commit', '--quiet', '--message', 'A commit');

/** Returns the exit code of the check for a pull request that adds these files. */
const exitCodeAfter = (files: Record<string, string>): number | null => {
  git('checkout', '--quiet', '-B', 'pull-request', 'main');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  commit();
  return spawnSync(join(root, 'node_modules/.bin/changeset'), ['status', '--since=main'], { cwd: repository }).status;
};

beforeAll(() => {
  const manifests = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  for (const path of ['package.json', 'pnpm-workspace.yaml', '.changeset', ...manifests])
    cpSync(join(root, path), join(repository, path), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  commit();
  expect(read('.github/workflows/ci.yml')).toContain('pnpm exec changeset status --since="origin/$BASE"');
});

it('asks for one when sources of a published package have changed', () => {
  const generated = { 'packages/webhook-receiver/src/types.gen.ts': 'export {};' };
  expect(exitCodeAfter(generated)).toBe(1);
  expect(
    exitCodeAfter({ ...generated, '.changeset/a.md': "---\n'@bot-directory/webhook-receiver': minor\n---\n\nA\n" }),
  ).toBe(0);
});

it('asks for none for tests, and for packages that are not published', () => {
  expect(exitCodeAfter({ 'packages/sdk/src/a.test.ts': 'export {};', 'packages/server/src/a.ts': 'export {};' })).toBe(
    0,
  );
});
