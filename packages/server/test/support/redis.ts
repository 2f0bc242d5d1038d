/** The private Redis of a test file, which ends with the test process at the latest. */
import { startRedis } from '../../../../scripts/redis.mjs';

/** A running Redis; see scripts/redis.mjs for what its parts promise. */
export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/** By default a primary waits 5 s for further replicas before it sends its data to the first. */
export const replicatesAtOnce = { 'repl-diskless-sync-delay': '0' } as const;

/** Starts an empty one. `persist`: what it acknowledged survives `kill()` and `restart()`. `settings`: Redis's own. */
export const startTestRedis = ({
  settings,
  ...options
}: NonNullable<Parameters<typeof startRedis>[0]> = {}): Promise<TestRedis> =>
  startRedis({ ...options, settings: { ...replicatesAtOnce, ...settings } });
