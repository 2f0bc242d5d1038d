/**
 * Handled events in Redis, for receivers with several processes. Works with a client of `redis` or `ioredis`; neither
 * is a dependency. Each event is one key that expires.
 */
import type { Attempt, Dedupe } from './dedupe.ts';

/** A connected client of `ioredis` (`call`) or `redis` (`sendCommand`). */
export type RedisClient =
  { call(command: string, ...args: string[]): Promise<unknown> } | { sendCommand(args: string[]): Promise<unknown> };

const done = 'done';
const releaseOwn = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])`;

/** Options of the Redis store. */
export interface RedisDedupeOptions {
  /**
   * Prefix of each key, before the event's id.
   * @default 'webhook:'
   */
  prefix?: string;
}

/** Stores handled events in Redis, through this client. */
export const redisDedupe = (client: RedisClient, { prefix = 'webhook:' }: RedisDedupeOptions = {}): Dedupe => {
  const command = async (name: string, ...args: string[]): Promise<unknown> =>
    'call' in client ? client.call(name, ...args) : client.sendCommand([name, ...args]);
  const keyOf = ({ id }: Attempt) => prefix + id;
  return {
    async begin(attempt, leaseMs) {
      const taken = await command('SET', keyOf(attempt), attempt.token, 'NX', 'PX', String(leaseMs));
      if (taken !== null) return 'new';
      // If it expired in between, it counts as pending: the sender retries.
      return String(await command('GET', keyOf(attempt))) === done ? 'done' : 'pending';
    },
    commit: (attempt, ttlMs) => command('SET', keyOf(attempt), done, 'PX', String(ttlMs)),
    rollback: (attempt) => command('EVAL', releaseOwn, '1', keyOf(attempt), attempt.token),
  };
};
