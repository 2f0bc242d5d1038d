/** A program that uses a packed package, compiled with each TypeScript compiler and library. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Compiler, compilers } from './compilers.ts';
import type { PackedPackage } from './packed-package.ts';

/** One way to compile a program. */
export interface Compilation {
  readonly title: string;
  readonly compiler: Compiler;
  readonly options: { readonly lib: readonly string[]; readonly types: readonly string[] };
}

const libraries = { DOM: { lib: ['ES2022', 'DOM'], types: [] }, Node: { lib: ['ES2023'], types: ['node'] } };

/** Every compiler with every library. */
export const compilations: readonly Compilation[] = compilers.flatMap((compiler) =>
  Object.entries(libraries).map(([library, options]) => ({
    title: `${compiler.name}, ${library}`,
    compiler,
    options,
  })),
);

/** Both module formats; the package has separate types for them. */
const mains = ['main.mts', 'main.cts'];

/** Compiles a consumer's program in both module formats. Returns the errors; empty if there are none. */
export const compile = (packed: PackedPackage, source: string, compilation: Compilation): Promise<string> => {
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
  return compiler.compile(folder);
};
