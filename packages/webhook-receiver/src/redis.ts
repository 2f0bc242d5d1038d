/**
 * Handled events in Redis, for receivers with several processes. Works with a client of `redis` or `ioredis`; neither
 * is a dependency. Each event is one key that expires.
 */
import type { Attempt, Dedupe } from './dedupe.ts';

/** A connected client of `ioredis` (`call`) or `redis` (`sendCommand`), or a cluster of `redis` (with `masters`). */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(args: string[]): Promise<unknown> }
  | { masters: unknown; sendCommand(firstKey: string, isReadonly: boolean, args: string[]): Promise<unknown> };

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
  const keyOf = ({ id }: Attempt) => prefix + id;
  const run = async (attempt: Attempt, name: string, ...args: string[]): Promise<unknown> => {
    if ('call' in client) return client.call(name, ...args);
    const command = [name, ...args];
    return 'masters' in client ? client.sendCommand(keyOf(attempt), false, command) : client.sendCommand(command);
  };
  return {
    async begin(attempt, leaseMs) {
      const taken = await run(attempt, 'SET', keyOf(attempt), attempt.token, 'NX', 'PX', String(leaseMs));
      if (taken !== null) return 'new';
      // If it expired in between, it counts as pending: the sender retries.
      return String(await run(attempt, 'GET', keyOf(attempt))) === done ? 'done' : 'pending';
    },
    commit: (attempt, ttlMs) => run(attempt, 'SET', keyOf(attempt), done, 'PX', String(ttlMs)),
    rollback: (attempt) => run(attempt, 'EVAL', releaseOwn, '1', keyOf(attempt), attempt.token),
  };
};
