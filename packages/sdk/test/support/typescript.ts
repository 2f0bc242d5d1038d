/** The repository's own TypeScript, and a look at what a compiler says of a folder. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from './run.ts';

/** Path of the compiler's command. */
export const ownCompiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

/** What the compiler prints; nothing when all is well. */
export const complaints = async (compiler: string, folder: string): Promise<string> =>
  (await run(process.execPath, [compiler, '-p', folder])).stdout;
