/** A real Redis Cluster of three nodes on loopback. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { requireRedis } from '../../../../scripts/find-redis.mjs';
import { freePort } from '../../../../scripts/port.mjs';
import { until } from './until.ts';

const slots = 16_384;
const nodeCount = 3;

/** The highest port whose cluster bus, 10,000 above, is a port too. */
const highestPort = 55_535;

const busablePort = async (): Promise<number> => {
  for (;;) {
    const port = await freePort();
    if (port <= highestPort) return port;
  }
};

/** Starts it and waits until all slots are served. `url` names every node. */
export const startCluster = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const command = requireRedis();
  const home = mkdtempSync(join(tmpdir(), 'bot-directory-cluster-'));
  const children: ChildProcess[] = [];
  const ports: number[] = [];
  for (let i = 0; i < nodeCount; i += 1) {
    const port = await busablePort();
    const options = { port, bind: '127.0.0.1', dir: home, save: '', appendonly: 'no', 'cluster-enabled': 'yes', 'cluster-config-file': `node-${i}.conf`, 'cluster-node-timeout': 2_000 };
    children.push(spawn(command, Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]), { stdio: 'ignore' }));
    ports.push(port);
  }
  const nodes = ports.map((port) => new Redis(port, '127.0.0.1'));
  for (const node of nodes) node.on('error', () => undefined);
  await Promise.all(nodes.map((node, i) => node.cluster('ADDSLOTSRANGE', Math.floor((slots * i) / nodeCount), Math.floor((slots * (i + 1)) / nodeCount) - 1)));
  await Promise.all(nodes.slice(1).map((node) => node.cluster('MEET', '127.0.0.1', ports[0] ?? 0)));
  await until('the cluster serves all slots', async () => {
    const states = await Promise.all(nodes.map((node) => node.cluster('INFO')));
    return states.every((state) => /cluster_state:ok/.test(state) && state.includes(`cluster_known_nodes:${nodeCount}`));
  });
  for (const node of nodes) node.disconnect();
  return {
    url: ports.map((port) => `redis://127.0.0.1:${port}`).join(','),
    stop: async () => {
      await Promise.all(
        children.map(async (child) => {
          child.kill('SIGKILL');
          if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        }),
      );
      rmSync(home, { recursive: true, force: true });
    },
  };
};
