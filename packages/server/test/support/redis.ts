/** The private Redis of a test file: nobody else's, and gone with the test process at the latest. */
import { startRedis } from '../../../../scripts/redis.mjs';

/** A running Redis; see scripts/redis.mjs for what its parts promise. */
export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/** Starts an empty one. `persist`: what it acknowledged survives `kill()` and `restart()`. */
export const startTestRedis = (options: { readonly persist?: boolean } = {}): Promise<TestRedis> => startRedis(options);
