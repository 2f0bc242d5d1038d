import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/conformance.ts'],
  external: ['typescript'],
  format: ['esm'],
  dts: true,
  clean: true,
  target: 'node20',
});
