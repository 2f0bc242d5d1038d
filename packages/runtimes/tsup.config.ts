import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/*.ts'],
  external: ['typescript'],
  format: ['esm'],
  dts: true,
  clean: true,
  target: 'node20',
});
