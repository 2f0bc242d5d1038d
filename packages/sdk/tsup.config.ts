import { defineConfig } from 'tsup';
import { version } from './package.json';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  splitting: false,
  target: 'es2022',
  platform: 'neutral',
  define: { __VERSION__: JSON.stringify(version) },
});
