/** The packed tarball, as a consumer gets it: its files, its types, its size, and nothing that it should not hold. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { compilers } from '@bot-directory/runtimes';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './support/run.ts';
import { complaints, ownCompiler } from './support/typescript.ts';

const here = import.meta.dirname;
const consumer = mkdtempSync(join(here, '.consumer-'));
afterAll(() => rmSync(consumer, { recursive: true }));

execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', consumer], {
  cwd: join(here, '..'),
  stdio: ['ignore', 'pipe', 'ignore'],
});
const packed = readFileSync(join(consumer, readdirSync(consumer).find((name) => name.endsWith('.tgz')) ?? ''));
const unpacked = createPackageFromTarballData(packed);
const root = '/node_modules/@bot-directory/sdk/';
const files = new Map(unpacked.listFiles().map((path) => [path.replace(root, ''), unpacked.readFile(path)]));
for (const [name, text] of files) {
  const path = join(consumer, 'node_modules/@bot-directory/sdk', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('the tarball', () => {
  it('holds what a consumer needs and nothing else', () => {
    expect([...files.keys()].sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/index.cjs',
      'dist/index.d.cts',
      'dist/index.d.ts',
      'dist/index.js',
      'package.json',
    ]);
    expect(packed.length).toBeLessThan(120 * 1024);
  });

  it('has no dependency and no install script', () => {
    const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, object | undefined>;
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies'])
      expect(manifest[field]).toBeUndefined();
    expect(Object.keys(manifest.scripts ?? {}).filter((name) => /install|prepare|pack|publish/.test(name))).toEqual([]);
  });

  it.each(['dist/index.js', 'dist/index.cjs', 'dist/index.d.ts', 'dist/index.d.cts'])(
    '%s imports nothing and knows neither zod nor ts-rest',
    (name) => {
      const text = files.get(name) ?? '';
      expect(text.length).toBeGreaterThan(1_000);
      expect(text).not.toMatch(/\bfrom\s+['"]|\brequire\(|\bimport\(|\bimport\s+['"]|zod|ts-rest/);
    },
  );

  it('is clean to publint', async () => {
    const tarball = new Uint8Array(packed).buffer;
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });

  it('is clean to attw', async () => {
    const result = await checkPackage(unpacked);
    expect(result.types && result.problems).toEqual([]);
  });
});

describe('the size, minified and gzipped', () => {
  const operations = [
    'addIntegrations',
    'addPost',
    'addWebhook',
    'getBot',
    'getWebhookStatus',
    'listBots',
    'listCategories',
    'listEvents',
    'listIntegrations',
    'listPosts',
    'listWebhookKeys',
    'removeWebhook',
    'submitBot',
  ];
  const sizeOf = async (contents: string) => {
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

  it.each(operations)('of %s alone is at most 3.5 KB', async (name) => {
    const size = await sizeOf(
      `import { connect, ${name} } from '@bot-directory/sdk'; export const call = (baseUrl, input) => ${name}(connect({ baseUrl }), input);`,
    );
    expect(size).toBeGreaterThan(1_000);
    expect(size).toBeLessThanOrEqual(3_500);
  });

  it('of everything is at most 5.5 KB', async () => {
    expect(await sizeOf(`export * from '@bot-directory/sdk';`)).toBeLessThanOrEqual(5_500);
  });
});

describe('for a consumer', () => {
  const source = readFileSync(join(here, 'types/consumer.ts'), 'utf8');
  const libraries = { DOM: { lib: ['ES2022', 'DOM'], types: [] }, Node: { lib: ['ES2023'], types: ['node'] } };
  const own = { name: 'the own TypeScript', path: ownCompiler };
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
    expect(await complaints(compiler.path, folder)).toBe('');
  });

  it('both formats load, and know each other’s errors', async () => {
    writeFileSync(
      join(consumer, 'both.mjs'),
      `import { createRequire } from 'node:module';
       import * as esm from '@bot-directory/sdk';
       const cjs = createRequire(import.meta.url)('@bot-directory/sdk');
       const error = await cjs.createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).bots.list().catch((caught) => caught);
       console.log(Object.keys(esm).join() === Object.keys(cjs).sort().join(), esm.NetworkError !== cjs.NetworkError, error instanceof esm.NetworkError, error instanceof esm.ApiError);`,
    );
    const { stdout, stderr } = await run(process.execPath, [join(consumer, 'both.mjs')]);
    expect(stdout + stderr).toBe('true true true false\n');
  });
});
