/** The packed tarball, as a consumer gets it: its files, its types, its size, and nothing that it should not hold. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgets } from '@bot-directory/check-runtimes/budgets';
import { bundledSize } from '@bot-directory/check-runtimes/bundled-size';
import { compilations, compile } from '@bot-directory/check-runtimes/compile';
import { docComplaints } from '@bot-directory/check-runtimes/doc-comments';
import { ecmaVersions, tooNew } from '@bot-directory/check-runtimes/language-level';
import { lintPackage } from '@bot-directory/check-runtimes/lint-package';
import { oldResolvers } from '@bot-directory/check-runtimes/old-resolvers';
import { burdens, packPackage } from '@bot-directory/check-runtimes/packed-package';
import { kilobytes } from '@bot-directory/check-runtimes/readme-table';
import { run } from '@bot-directory/testing/run';
import { afterAll, describe, expect, it } from 'vitest';
import * as operations from '../../../packages/sdk/src/operations.gen.ts';

const here = import.meta.dirname;
const packed = packPackage(join(here, '../../../packages/sdk'), here);
afterAll(() => packed.remove());
const { files, folder } = packed;

describe('the tarball', () => {
  it('holds what a consumer needs and nothing else', () => {
    expect([...files.keys()].sort()).toEqual(
      [
        'LICENSE',
        'README.md',
        ...['cache', 'index', 'mirror'].flatMap((name) =>
          ['cjs', 'd.cts', 'd.ts', 'js'].map((ending) => `dist/${name}.${ending}`),
        ),
        ...['cache', 'mirror'].map((name) => `${name}/package.json`),
        'package.json',
      ].sort(),
    );
    expect(packed.tarball.length).toBeLessThan(120 * 1024);
  });

  it('is written in the language that the README names', () => expect(tooNew(packed, ecmaVersions.sdk)).toEqual([]));

  it('has no dependency and no install script', () => expect(burdens(packed)).toEqual([]));

  it.each([...files.keys()].filter((name) => name.startsWith('dist/')))(
    '%s imports nothing and knows neither zod nor ts-rest',
    (name) => {
      const text = files.get(name) ?? '';
      expect(text.length).toBeGreaterThan(1_000);
      // The types of the mirror are the index's own.
      const own = /^dist\/mirror\.d\.c?ts$/.test(name) ? text.replace("from '@bot-directory/sdk';", '') : text;
      expect(own).not.toMatch(/\bfrom\s+['"]|\brequire\(|\bimport\(|\bimport\s+['"]|zod|ts-rest/);
    },
  );

  it('has each type once', () => {
    for (const ending of ['d.ts', 'd.cts'])
      expect(files.get(`dist/mirror.${ending}`)).not.toMatch(/interface (?:Bot|Client)\b/);
  });

  it('passes publint and attw', async () => expect((await lintPackage(packed)).complaints).toEqual([]));
});

describe('minified and gzipped', () => {
  const readme = files.get('README.md') ?? '';
  const functions = Object.entries<unknown>(operations).filter(([, value]) => typeof value === 'function');
  it.each<[string, keyof typeof budgets.sdk, RegExp]>([
    ...functions.map(([name]): [string, 'one operation', RegExp] => [
      name,
      'one operation',
      /a single operation\s+is under ([\d.]+) KB/,
    ]),
    ['streamEvents', 'streamEvents', /`streamEvents` under ([\d.]+) KB/],
  ])('%s alone is within the budget of %s, and what the README says', async (name, part, claim) => {
    const size = await bundledSize(
      packed,
      `import { connect, ${name} } from '@bot-directory/sdk'; export const call = (baseUrl, input) => ${name}(connect({ baseUrl }), input);`,
    );
    expect(size).toBeGreaterThan(1_000);
    expect(size).toBeLessThanOrEqual(budgets.sdk[part]);
    expect(size).toBeLessThan(Number(claim.exec(readme)?.[1]) * 1_000);
  });

  it.each([
    ['client', `{ createClient } from '@bot-directory/sdk'`],
    ['everything', `* from '@bot-directory/sdk'`],
    ['mirror', `* from '@bot-directory/sdk/mirror'`],
    ['cache', `* from '@bot-directory/sdk/cache'`],
  ] as const)('%s is within its budget', async (name, exported) => {
    expect(await bundledSize(packed, `export ${exported};`)).toBeLessThanOrEqual(budgets.sdk[name]);
  });

  it('the client is what the README says', async () => {
    const size = await bundledSize(packed, `export { createClient } from '@bot-directory/sdk';`);
    expect(readme).toContain(`It is ${kilobytes(size)};`);
  });
});

describe('for a tool that does not know exports', () => {
  const subpaths = ['index', 'mirror', 'cache'];
  it.each(Object.keys(oldResolvers))('%s finds every entry', async (tool) => {
    for (const entry of subpaths) {
      const path = await oldResolvers[tool]?.(
        folder,
        entry === 'index' ? '@bot-directory/sdk' : `@bot-directory/sdk/${entry}`,
      );
      expect(path).toMatch(new RegExp(`/dist/${entry}\\.c?js$`));
    }
  });
});

describe('for a consumer', () => {
  const source = readFileSync(join(here, 'types/consumer.ts'), 'utf8');

  it.each(compilations)('the types hold in both module formats under $title', async (compilation) => {
    expect(await compile(packed, source, compilation)).toBe('');
  });

  it.each(['index', 'mirror', 'cache'])('an editor shows a text for every member of %s, in full', (entry) => {
    for (const ending of ['d.ts', 'd.cts'])
      expect(docComplaints(packed, `dist/${entry}.${ending}`)).toEqual({ undocumented: [], cut: [] });
  });

  it('both formats load, and recognise each other’s errors', async () => {
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
