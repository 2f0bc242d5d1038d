/**
 * Everything that a Redis holds, by key. Unlike `DUMP`, it says nothing of the order in which Redis keeps a hash or a
 * set, which changes by itself after it has grown.
 */
import type { Redis } from 'ioredis';

const readers: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  set: async (redis, key) => (await redis.smembers(key)).sort(),
  zset: (redis, key) => redis.zrange(key, '0', '-1', 'WITHSCORES'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};

const read = async (redis: Redis, key: string): Promise<readonly [key: string, value: unknown]> => {
  const type = await redis.type(key);
  const reader = readers[type];
  if (reader === undefined) throw new TypeError(`Nothing reads a ${type}, which ${key} is.`);
  return [key, await reader(redis, key)];
};

/** Reads it. */
export const contentsOf = async (redis: Redis): Promise<Record<string, unknown>> => {
  const names = (await redis.keys('*')).sort();
  return Object.fromEntries(await Promise.all(names.map((name) => read(redis, name))));
};
