/** The private Redis of a test file, which ends with the test process at the latest. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { startRedis } from '../../../scripts/redis.mjs';
import type { TestCertificate } from './certificate.ts';
import { until } from './until.ts';

/** A running Redis; see scripts/redis.mjs for what its parts promise. */
export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/** The arguments of every Redis of a test, the nodes of a Cluster and the servers of Sentinels too. */
export const redisSettings = {
  // By default a primary waits 5 s for further replicas before it sends its data to the first.
  'repl-diskless-sync-delay': '0',
  // By default, while the disk is busy with the last fsync, it responds before it has written to the append-only file,
  // and blocks after 2 s. With `no`, each acknowledged write is in the file, which survives a kill.
  appendfsync: 'no',
} as const;

/** Starts an empty one. `persist`: what it acknowledged survives `kill()` and `restart()`. `settings`: Redis's own. */
export const startTestRedis = ({
  settings,
  ...options
}: NonNullable<Parameters<typeof startRedis>[0]> = {}): Promise<TestRedis> =>
  startRedis({ ...options, settings: { ...redisSettings, ...settings } });

/** Writes a certificate into a folder. Returns the settings of a Redis that name its files. */
export const tlsFiles = (folder: string, { key, cert, ca }: TestCertificate): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ 'tls-key-file': key, 'tls-cert-file': cert, 'tls-ca-cert-file': ca }).map(([name, content]) => {
      const file = join(folder, `${name}.pem`);
      writeFileSync(file, content);
      return [name, file];
    }),
  );

/** Whether it takes commands: not while it reads its append-only file. */
export const takesCommands = (client: Redis): Promise<boolean> =>
  client.ping().then(
    () => true,
    () => false,
  );

/** Has it refuse writes and PING with MISCONF, since a snapshot failed. Returns a function that ends it. */
export const failSnapshots = async (client: Redis): Promise<() => Promise<void>> => {
  const dumpFile = join((await client.config('GET', 'dir'))[1] ?? '', 'dump.rdb');
  const hasFailed = async (): Promise<boolean> =>
    (await client.info('persistence')).includes('rdb_last_bgsave_status:err');
  mkdirSync(join(dumpFile, 'in the way'), { recursive: true });
  await client.config('SET', 'save', '3600 100000');
  await client.bgsave();
  await until('a snapshot failed', hasFailed);
  return async () => {
    rmSync(dumpFile, { recursive: true });
    await client.bgsave();
    await until('a snapshot was written', async () => !(await hasFailed()));
    await client.config('SET', 'save', '');
  };
};
