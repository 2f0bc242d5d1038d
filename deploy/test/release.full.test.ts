/** The checks of a release pass today, and each refuses what it is there for. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  apiComplaints,
  packPublished,
  readPacked,
  tarballComplaints,
  tryInEmptyProject,
  type Packed,
} from '../src/release.ts';
import { read } from './support/files.ts';

let folder: string;
let packed: Packed[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-test-'));
  packed = packPublished(folder);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The first package after a change of its unpacked files. */
const changed = (name: string, change: (home: string) => void): Packed => {
  const home = join(folder, name, 'package');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', packed[0]?.path ?? '', '-C', join(folder, name)]);
  change(home);
  execFileSync('tar', ['-czf', join(folder, `${name}.tgz`), '-C', join(folder, name), 'package']);
  return readPacked(join(folder, `${name}.tgz`));
};

it('the packages that are published pass', async () => {
  expect(packed.map(({ name }) => name).sort()).toEqual(['@bot-directory/sdk', '@bot-directory/webhook-receiver']);
  for (const one of packed) expect(await tarballComplaints(one), one.name).toEqual([]);
  expect(apiComplaints()).toEqual([]);
});

it('a user’s first program runs with them, against the real server', async () => {
  expect(await tryInEmptyProject(folder, packed)).toEqual([]);
});

it('a range that only the workspace knows is refused', async () => {
  const one = changed('workspace', (home) => {
    const path = join(home, 'package.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...manifest, dependencies: { '@bot-directory/contract': 'workspace:*' } }));
  });
  expect((await tarballComplaints(one)).join('\n')).toContain('It depends on "workspace:*"');
});

it('a file that its manifest names and that is missing is refused', async () => {
  const one = changed('missing', (home) => {
    rmSync(join(home, 'dist/index.cjs'));
  });
  expect((await tarballComplaints(one)).join('\n')).toContain('FILE_DOES_NOT_EXIST');
});

it('a heavy package is refused', async () => {
  const one = changed('heavy', (home) => {
    writeFileSync(join(home, 'dist/heavy.js'), randomBytes(200_000).toString('base64'));
  });
  expect((await tarballComplaints(one)).join('\n')).toMatch(/It weighs \d+ bytes/);
});

it('the address of the repository is the one of the root package.json, in every field', () => {
  const { repository } = JSON.parse(read('package.json')) as { repository: { type: string; url: string } };
  const page = repository.url.replace(/^git\+|\.git$/g, '');
  for (const { name, manifest } of packed) {
    const directory = `packages/${name.split('/')[1] ?? ''}`;
    expect(JSON.parse(manifest), name).toMatchObject({
      repository: { ...repository, directory },
      homepage: `${page}/tree/main/${directory}#readme`,
      bugs: `${page}/issues`,
    });
  }
});

it('npm run release publishes nothing without --publish', () => {
  const script = read('scripts/release.mjs');
  expect(script).toMatch(/if \(refused !== 0 \|\| !isReal\) return refused;\n.*'publish'/);
  expect(read('package.json')).toContain('"release": "exec node scripts/release.mjs"');
  expect(read('.github/workflows/release.yml')).toContain('publish: pnpm run release:publish');
});
