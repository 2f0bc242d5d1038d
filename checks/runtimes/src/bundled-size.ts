/** What a module adds to a page. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Measures a module in a folder, bundled for browsers with its imports, minified and gzipped, in bytes. */
export const bundledSize = async ({ folder }: { readonly folder: string }, module: string): Promise<number> => {
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
