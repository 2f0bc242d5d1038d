import { defineConfig } from 'tsup';
import manifest from './package.json' with { type: 'json' };

// A bundle each, so that an entry has one file, whose types are those of the index where it names them. They share a
// folder, which the build script cleans.
export default defineConfig(
  ['index', 'mirror', 'cache'].map((name) => ({
    entry: [`src/${name}.ts`],
    format: ['esm', 'cjs'],
    dts: process.env.DTS !== '0',
    external: [manifest.name],
    target: 'es2019',
    platform: 'neutral',
    define: { __VERSION__: JSON.stringify(manifest.version) },
  })),
);
