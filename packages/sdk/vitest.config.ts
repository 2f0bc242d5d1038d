import { defineConfig } from 'vitest/config';
import { version } from './package.json';

export default defineConfig({
  define: { __VERSION__: JSON.stringify(version) },
  test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
});
