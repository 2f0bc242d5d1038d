/** The archive of a release, made by the commands of the workflow that publishes it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { runForOutput } from '../../../scripts/child.mjs';
import { read, root } from './files.ts';

type Step = { readonly id?: string; readonly run?: string };

/** Writes `bot-directory-server-<version>.tgz` to a folder. Returns its path. */
export const makeArchive = async (folder: string, version: string): Promise<string> => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: { server: { steps: Step[] } } };
  const commands = jobs.server.steps.find(({ id }) => id === 'tarball')?.run ?? '';
  // The build came before the tests.
  const packing = commands.replace('npm run pack:server --', `node ${join(root, 'deploy/src/pack-server.mjs')}`);
  const temporary = mkdtempSync(join(tmpdir(), 'archive-'));
  mkdirSync(folder, { recursive: true });
  try {
    const env = { ...process.env, VERSION: version, RUNNER_TEMP: temporary };
    const { code, output } = await runForOutput('sh', ['-euc', packing], { cwd: folder, env });
    expect(code, output).toBe(0);
  } finally {
    rmSync(temporary, { recursive: true });
  }
  return join(folder, `bot-directory-server-${version}.tgz`);
};
