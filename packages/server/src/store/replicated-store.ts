/**
 * A store whose writes are acknowledged only when enough replicas have them (WRITE_REPLICAS). Such writes use a
 * connection of their own, so waiting for replicas does not delay reads.
 */
import { Cluster, type Redis } from 'ioredis';
import { StoreUnreachable } from '../base/failure.ts';
import { newEpoch, runScript, type RedisClient, type Store } from './redis.ts';
import { scripts, type ScriptName } from './scripts.ts';

/**
 * Scripts whose result a caller relies on. Counts, cursors and leases are not among them: their loss repairs itself.
 */
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

/** How long replicas may take. Together with the script, a write stays within a command's deadline. */
const replicasMs = 400;

/**
 * Wraps a store; `writer` is a second connection to it. If too few replicas have a write in time, it fails with
 * StoreUnreachable although the store has it: whether it survives is unknown.
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

/** The server that takes the writes of a key: WAIT must be sent to the same one. */
const primaryOf = async (redis: RedisClient, key: string): Promise<Redis> => {
  if (!(redis instanceof Cluster)) return redis;
  const [address] = redis.slots[await redis.cluster('KEYSLOT', key)] ?? [];
  const primary = redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
  if (primary === undefined) throw new StoreUnreachable('no node of the cluster serves this key now');
  return primary;
};
