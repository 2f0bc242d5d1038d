import { defineConfig } from 'vitest/config';

/**
 * Files that mostly wait for time to pass, with one Redis and little to compute. Two run at once; all others, one after
 * another.
 */
const waiting = [
  'test/api/submit-bot/503.test.ts',
  'test/delivery/{cut-off-by-a-stop,heartbeat,no-event-is-left,only-the-receivers-fault-counts}.test.ts',
  'test/outage/{documented-answers,failover,leases,log-not-followed,network-to-redis,stop-has-a-limit}.test.ts',
  'test/site/{policy,reading}.test.ts',
];

export default defineConfig({
  test: {
    // Every file starts servers of its own and shares nothing but modules: to load them once a worker takes two thirds
    // of the suite's time away.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'waits', include: waiting, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'works',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: waiting,
          // Two processes that compute leave a Redis beside them without its turn.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
