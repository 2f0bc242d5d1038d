/**
 * Counts of writes per client, shared by all processes. It keeps a salted hash of the client's address. It fails open:
 * without a store, or while it is away, no write is refused.
 */
import type { Options, Store as LimitStore } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { BotStore } from './bot-store.ts';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';
import { scriptOf, type Script } from './scripts.ts';

/** A store for `express-rate-limit` on our connection. */
export const createRateLimitStore = (store: Store, { visitorOf }: Pick<BotStore, 'visitorOf'>): LimitStore => {
  const loaded = new Map<string, Script>();
  // The library loads its scripts once, at start. Through `run` they also work if the store is away then, restarts, or
  // is a cluster.
  const sendCommand = async (command = '', ...args: string[]): Promise<RedisReply> => {
    const [first = '', second = '', ...rest] = args;
    if (command === 'SCRIPT') {
      const script = scriptOf(second);
      loaded.set(script.sha, script);
      return script.sha;
    }
    const script = loaded.get(first);
    const keyCount = Number(second);
    const reply =
      script === undefined
        ? store.call((redis) => redis.call(command, ...args))
        : store.run(script, { keys: rest.slice(0, keyCount), args: rest.slice(keyCount) });
    return (await reply) as RedisReply;
  };
  const counts = new RedisStore({ prefix: keys.rateLimitPrefix, sendCommand });
  let windowMs = 0;
  return {
    init: (options: Options) => {
      windowMs = options.windowMs;
      return counts.init(options);
    },
    increment: (client) =>
      visitorOf(client)
        .then((visitor) => counts.increment(visitor))
        .catch(() => ({ totalHits: 1, resetTime: new Date(Date.now() + windowMs) })),
    decrement: (client) =>
      visitorOf(client)
        .then((visitor) => counts.decrement(visitor))
        .catch(() => undefined),
    resetKey: (client) =>
      visitorOf(client)
        .then((visitor) => counts.resetKey(visitor))
        .catch(() => undefined),
  };
};
