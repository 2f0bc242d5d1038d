/** What Redis costs. */
import type { Redis } from 'ioredis';

/** The CPU that a Redis has used since it started, in microseconds. */
export const redisCpuUs = async (redis: Redis): Promise<number> =>
  [...(await redis.info('cpu')).matchAll(/^used_cpu_(?:user|sys):(\S+)/gm)].reduce(
    (sum, [, seconds]) => sum + Number(seconds) * 1e6,
    0,
  );
