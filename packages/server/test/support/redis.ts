/** The private Redis of a test file, which ends with the test process at the latest. */
import { startRedis } from '../../../../scripts/redis.mjs';

/** A running Redis; see scripts/redis.mjs for what its parts promise. */
export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/** Starts an empty one. `persist`: what it acknowledged survives `kill()` and `restart()`. `settings`: Redis's own. */
export const startTestRedis = (options: Parameters<typeof startRedis>[0] = {}): Promise<TestRedis> =>
  startRedis(options);
