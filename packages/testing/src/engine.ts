/** What a test sees of the engines at a store from outside: that they have looked at everything again. */
import { Redis } from 'ioredis';
import { until } from './until.ts';

/** How often engines have checked whether deliveries are paused: each does so at its start, and every `pollMs`. */
export const looksOfEngines = async (redisUrl: string): Promise<number> => {
  const redis = new Redis(redisUrl);
  const stats = await redis.info('commandstats');
  redis.disconnect();
  return Number(/^cmdstat_exists:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
};

/**
 * Waits until the one engine at a store has looked again, twice: the second look begins after all that followed from
 * the first. What has not been sent by then, and is not under way, waits for something else.
 */
export const engineHasLooked = async (redisUrl: string): Promise<void> => {
  const before = await looksOfEngines(redisUrl);
  await until('the engine has looked twice', async () => (await looksOfEngines(redisUrl)) >= before + 2);
};
