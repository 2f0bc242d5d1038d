import { cpSync } from 'node:fs';
import { defineConfig } from 'tsup';

export default defineConfig({
  // The two programs, and for the benchmarks what they are composed of.
  entry: ['src/main.ts', 'src/admin.ts', 'src/app.ts'],
  format: ['esm'],
  target: 'node20',
  clean: true,
  sourcemap: true,
  // The scripts are read from beside the bundle, as in the source they are from beside `scripts.ts`.
  onSuccess: async () => {
    cpSync('src/store/lua', 'dist/lua', { recursive: true });
  },
});
