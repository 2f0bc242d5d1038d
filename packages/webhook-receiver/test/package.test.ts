/** The packed tarball, as a consumer gets it: its files, its types, its sizes, and nothing that it should not hold. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { compilers } from '@bot-directory/runtimes';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './support/run.ts';

const here = import.meta.dirname;
const name = '@bot-directory/webhook-receiver';
const consumer = mkdtempSync(join(here, '.consumer-'));
afterAll(() => rmSync(consumer, { recursive: true }));

execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', consumer], {
  cwd: join(here, '..'),
  stdio: ['ignore', 'pipe', 'ignore'],
});
const packed = readFileSync(join(consumer, readdirSync(consumer).find((file) => file.endsWith('.tgz')) ?? ''));
const unpacked = createPackageFromTarballData(packed);
const files = new Map(
  unpacked.listFiles().map((path) => [path.replace(`/node_modules/${name}/`, ''), unpacked.readFile(path)]),
);
for (const [file, text] of files) {
  const path = join(consumer, 'node_modules', name, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const adapters = ['express', 'fastify', 'fetch', 'hono', 'lambda', 'node'];
const entries = ['index', 'redis', 'testing', ...adapters];
const subpath = (entry: string) => (entry === 'index' ? name : `${name}/${entry}`);

describe('the tarball', () => {
  it('holds what a consumer needs and nothing else', () => {
    const expected = ['LICENSE', 'README.md', 'package.json', 'dist/cli.js'];
    for (const entry of entries)
      expected.push(...['js', 'cjs', 'd.ts', 'd.cts'].map((kind) => `dist/${entry}.${kind}`));
    // Types that several entries share are in files of their own, under a hash.
    expect([...files.keys()].filter((file) => !/^dist\/[\w-]+-[\w-]{8}\.d\.c?ts$/.test(file)).sort()).toEqual(
      expected.sort(),
    );
    expect(packed.length).toBeLessThan(120 * 1_024);
  });

  it('has no dependency and no install script', () => {
    const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, object | undefined>;
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies'])
      expect(manifest[field]).toBeUndefined();
    expect(Object.keys(manifest.scripts ?? {}).filter((script) => /install|prepare|pack|publish/.test(script))).toEqual(
      [],
    );
  });

  it.each([...files.keys()].filter((file) => file.startsWith('dist/')))(
    '%s imports nothing from outside, and no Node',
    (file) => {
      const text = files.get(file) ?? '';
      const imported = [
        ...text.matchAll(/\bfrom\s*['"]([^'"]+)|\brequire\(['"]([^'"]+)|\bimport\(?\s*['"]([^'"]+)/g),
      ].map((match) => match[1] ?? match[2] ?? match[3]);
      const allowed = file === 'dist/cli.js' ? ['node:util'] : imported.filter((path) => path?.startsWith('./'));
      expect(imported).toEqual(allowed);
      expect(text).not.toMatch(
        file === 'dist/cli.js' ? /\bzod\b|ts-rest/ : /\bzod\b|ts-rest|\bprocess\.(env|nextTick|versions)|\bBuffer\./,
      );
    },
  );

  it('is clean to publint', async () => {
    const tarball = new Uint8Array(packed).buffer;
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });

  it('is clean to attw, for every entry and every way to resolve it', async () => {
    const result = await checkPackage(unpacked);
    expect(result.types && result.problems).toEqual([]);
    expect(result.types && Object.keys(result.entrypoints).filter((entry) => entry !== './package.json')).toHaveLength(
      entries.length,
    );
  });
});

const sizeOf = async (contents: string): Promise<number> => {
  const options = {
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
  } as const;
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: consumer } });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
};

const budgets: [string, string, number][] = [
  ['verify', `export { verify } from '${name}';`, 1_600],
  ['parse', `export { parse } from '${name}';`, 1_800],
  ['the core: receiver, keys of the service, memory store', `export { createReceiver } from '${name}';`, 3_000],
  ['the Redis store', `export * from '${name}/redis';`, 600],
  ...adapters.map((adapter): [string, string, number] => [
    `the adapter for ${adapter}`,
    `export * from '${name}/${adapter}';`,
    600,
  ]),
];

describe('minified and gzipped', () => {
  it.each(budgets)('%s is within its budget', async (_, contents, budget) => {
    const size = await sizeOf(contents);
    expect(size).toBeGreaterThan(150);
    expect(size).toBeLessThanOrEqual(budget);
  });
});

describe('for a consumer', () => {
  const source = readFileSync(join(here, 'types/consumer.ts'), 'utf8');
  const libraries = { DOM: { lib: ['ES2022', 'DOM'], types: [] }, Node: { lib: ['ES2023'], types: ['node'] } };
  const own = {
    name: 'the own TypeScript',
    path: join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc'),
  };
  const matrix = [...compilers, own].flatMap((compiler) =>
    Object.entries(libraries).flatMap(([library, options]) =>
      (['mts', 'cts'] as const).map((extension) => ({
        title: `${compiler.name}, ${library}, .${extension}`,
        compiler,
        library,
        options,
        extension,
      })),
    ),
  );

  it.each(matrix)('the types hold under $title', async ({ compiler, library, options, extension }) => {
    const folder = join(consumer, `${compiler.name}-${library}-${extension}`.replaceAll(' ', '-'));
    mkdirSync(folder);
    writeFileSync(join(folder, `main.${extension}`), source);
    const compilerOptions = {
      ...options,
      target: 'ES2022',
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [`main.${extension}`] }));
    expect((await run(process.execPath, [compiler.path, '-p', folder])).stdout).toBe('');
  });

  it('both formats load, of every entry, and know each other’s errors', async () => {
    writeFileSync(
      join(consumer, 'both.mjs'),
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
    const { stdout, stderr } = await run(process.execPath, [join(consumer, 'both.mjs')]);
    expect(stdout + stderr).toBe(`${entries.map(() => 'true').join()} true true false\n`);
  });

  it('the command runs', async () => {
    const { code, stdout } = await run(process.execPath, [
      join(consumer, 'node_modules', name, 'dist/cli.js'),
      '--help',
    ]);
    expect([code, stdout.includes('check URL')]).toEqual([0, true]);
    expect(files.get('dist/cli.js')?.startsWith('#!/usr/bin/env node\n')).toBe(true);
  });
});
