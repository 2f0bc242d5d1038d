import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Every file starts servers of its own and shares nothing but modules: to load them once a worker takes two thirds
    // of the suite's time away.
    isolate: false,
    // `npm test` runs two parts of the suite at once. More processes than processors leave a Redis without its turn.
    maxWorkers: 1,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
