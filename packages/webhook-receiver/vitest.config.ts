import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Files share nothing but modules: a process for each is a sixth of the suite's CPU.
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
