/**
 * Everything that a Redis holds, by key. Hashes and sets are read: `DUMP` shows the order in which Redis keeps them,
 * and that changes by itself after they have grown.
 */
import type { Redis } from 'ioredis';

const read = async (redis: Redis, key: string): Promise<unknown> => {
  const type = await redis.type(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'set') return (await redis.smembers(key)).sort();
  return (await redis.dumpBuffer(key)).toString('base64');
};

/** Reads it. */
export const contentsOf = async (redis: Redis): Promise<Record<string, unknown>> => {
  const names = await redis.keys('*');
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(redis, name)] as const)));
};
