/** The packed tarball, as a consumer gets it: its files, its types, its size, and nothing that it should not hold. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledSize } from '@bot-directory/runtimes/bundled-size';
import { compilations, compile } from '@bot-directory/runtimes/compile';
import { docComplaints } from '@bot-directory/runtimes/doc-comments';
import { lintPackage } from '@bot-directory/runtimes/lint-package';
import { burdens, packPackage } from '@bot-directory/runtimes/packed-package';
import { run } from '@bot-directory/runtimes/run';
import { afterAll, describe, expect, it } from 'vitest';
import * as operations from '../src/operations.gen.ts';

const here = import.meta.dirname;
const packed = packPackage(join(here, '..'));
afterAll(() => packed.remove());
const { files, folder } = packed;

describe('the tarball', () => {
  it('holds what a consumer needs and nothing else', () => {
    expect([...files.keys()].sort()).toEqual([
      'LICENSE',
      'README.md',
      ...['cache', 'index', 'mirror'].flatMap((name) =>
        ['cjs', 'd.cts', 'd.ts', 'js'].map((ending) => `dist/${name}.${ending}`),
      ),
      'package.json',
    ]);
    expect(packed.tarball.length).toBeLessThan(120 * 1024);
  });

  it('has no dependency and no install script', () => expect(burdens(packed)).toEqual([]));

  it.each([...files.keys()].filter((name) => name.startsWith('dist/')))(
    '%s imports nothing and knows neither zod nor ts-rest',
    (name) => {
      const text = files.get(name) ?? '';
      expect(text.length).toBeGreaterThan(1_000);
      expect(text).not.toMatch(/\bfrom\s+['"]|\brequire\(|\bimport\(|\bimport\s+['"]|zod|ts-rest/);
    },
  );

  it('is clean to publint and attw', async () => expect((await lintPackage(packed)).complaints).toEqual([]));
});

describe('the size, minified and gzipped', () => {
  const functions = Object.entries<unknown>(operations).filter(([, value]) => typeof value === 'function');
  it.each(functions.map(([name]) => name))('of %s alone is at most 3.7 KB', async (name) => {
    const size = await bundledSize(
      packed,
      `import { connect, ${name} } from '@bot-directory/sdk'; export const call = (baseUrl, input) => ${name}(connect({ baseUrl }), input);`,
    );
    expect(size).toBeGreaterThan(1_000);
    expect(size).toBeLessThanOrEqual(3_700);
  });

  it.each([
    ['mirror', 2_500],
    ['cache', 1_000],
  ])('of the %s entry is at most %i bytes', async (name, most) => {
    expect(await bundledSize(packed, `export * from '@bot-directory/sdk/${name}';`)).toBeLessThanOrEqual(most);
  });

  it('of everything is at most 6.1 KB', async () => {
    expect(await bundledSize(packed, `export * from '@bot-directory/sdk';`)).toBeLessThanOrEqual(6_100);
  });
});

describe('for a consumer', () => {
  const source = readFileSync(join(here, 'types/consumer.ts'), 'utf8');

  it.each(compilations)('the types hold in both module formats under $title', async (compilation) => {
    expect(await compile(packed, source, compilation)).toBe('');
  });

  it.each(['index', 'mirror', 'cache'])('an editor shows a text for every member of %s, and all of it', (entry) => {
    for (const ending of ['d.ts', 'd.cts'])
      expect(docComplaints(packed, `dist/${entry}.${ending}`)).toEqual({ undocumented: [], cut: [] });
  });

  it('both formats load, and know each other’s errors', async () => {
    writeFileSync(
      join(folder, 'both.mjs'),
      `import { createRequire } from 'node:module';
       import * as esm from '@bot-directory/sdk';
       const require = createRequire(import.meta.url);
       const cjs = require('@bot-directory/sdk');
       const error = await cjs.createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).bots.list().catch((caught) => caught);
       console.log(esm.NetworkError !== cjs.NetworkError, error instanceof esm.NetworkError, error instanceof esm.ApiError);
       for (const entry of ['@bot-directory/sdk', '@bot-directory/sdk/mirror', '@bot-directory/sdk/cache'])
         console.log(Object.keys(await import(entry)).join() === Object.keys(require(entry)).sort().join());`,
    );
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'both.mjs')]);
    expect(stdout + stderr).toBe('true true false\ntrue\ntrue\ntrue\n');
  });
});
