/** The build of the assets: style, script and pictures → one table with hash, type, bytes and brotli. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { buildSync, type Plugin } from 'esbuild';
import { transform } from 'lightningcss';
import { guide } from './guide.ts';
import type { Guide } from '../src/views.ts';

const source = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

/** The oldest browsers in which the pages are readable and usable: those of the middle of 2021. */
const oldest = { chrome: 90, edge: 90, firefox: 88, safari: 14.1 };

/** A script, in the language of those browsers. */
const script = (entry: string): Buffer => {
  const { outputFiles } = buildSync({
    entryPoints: [source(entry)],
    bundle: true,
    format: 'iife',
    minify: true,
    write: false,
    target: 'es2020',
    logLevel: 'error',
  });
  return Buffer.from(outputFiles[0]?.contents ?? []);
};

/** A version as lightningcss writes it. */
const packed = (version: number): number => (Math.floor(version) << 16) | (Math.round((version % 1) * 10) << 8);

/** A style, with `light-dark(a, b)` and others as what those browsers know: `var(--light, a) var(--dark, b)`. */
const style = (name: string): Buffer => {
  const targets = Object.fromEntries(Object.entries(oldest).map(([browser, version]) => [browser, packed(version)]));
  const { code } = transform({ filename: name, code: readFileSync(source(name)), minify: true, targets });
  return Buffer.from(code.toString().replaceAll('--lightningcss-', '--'));
};

const text = { compress: true };
const files = () => [
  { name: 'site.css', type: 'text/css; charset=utf-8', body: style('site.css'), ...text },
  {
    name: 'site.js',
    type: 'text/javascript; charset=utf-8',
    body: script('client/site.ts'),
    ...text,
  },
  { name: 'docs.css', type: 'text/css; charset=utf-8', body: style('docs.css'), ...text },
  {
    name: 'docs.js',
    type: 'text/javascript; charset=utf-8',
    body: script('client/docs.ts'),
    ...text,
  },
  {
    name: 'forms.js',
    type: 'text/javascript; charset=utf-8',
    body: script('client/forms.ts'),
    ...text,
  },
  { name: 'icon.svg', type: 'image/svg+xml', body: readFileSync(source('icon.svg')), ...text },
  { name: 'favicon.ico', type: 'image/x-icon', body: readFileSync(source('favicon.ico')), compress: false },
  {
    name: 'apple-touch-icon.png',
    type: 'image/png',
    body: readFileSync(source('apple-touch-icon.png')),
    compress: false,
  },
  { name: 'og.png', type: 'image/png', body: readFileSync(source('og.png')), compress: false },
];

/** The table, as the module `asset-table.js` exports it. */
const assetTable = () =>
  files().map(({ name, type, body, compress }) => {
    const hash = createHash('sha256').update(body).digest('base64url').replace(/[-_]/g, '').slice(0, 10);
    const brotli = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
    return {
      name,
      type,
      path: `/assets/${name.replace('.', `-${hash}.`)}`,
      body: body.toString('base64'),
      ...(compress ? { brotli: brotli.toString('base64') } : {}),
    };
  });

/** Names the pages as this source makes them: two releases that may write other bytes have other names. */
const release = (parts: Guide): string => {
  const hash = createHash('sha256').update(JSON.stringify(parts));
  const names = readdirSync(source('.'), { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(source('.'), name)));
  return hash.digest('base64url').slice(0, 8);
};

/** The module `asset-table.js`: the table, the release and the guide. */
const contents = (): string => {
  const parts = guide();
  const exported = { table: assetTable(), release: release(parts), guide: parts };
  const lines = Object.entries(exported).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
  return lines.join('\n');
};

/** For esbuild. */
export const assetPlugin: Plugin = {
  name: 'asset-table',
  setup: (build) => {
    build.onResolve({ filter: /^\.\/asset-table\.js$/ }, ({ path }) => ({ path, namespace: 'site' }));
    build.onLoad({ filter: /.*/, namespace: 'site' }, () => ({
      contents: contents(),
      loader: 'js',
    }));
  },
};
