/**
 * Handled events in Redis, for receivers of more than one process. Takes the client of `redis` or of `ioredis`, by
 * what the two can do; neither is a dependency. One key an event, which expires.
 */
import type { Attempt, Dedupe } from './dedupe.ts';

/** A client of `ioredis` (`call`) or of `redis` (`sendCommand`), connected. */
export type RedisClient =
  { call(command: string, ...args: string[]): Promise<unknown> } | { sendCommand(args: string[]): Promise<unknown> };

const done = 'done';
const releaseOwn = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])`;

/** How events are kept. */
export interface RedisDedupeOptions {
  /**
   * Put before each event's id.
   * @default 'webhook:'
   */
  prefix?: string;
}

/** Handled events in the Redis of this client. */
export const redisDedupe = (client: RedisClient, { prefix = 'webhook:' }: RedisDedupeOptions = {}): Dedupe => {
  const command = async (name: string, ...args: string[]): Promise<unknown> =>
    'call' in client ? client.call(name, ...args) : client.sendCommand([name, ...args]);
  const keyOf = ({ id }: Attempt) => prefix + id;
  return {
    async begin(attempt, leaseMs) {
      const taken = await command('SET', keyOf(attempt), attempt.token, 'NX', 'PX', String(leaseMs));
      if (taken !== null) return 'new';
      // One that expired in between counts as pending: the sender comes again.
      return String(await command('GET', keyOf(attempt))) === done ? 'done' : 'pending';
    },
    commit: (attempt, ttlMs) => command('SET', keyOf(attempt), done, 'PX', String(ttlMs)),
    rollback: (attempt) => command('EVAL', releaseOwn, '1', keyOf(attempt), attempt.token),
  };
};
