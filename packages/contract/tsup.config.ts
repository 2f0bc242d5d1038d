import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/address.ts', 'src/limits.ts'],
  format: ['esm'],
  dts: process.env.DTS !== '0',
  clean: true,
  target: 'node20',
});
