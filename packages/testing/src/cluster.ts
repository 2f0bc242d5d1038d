/**
 * A private Redis Cluster of three masters on loopback, with a replica of each where a test wants them, made by the
 * commands that `redis-cli --cluster create` sends.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { hasEnded, startChild, stopChild } from '../../../scripts/child.mjs';
import { requireRedis } from '../../../scripts/find-redis.mjs';
import { freePort } from '../../../scripts/port.mjs';
import type { TestCertificate } from './certificate.ts';
import { redisSettings, takesCommands, tlsFiles } from './redis.ts';
import { untilFollowed } from './replication.ts';
import { until } from './until.ts';

const size = 3;
const slotCount = 16_384;

/** A master or a replica. */
export type ClusterNode = Awaited<ReturnType<typeof startNode>>;

export type TestCluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Starts a Cluster that serves every slot. What it acknowledged survives `kill()` and `restart()` of a node. With
 * `certificate` it speaks TLS alone, with clients that have one.
 */
export const startCluster = async ({
  withReplicas = false,
  certificate,
}: { readonly withReplicas?: boolean; readonly certificate?: TestCertificate } = {}) => {
  const nodes = await Promise.all(Array.from({ length: size }, (_, number) => startMaster(number, certificate)));
  const replicas = await Promise.all(withReplicas ? nodes.map(() => startNode(certificate)) : []);
  const all = [...nodes, ...replicas];
  const [first, ...others] = all;
  for (const { port, busPort } of others) await first?.client.cluster('MEET', '127.0.0.1', port, busPort);
  for (const { client } of all)
    await until('every node sees the whole cluster', async () => isWhole(await client.cluster('INFO'), all.length));
  await Promise.all(replicas.map((replica, i) => replicate(replica, nodes[i])));
  /** The number of the master that serves a key, or did before a failover. */
  const numberOf = async (key: string): Promise<number> => {
    const slot = Number(await first?.client.cluster('KEYSLOT', key));
    return nodes.findIndex(({ slots: [from, to] }) => from <= slot && slot < to);
  };
  return {
    nodes,
    /** As in `REDIS_URL`: every node is a seed. */
    url: all.map(({ port }) => `${certificate === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`).join(','),
    /** The master that serves a key, or did before a failover. */
    nodeOf: async (key: string): Promise<ClusterNode | undefined> => nodes[await numberOf(key)],
    /** Its replica. */
    replicaOf: async (key: string): Promise<ClusterNode | undefined> => replicas[await numberOf(key)],
    stop: async (): Promise<void> => {
      await Promise.all(all.map((node) => node.stop()));
    },
  };
};

const isWhole = (info: unknown, known: number): boolean =>
  typeof info === 'string' && info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${known}`);

const replicate = async (replica: ClusterNode, master: ClusterNode | undefined): Promise<void> => {
  if (master === undefined) throw new Error('there is no master for a replica');
  await replica.client.cluster('REPLICATE', await master.client.cluster('MYID'));
  await untilFollowed(master.client);
};

/** Starts a node that knows no other yet, and gives it its share of the slots. */
const startMaster = async (number: number, certificate?: TestCertificate) => {
  const node = await startNode(certificate);
  const slots = [Math.floor((number * slotCount) / size), Math.floor(((number + 1) * slotCount) / size)] as const;
  await node.client.cluster('ADDSLOTS', ...Array.from({ length: slots[1] - slots[0] }, (_, i) => slots[0] + i));
  return { ...node, slots };
};

/** Starts a node that knows no other yet. */
const startNode = async (certificate?: TestCertificate) => {
  const home = mkdtempSync(join(tmpdir(), 'bot-directory-cluster-'));
  const port = await freePort();
  const busPort = await freePort();
  const options = {
    dir: home,
    bind: '127.0.0.1',
    save: '',
    appendonly: 'yes',
    logfile: join(home, 'redis.log'),
    'cluster-enabled': 'yes',
    'cluster-port': busPort,
    'cluster-node-timeout': 1_000,
    ...redisSettings,
    ...(certificate === undefined
      ? { port }
      : { port: 0, 'tls-port': port, 'tls-cluster': 'yes', 'tls-replication': 'yes', ...tlsFiles(home, certificate) }),
  };
  const client = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 25,
    maxRetriesPerRequest: null,
    ...(certificate === undefined ? {} : { tls: certificate }),
  });
  client.on('error', () => undefined);
  const launch = async () => {
    const started = startChild(
      requireRedis(),
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      { stdio: 'ignore' },
    );
    await until('the node answers', async () => hasEnded(started) || (await takesCommands(client)));
    return started;
  };
  let child = await launch();
  return {
    port,
    busPort,
    client,
    pid: (): number => child.pid ?? 0,
    kill: (): Promise<void> => stopChild(child, { signal: 'SIGKILL' }),
    restart: async (): Promise<void> => {
      child = await launch();
    },
    stop: async (): Promise<void> => {
      client.disconnect();
      await stopChild(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
};
