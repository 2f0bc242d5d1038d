import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Every file starts servers of its own and shares nothing but modules: to load them once a worker takes two thirds
    // of the suite's time away.
    isolate: false,
    // They mostly wait, so that two processors can run so many.
    maxWorkers: 4,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
