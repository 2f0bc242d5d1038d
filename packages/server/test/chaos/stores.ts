/** The stores that people run, each as one that can be hurt. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startCluster, type ClusterNode, type TestCluster } from '@bot-directory/testing/cluster';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { startRedisProxy, type RedisProxy } from '@bot-directory/testing/redis-proxy';
import { startSentinels } from '@bot-directory/testing/sentinel';
import { until } from '@bot-directory/testing/until';
import { program } from '../../../../scripts/programs.mjs';
import { keys, partition } from '../../src/store/keys.ts';

/** `proxy`: the network to the store, if that has one address. Each way to hurt it returns when it works again. */
export type ChaosStore = {
  readonly url: string;
  readonly proxy?: RedisProxy;
  /** Kills the server that holds the directory, and starts it again with what it had. */
  readonly crash?: () => Promise<void>;
  /** Kills it for good; a replica takes its place. */
  readonly promote?: () => Promise<void>;
  /** Moves the directory, and the webhooks of a partition, to another node. */
  readonly moveSlots?: () => Promise<void>;
  /** Fills the disk under the append-only file, and frees it. */
  readonly fillDisk?: (meanwhile: () => Promise<void>) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const clientOf = (url: string): Redis => {
  const client = new Redis(url, { retryStrategy: () => 25, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  return client;
};

const crash = async (redis: TestRedis): Promise<void> => {
  await redis.kill();
  await redis.restart();
};

const plain = async (): Promise<ChaosStore> => {
  const primary = await startTestRedis({ persist: true });
  const replica = await startTestRedis({ persist: true });
  const proxy = await startRedisProxy(primary.url);
  const onReplica = clientOf(replica.url);
  await onReplica.replicaof('127.0.0.1', new URL(primary.url).port);
  await until('it replicates', async () => (await onReplica.info('replication')).includes('master_link_status:up'));
  return {
    url: proxy.url,
    proxy,
    crash: () => crash(primary),
    promote: async () => {
      await primary.kill();
      await onReplica.replicaof('NO', 'ONE');
      await proxy.leadTo(replica.url);
    },
    stop: async () => {
      onReplica.disconnect();
      await proxy.stop();
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
};

const sentinel = async (): Promise<ChaosStore> => {
  const group = await startSentinels();
  return {
    url: group.url,
    promote: async () => {
      const old = await group.primary();
      await old?.kill();
      await until('another is the primary', async () => ![undefined, old].includes(await group.primary()), 60_000);
    },
    stop: () => group.stop(),
  };
};

const cluster = async (): Promise<ChaosStore> => {
  const nodes = await startCluster({ withReplicas: true });
  return {
    url: nodes.url,
    crash: async () => {
      const node = await nodes.nodeOf(keys.state);
      await node?.kill();
      await node?.restart();
    },
    promote: async () => {
      const old = await nodes.nodeOf(keys.state);
      const replica = await nodes.replicaOf(keys.state);
      await old?.kill();
      await until(
        'it is promoted',
        async () => (await replica?.client.info('replication'))?.includes('role:master') === true,
        60_000,
      );
    },
    stop: () => nodes.stop(),
  };
};

/** Starts a Cluster without replicas, whose slots are moved as an operator's tool does it. */
const movable = async (): Promise<ChaosStore> => {
  const nodes = await startCluster();
  return {
    url: nodes.url,
    moveSlots: async () => {
      for (const key of [keys.state, partition(0).urls, partition(7).urls]) await moveSlotOf(nodes, key);
    },
    stop: () => nodes.stop(),
  };
};

const moveSlotOf = async ({ nodes, nodeOf }: TestCluster, key: string): Promise<void> => {
  const from = await nodeOf(key);
  const to = nodes.find((node) => node !== from);
  if (from === undefined || to === undefined) throw new Error(`no node has ${key}`);
  const slot = await from.client.cluster('KEYSLOT', key);
  const fromId = await from.client.cluster('MYID');
  const toId = await to.client.cluster('MYID');
  await to.client.cluster('SETSLOT', slot, 'IMPORTING', fromId);
  await from.client.cluster('SETSLOT', slot, 'MIGRATING', toId);
  for (;;) {
    const some = await from.client.cluster('GETKEYSINSLOT', slot, 100);
    if (some.length === 0) break;
    await from.client.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...some);
  }
  const others: ClusterNode[] = nodes.filter((node) => node !== from && node !== to);
  for (const { client } of [to, from, ...others]) await client.cluster('SETSLOT', slot, 'NODE', toId);
};

/** Whether a small file system can be made here: it takes root on Linux. */
export const canMount = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;

const smallDisk = async (): Promise<ChaosStore> => {
  const dir = mkdtempSync(join(tmpdir(), 'bot-directory-disk-'));
  execFileSync(program('mount'), ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', dir]);
  const redis = await startTestRedis({ dir, persist: true, settings: { appendfsync: 'always' } });
  const ballast = join(dir, 'ballast');
  return {
    url: redis.url,
    fillDisk: async (meanwhile) => {
      for (let size = 32 * 1_024 * 1_024; size > 1_024; size /= 2) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // The file has grown by what fitted.
        }
      }
      await meanwhile();
      rmSync(ballast);
      await crash(redis).catch(() => undefined);
    },
    stop: async () => {
      await redis.stop();
      execFileSync(program('umount'), [dir]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** Starts each. */
export const stores = { plain, sentinel, cluster, movable, smallDisk } as const;
export type StoreKind = keyof typeof stores;
