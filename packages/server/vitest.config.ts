import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Every file starts servers of its own and shares nothing but modules: to load them once a worker takes two thirds
    // of the suite's time away.
    isolate: false,
    // `npm test` runs several parts of the suite at once.
    maxWorkers: 1,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
