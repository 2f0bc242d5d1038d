/**
 * The store whose writes are acknowledged only when so many replicas have them (WRITE_REPLICAS). Such writes have a
 * connection of their own: one that waits for replicas holds up nobody who reads.
 */
import { Cluster, type Redis } from 'ioredis';
import { StoreUnreachable } from '../base/failure.ts';
import { newEpoch, runScript, type RedisClient, type Store } from './redis.ts';
import { scripts, type ScriptName } from './scripts.ts';

/** What a caller is told was done. Counts, cursors and leases are not: what is lost of them is made good by itself. */
const acknowledged: ReadonlySet<ScriptName> = new Set([
  'publish-bot',
  'add-integrations',
  'add-post',
  'add-webhook',
  'remove-webhook',
  'report-bot',
  'close-reports',
  'moderate-bots',
  'set-rule',
]);

/** How long replicas may take. With the script before it, a write stays within the deadline of a command. */
const replicasMs = 400;

/**
 * The same store; `writer` is another connection to it. A write that too few replicas have in time fails with
 * StoreUnreachable, although the store has it: nothing is known to be saved, and nothing is known to be lost.
 */
export const replicatedStore = (store: Store, writer: Store, replicas: number): Store => {
  const write: Store['script'] = (name, keys, args) =>
    writer.call(async (redis) => {
      const primary = await primaryOf(redis, keys[0] ?? '');
      const reply = await runScript(primary, scripts[name], { keys, args });
      const count = await primary.wait(replicas, replicasMs);
      if (count < replicas) throw new StoreUnreachable(`${count} of ${replicas} replicas have the write`);
      return reply;
    });
  const script: Store['script'] = (name, keys, args) =>
    acknowledged.has(name) ? write(name, keys, args) : store.script(name, keys, args);
  return {
    ...store,
    script,
    change: (name, keys, args) => script(name, keys, [store.lineage.highest, newEpoch(), store.offsetMs(), ...args]),
    close: async () => {
      await writer.close();
      await store.close();
    },
  };
};

/** The server that takes writes of a key: what waits for its replicas must be asked of the same one. */
const primaryOf = async (redis: RedisClient, key: string): Promise<Redis> => {
  if (!(redis instanceof Cluster)) return redis;
  const [address] = redis.slots[await redis.cluster('KEYSLOT', key)] ?? [];
  const primary = redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
  if (primary === undefined) throw new StoreUnreachable('no node of the cluster serves this key now');
  return primary;
};
