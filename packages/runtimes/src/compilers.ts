/** The TypeScript compilers that a consumer may have: the oldest supported one and the newest. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A compiler, and its command under Node. */
export interface Compiler {
  name: string;
  path: string;
}

const here = createRequire(import.meta.url);
const compiler = (name: string, alias: string): Compiler => ({
  name,
  path: join(dirname(here.resolve(`${alias}/package.json`)), 'bin/tsc'),
});

/** Oldest first. */
export const compilers: readonly Compiler[] = [
  compiler('TypeScript 5.4', 'typescript-5.4'),
  compiler('TypeScript 7', 'typescript-7'),
];

/** The repository's own. */
export const ownCompiler = compiler('the own TypeScript', 'typescript');
