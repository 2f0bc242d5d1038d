import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Every file starts servers of its own and shares nothing but modules: to load them once a worker takes two thirds
    // of the suite's time away.
    isolate: false,
    // One for each processor, not one less: most of what a file does is wait. More of them, beside what else `npm test`
    // runs, keep Redis from responding within its deadline.
    maxWorkers: availableParallelism(),
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
