import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/address.ts', 'src/limits.ts'],
  format: ['esm'],
  clean: true,
  target: 'node20',
});
