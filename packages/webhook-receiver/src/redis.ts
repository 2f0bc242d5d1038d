/**
 * Handled events in Redis, for receivers with several processes. Works with a client of `redis` or `ioredis`; neither
 * is a dependency. Each event is one key that expires.
 */
import type { Attempt, Dedupe } from './dedupe.ts';

/**
 * A connected client: of `ioredis` (with `call`), also for a cluster or Sentinel; or of `redis` 4 or newer: a client or
 * pool, a cluster (with `masters`) or a Sentinel (with `acquire`).
 */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(args: string[]): Promise<unknown> }
  | { masters: unknown; sendCommand(firstKey: string, isReadonly: boolean, args: string[]): Promise<unknown> }
  | { acquire: unknown; sendCommand(isReadonly: boolean, args: string[]): Promise<unknown> };

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

/** Stores handled events in Redis, through this client. Throws `TypeError` for a client that it cannot use. */
export const redisDedupe = (client: RedisClient, { prefix = 'webhook:' }: RedisDedupeOptions = {}): Dedupe => {
  if (!isUsable(client))
    throw new TypeError(
      'redisDedupe takes a client of ioredis, or of redis 4 or newer; wrap any other as { sendCommand: (args: string[]) => Promise }',
    );
  const keyOf = ({ id }: Attempt) => prefix + id;
  const run = async (attempt: Attempt, name: string, ...args: string[]): Promise<unknown> => {
    if ('call' in client) return client.call(name, ...args);
    const command = [name, ...args];
    if ('masters' in client) return client.sendCommand(keyOf(attempt), false, command);
    return 'acquire' in client ? client.sendCommand(false, command) : client.sendCommand(command);
  };
  return {
    async begin(attempt, leaseMs) {
      const taken = await run(attempt, 'SET', keyOf(attempt), attempt.token, 'NX', 'PX', String(leaseMs));
      if (String(taken) === 'OK') return 'new';
      // Without a reply nothing is known: a client in the legacy mode of redis 4 takes callbacks and returns nothing.
      if (taken !== null) throw new TypeError(`redisDedupe: the client answered SET with ${typeof taken}`);
      // If the key expired in between, the event counts as pending: the sender retries.
      return String(await run(attempt, 'GET', keyOf(attempt))) === done ? 'done' : 'pending';
    },
    commit: (attempt, ttlMs) => run(attempt, 'SET', keyOf(attempt), done, 'PX', String(ttlMs)),
    rollback: (attempt) => run(attempt, 'EVAL', releaseOwn, '1', keyOf(attempt), attempt.token),
  };
};

/** Clients of redis 3, and legacy ones of newer versions, take callbacks: they have `multi` but no `connect`. */
const isUsable = (client: object | undefined): boolean =>
  client !== undefined &&
  ('call' in client || ('sendCommand' in client && (!('multi' in client) || 'connect' in client)));
