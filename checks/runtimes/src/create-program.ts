/** Programs that share what they read: a compiler's libraries are most of a small program, and are parsed once. */
import type ts from 'typescript';

const filesOf = new WeakMap<typeof ts, Map<string, ts.SourceFile | undefined>>();

/** Creates a program with a compiler. A file must not change between two programs. */
export const createProgram = (compiler: typeof ts, rootNames: string[], options: ts.CompilerOptions): ts.Program => {
  const files = filesOf.get(compiler) ?? new Map<string, ts.SourceFile | undefined>();
  filesOf.set(compiler, files);
  const host = compiler.createCompilerHost(options);
  const getSourceFile: ts.CompilerHost['getSourceFile'] = (path, version, ...rest) => {
    const key = JSON.stringify([path, version]);
    if (!files.has(key)) files.set(key, host.getSourceFile(path, version, ...rest));
    return files.get(key);
  };
  return compiler.createProgram(rootNames, options, { ...host, getSourceFile });
};
