/**
 * A package as its consumer gets it: packed by npm, and unpacked alone. It can be linted, its bundle measured, and a
 * program that uses it compiled with each TypeScript compiler.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { type Compiler, compilers, ownCompiler } from './compilers.ts';
import { run } from './run.ts';

/** A packed package. `folder` is the consumer's; the package is in `node_modules` there. */
export interface PackedPackage {
  readonly name: string;
  readonly folder: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  /** Path in the package → text. */
  readonly files: ReadonlyMap<string, string>;
  remove(): void;
}

/** Packs the package in `home` and installs it for a consumer in a folder beside its tests, until `remove()`. */
export const packPackage = (home: string): PackedPackage => {
  const folder = mkdtempSync(join(home, 'test/.consumer-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const tarball = new Uint8Array(
    readFileSync(join(folder, readdirSync(folder).find((file) => /\.tgz$/.test(file)) ?? '')),
  );
  const unpacked = createPackageFromTarballData(tarball);
  const name = unpacked.packageName;
  const files = new Map(
    unpacked.listFiles().map((path) => [path.replace(`/node_modules/${name}/`, ''), unpacked.readFile(path)]),
  );
  for (const [file, text] of files) {
    const path = join(folder, 'node_modules', name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { name, folder, tarball, files, remove: () => rmSync(folder, { recursive: true }) };
};

/** The complaints of publint, Are The Types Wrong and npm, and the entries that they found. */
export const lintPackage = async ({
  tarball,
}: Pick<PackedPackage, 'tarball'>): Promise<{ complaints: unknown[]; entries: string[] }> => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.slice().buffer }, strict: true });
  // Without `repository`, npm refuses to publish with provenance.
  const missing = ['repository', 'homepage', 'bugs', 'license'].filter((field) => !(field in pkg));
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (result.types === false) return { complaints: [...messages, ...missing, 'it has no types'], entries: [] };
  const entries = Object.keys(result.entrypoints).filter((entry) => entry !== './package.json');
  return { complaints: [...messages, ...missing, ...result.problems], entries };
};

/** The fields of package.json that would install other packages or run something, if it has any. */
export const burdens = ({ files }: PackedPackage): string[] => {
  const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, object | undefined>;
  const dependencies = ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies'];
  const scripts = Object.keys(manifest.scripts ?? {}).filter((name) => /install|prepare|pack|publish/.test(name));
  return [...dependencies.filter((field) => manifest[field] !== undefined), ...scripts];
};

/** The size of a module in a folder, bundled for browsers with its imports, minified and gzipped, in bytes. */
export const bundledSize = async ({ folder }: Pick<PackedPackage, 'folder'>, module: string): Promise<number> => {
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
    stdin: { contents: module, resolveDir: folder },
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
};

/** One way to compile a program. */
export interface Compilation {
  readonly title: string;
  readonly compiler: Compiler;
  readonly options: { readonly lib: readonly string[]; readonly types: readonly string[] };
}

const libraries = { DOM: { lib: ['ES2022', 'DOM'], types: [] }, Node: { lib: ['ES2023'], types: ['node'] } };

/** Every compiler with every library. */
export const compilations: readonly Compilation[] = [...compilers, ownCompiler].flatMap((compiler) =>
  Object.entries(libraries).map(([library, options]) => ({
    title: `${compiler.name}, ${library}`,
    compiler,
    options,
  })),
);

/** Both module formats; the package has separate types for them. */
const mains = ['main.mts', 'main.cts'];

/** The compiler's errors for a consumer's program in both module formats; empty if there are none. */
export const compile = async (packed: PackedPackage, source: string, compilation: Compilation): Promise<string> => {
  const { title, compiler, options } = compilation;
  const folder = join(packed.folder, title.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  for (const main of mains) writeFileSync(join(folder, main), source);
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
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: mains }));
  return (await run(process.execPath, [compiler.path, '-p', folder])).stdout;
};
