/** Connecting to a Redis Cluster of which a part cannot be reached. */
import { it } from 'vitest';
import { startCluster } from '@bot-directory/testing/cluster';
import { untilReplicated } from '@bot-directory/testing/replication';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { createLog } from '../../src/base/log.ts';
import { keys } from '../../src/store/keys.ts';
import { openStore } from '../../src/store/open-store.ts';

const cluster = useStarted(() => startCluster({ withReplicas: true }));

/** Opens a store, waits until the node of the directory answers, and closes it. */
const useStore = async (urls: readonly string[]): Promise<void> => {
  const store = openStore(urls, createLog('silent'));
  const answers = () =>
    store
      .call((redis) => redis.hlen(keys.state))
      .then(
        () => true,
        () => false,
      );
  try {
    await until('the store answers', answers, 30_000);
  } finally {
    await store.close();
  }
};

/** A label of more than 63 characters: no name server is asked for it. */
const unresolvable = `redis://${'x'.repeat(64)}.test:6379`;

it('needs no more than one seed whose name can be resolved', () => useStore([unresolvable, ...cluster.url.split(',')]));

// A connection picks the first node that it asks at random, so several are opened.
it('succeeds while a node is silent, as soon as the replica of that node is promoted', async () => {
  const node = await cluster.nodeOf(keys.state);
  const replica = await cluster.replicaOf(keys.state);
  if (node === undefined || replica === undefined) throw new Error('nobody serves the directory');
  await untilReplicated(node.client);
  process.kill(node.pid(), 'SIGSTOP');
  try {
    await Promise.all(Array.from({ length: 16 }, () => useStore(cluster.url.split(','))));
  } finally {
    process.kill(node.pid(), 'SIGCONT');
  }
});
