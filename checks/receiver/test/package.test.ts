/** The packed tarball, as a consumer gets it: its files, its types, its sizes, and nothing that it should not hold. */
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
import { run } from '@bot-directory/testing/run';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';

const here = import.meta.dirname;
const packed = packPackage(join(here, '../../../packages/webhook-receiver'), here);
afterAll(() => packed.remove());
const { files, folder, name } = packed;

const adapters = ['express', 'fastify', 'fetch', 'hono', 'koa', 'lambda', 'node'];
const entries = ['index', 'redis', 'standard', 'testing', ...adapters];
const subpath = (entry: string) => (entry === 'index' ? name : `${name}/${entry}`);

describe('the tarball', () => {
  it('holds what a consumer needs and nothing else', () => {
    const expected = ['LICENSE', 'README.md', 'package.json', 'dist/cli.js'];
    for (const entry of entries)
      expected.push(...['js', 'cjs', 'd.ts', 'd.cts'].map((kind) => `dist/${entry}.${kind}`));
    expected.push(...entries.filter((entry) => entry !== 'index').map((entry) => `${entry}/package.json`));
    // Types that several entries share are in files of their own, under a hash.
    expect([...files.keys()].filter((file) => !/^dist\/[\w-]+-[\w-]{8}\.d\.c?ts$/.test(file)).sort()).toEqual(
      expected.sort(),
    );
    expect(packed.tarball.length).toBeLessThan(120 * 1_024);
  });

  it('is written in the language that the README names', () =>
    expect(tooNew(packed, ecmaVersions.receiver)).toEqual([]));

  it('has no dependency and no install script', () => expect(burdens(packed)).toEqual([]));

  it.each([...files.keys()].filter((file) => file.startsWith('dist/')))(
    '%s imports nothing from outside, and no Node',
    (file) => {
      const text = files.get(file) ?? '';
      const imported = [
        ...text.matchAll(/\bfrom\s*['"]([^'"]+)|\brequire\(['"]([^'"]+)|\bimport\(?\s*['"]([^'"]+)/g),
      ].map((match) => match[1] ?? match[2] ?? match[3]);
      const isAllowed = (path = ''): boolean => path.startsWith(file === 'dist/cli.js' ? 'node:' : './');
      const allowed = imported.filter(isAllowed);
      expect(imported).toEqual(allowed);
      expect(text).not.toMatch(
        file === 'dist/cli.js' ? /\bzod\b|ts-rest/ : /\bzod\b|ts-rest|\bprocess\.(env|nextTick|versions)|\bBuffer\./,
      );
    },
  );

  it.each(entries)('an editor shows the whole text of what %s exports', (entry) => {
    expect(docComplaints(packed, `dist/${entry}.d.ts`).cut).toEqual([]);
  });

  it('passes publint and attw, for every entry and every way to resolve it', async () => {
    const found = await lintPackage(packed);
    expect(found.complaints).toEqual([]);
    expect(found.entries).toHaveLength(entries.length);
  });
});

const exported: Partial<Record<string, string>> = {
  verify: `{ verify } from '${name}'`,
  parse: `{ parse } from '${name}'`,
  core: `{ createReceiver } from '${name}'`,
  'core and fetch': `{ createReceiver } from '${name}'; export { fetchHandler } from '${name}/fetch'`,
  standard: `{ createStandardReceiver } from '${name}/standard'`,
};

describe('minified and gzipped', () => {
  it.each(Object.entries(budgets.receiver))('%s is at most %i bytes', async (part, budget) => {
    const size = await bundledSize(packed, `export ${exported[part] ?? `* from '${name}/${part}'`};`);
    expect(size).toBeGreaterThan(150);
    expect(size).toBeLessThanOrEqual(budget);
  });
});

describe('for a tool that does not know exports', () => {
  it.each(Object.keys(oldResolvers))('%s finds every entry', async (tool) => {
    for (const entry of entries) {
      const path = await oldResolvers[tool]?.(folder, subpath(entry));
      expect(path).toMatch(new RegExp(`/dist/${entry}\\.c?js$`));
    }
  });
});

describe('for a consumer', () => {
  const source = readFileSync(join(here, 'types/consumer.ts'), 'utf8');

  it.each(compilations)('the types hold in both module formats under $title', async (compilation) => {
    expect(await compile(packed, source, compilation)).toBe('');
  });

  it('both formats of every entry load, and recognise each other’s errors', async () => {
    writeFileSync(
      join(folder, 'both.mjs'),
      `import { createRequire } from 'node:module';
       const require = createRequire(import.meta.url);
       const same = [];
       for (const path of ${JSON.stringify(entries.map(subpath))}) {
         same.push(Object.keys(await import(path)).sort().join() === Object.keys(require(path)).sort().join());
       }
       const esm = await import('${name}');
       const cjs = require('${name}');
       const error = await cjs.verify('', {}, { keys: [] }).catch((caught) => caught);
       console.log(same.join(), esm.MissingHeaderError !== cjs.MissingHeaderError, error instanceof esm.MissingHeaderError, error instanceof esm.SignatureError);`,
    );
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'both.mjs')]);
    expect(stdout + stderr).toBe(`${entries.map(() => 'true').join()} true true false\n`);
  });

  it('a failing handler is the first line of a log, under the names of the classes, minified too', async () => {
    const source = join(folder, 'fails.mjs');
    writeFileSync(
      source,
      `import { createReceiver } from '${name}';
       import { fetchHandler } from '${name}/fetch';
       import { generateSecret, signedDelivery } from '${name}/testing';
       class DatabaseDown extends Error {}
       const key = generateSecret();
       const ping = () => { throw new DatabaseDown('no route'); };
       const request = new Request('https://a.example', { method: 'POST', ...(await signedDelivery({ key })) });
       await fetchHandler(createReceiver({ keys: key, on: { ping } }))(request);`,
    );
    const outfile = join(folder, 'fails.min.mjs');
    await build({ entryPoints: [source], outfile, bundle: true, minify: true, format: 'esm' });
    const { stderr: line } = await run(process.execPath, [source]);
    expect(line).toMatch(/^WebhookError: ping evt_\w{26}: DatabaseDown: no route\n/);
    const { stderr: minified } = await run(process.execPath, [outfile]);
    expect(minified).toMatch(/^WebhookError: ping evt_\w{26}: \S+: no route\n/);
  });

  it('the command runs', async () => {
    const { code, stdout } = await run(process.execPath, [join(folder, 'node_modules', name, 'dist/cli.js'), '--help']);
    expect([code, stdout.includes('check URL')]).toEqual([0, true]);
    expect(files.get('dist/cli.js')?.startsWith('#!/usr/bin/env node\n')).toBe(true);
  });
});
