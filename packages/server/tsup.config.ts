import { cpSync } from 'node:fs';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/main.ts', 'src/admin.ts'],
  format: ['esm'],
  target: 'node20',
  clean: true,
  sourcemap: true,
  // The scripts are read from beside the bundle, as in the source they are from beside `scripts.ts`.
  onSuccess: async () => {
    cpSync('src/store/lua', 'dist/lua', { recursive: true });
  },
});
