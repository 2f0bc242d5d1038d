import { defineConfig } from 'tsup';
import { assetPlugin } from './scripts/asset-table.ts';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'node20',
  clean: true,
  // One module without imports, though an installation without devDependencies needs these too.
  noExternal: [/^preact/, /^@bot-directory\/contract/],
  esbuildPlugins: [assetPlugin],
});
