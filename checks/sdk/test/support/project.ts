/** A user's project: a folder outside the workspace, with the packed tarball of the SDK in its node_modules. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Ran, run } from '@bot-directory/testing/run';

/** What a test does in a project. */
export interface Project {
  folder: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  /** Writes a script and runs it with Node. */
  node(name: string, text: string): Promise<Ran>;
  remove(): void;
}

/** Makes a project. The package must have been built. */
export const makeProject = (): Project => {
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-project-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: join(import.meta.dirname, '../../../../packages/sdk'),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const installed = join(folder, 'node_modules/@bot-directory/sdk');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', installed]);
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  write('package.json', '{"private":true}');
  return {
    folder,
    write,
    node: (name, text) => run(process.execPath, [write(name, text)], { cwd: folder }),
    remove: () => rmSync(folder, { recursive: true }),
  };
};
