/** The TypeScript compilers that a consumer may have: the oldest supported one, the repository's own and the newest. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type ts from 'typescript';
import { createProgram } from './create-program.ts';
import { run } from '@bot-directory/testing/run';

/** A compiler. */
export interface Compiler {
  name: string;
  /** Compiles the project in a folder, by its tsconfig.json. Returns the errors; empty if there are none. */
  compile(folder: string): Promise<string>;
}

const here = createRequire(import.meta.url);

/**
 * Checks in this process what belongs to the consumer and its packages: the compiler's libraries and Node's types are
 * most of the work, and the newest compiler also checks the program with them.
 */
const errorsOf = (compiler: typeof ts, folder: string): string => {
  const path = join(folder, 'tsconfig.json');
  const { config } = compiler.readConfigFile(path, (file) => compiler.sys.readFile(file)) as { config?: unknown };
  const project = compiler.parseJsonConfigFileContent(config, compiler.sys, folder, {}, path);
  const program = createProgram(compiler, project.fileNames, project.options);
  const isOurs = (file: ts.SourceFile): boolean =>
    !program.isSourceFileDefaultLibrary(file) && !/\/node_modules\/(@types\/node|undici-types)\//.test(file.fileName);
  const diagnostics = [
    ...project.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program
      .getSourceFiles()
      .filter(isOurs)
      .flatMap((file) => program.getSemanticDiagnostics(file)),
  ];
  return compiler.formatDiagnostics(diagnostics, compiler.createCompilerHost(project.options));
};

const inProcess = (name: string, alias: string): Compiler => ({
  name,
  compile: (folder) => Promise.resolve(errorsOf(here(alias) as typeof ts, folder)),
});

const command = (name: string, alias: string): Compiler => {
  const path = join(dirname(here.resolve(`${alias}/package.json`)), 'bin/tsc');
  return { name, compile: async (folder) => (await run(process.execPath, [path, '-p', folder])).stdout };
};

/** Needs a fifth of the others' time. */
export const newestCompiler = command('TypeScript 7', 'typescript-7');

/** All compilers that a consumer may have. */
export const compilers: readonly Compiler[] = [
  inProcess('TypeScript 5.4', 'typescript-5.4'),
  newestCompiler,
  inProcess('the own TypeScript', 'typescript'),
];
