/** A private Redis with replicas on loopback, watched by three Sentinels that promote one if it dies. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** What the Sentinels call the servers. */
const master = 'directory';
const sentinelCount = 3;

/** `password` is the servers', `sentinelPassword` the Sentinels'; with `certificate` all of them speak TLS alone. */
export type SentinelOptions = {
  readonly servers?: number;
  readonly password?: string;
  readonly sentinelPassword?: string;
  readonly certificate?: TestCertificate;
};

export type TestSentinels = Awaited<ReturnType<typeof startSentinels>>;
export type SentinelServer = Awaited<ReturnType<typeof startServer>>;

/** Starts them and waits until every Sentinel knows every other and every replica. The first server is the primary. */
export const startSentinels = async (options: SentinelOptions = {}) => {
  const home = mkdtempSync(join(tmpdir(), 'bot-directory-sentinel-'));
  const secured = { ...options, home, tls: options.certificate && secure(home, options.certificate) };
  const servers: SentinelServer[] = [];
  for (let number = 0; number < (options.servers ?? 2); number += 1)
    servers.push(await startServer(secured, { number, primaryPort: servers[0]?.port }));
  const primaryPort = servers[0]?.port ?? 0;
  const sentinels = await Promise.all(
    Array.from({ length: sentinelCount }, (_, number) => startSentinel(secured, { number, primaryPort })),
  );
  for (const { client } of sentinels)
    await until(
      'every Sentinel knows all',
      async () => {
        const state = await client.call('SENTINEL', 'MASTER', master).then(toFields);
        return state['num-other-sentinels'] === '2' && state['num-slaves'] === String(servers.length - 1);
      },
      30_000,
    );
  const [primary, ...replicas] = servers;
  if (primary !== undefined) await untilFollowed(primary.client, replicas.length);
  return {
    servers,
    sentinels,
    url: addressOf(sentinels, options),
    /** The address with another name of the primary, or with some of the Sentinels alone. */
    urlOf: (changed: { readonly name?: string; readonly ports?: readonly number[] }): string =>
      addressOf(changed.ports?.map((port) => ({ port })) ?? sentinels, options, changed.name),
    /** The server that most Sentinels call the primary. */
    primary: async (): Promise<SentinelServer | undefined> => {
      const named = await Promise.all(sentinels.map(({ client }) => askForPrimary(client)));
      return servers.find(({ port }) => named.filter((one) => one === port).length * 2 > named.length);
    },
    stop: async (): Promise<void> => {
      await Promise.all([...sentinels, ...servers].map((one) => one.stop()));
      rmSync(home, { recursive: true, force: true });
    },
  };
};

const addressOf = (
  sentinels: readonly { readonly port: number }[],
  { password = '', sentinelPassword = '', certificate }: SentinelOptions,
  name = master,
): string => {
  const scheme = certificate === undefined ? 'redis-sentinel' : 'rediss-sentinel';
  const credentials = password === '' ? '' : `:${encodeURIComponent(password)}@`;
  const query = sentinelPassword === '' ? '' : `?sentinelPassword=${encodeURIComponent(sentinelPassword)}`;
  return `${scheme}://${credentials}${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/0${query}#${name}`;
};

type Surroundings = SentinelOptions & { readonly home: string; readonly tls: Tls | undefined };
type Tls = { readonly settings: Readonly<Record<string, string>>; readonly ca: string };

const secure = (home: string, certificate: TestCertificate): Tls => ({
  settings: { ...tlsFiles(home, certificate), 'tls-replication': 'yes', 'tls-auth-clients': 'no' },
  ca: certificate.ca,
});

const listening = (tls: Tls | undefined, port: number): Record<string, string> => ({
  bind: '127.0.0.1',
  ...(tls === undefined ? { port: String(port) } : { port: '0', 'tls-port': String(port), ...tls.settings }),
});

const startServer = async (
  { home, password = '', tls }: Surroundings,
  { number, primaryPort }: { readonly number: number; readonly primaryPort: number | undefined },
) => {
  const port = await freePort();
  return startNode({ name: `server-${number}`, home, port, isSentinel: false, tls, password }, [
    ...Object.entries({
      save: '',
      appendonly: 'yes',
      appenddirname: `aof-${number}`,
      dbfilename: `dump-${number}.rdb`,
      ...redisSettings,
      ...(password === '' ? {} : { requirepass: password, masterauth: password }),
      ...(primaryPort === undefined ? {} : { replicaof: `127.0.0.1 ${primaryPort}` }),
    }),
  ]);
};

const startSentinel = async (
  { home, password = '', sentinelPassword = '', tls }: Surroundings,
  { number, primaryPort }: { readonly number: number; readonly primaryPort: number },
) => {
  const port = await freePort();
  return startNode({ name: `sentinel-${number}`, home, port, isSentinel: true, tls, password: sentinelPassword }, [
    ['sentinel monitor', `${master} 127.0.0.1 ${primaryPort} 2`],
    ['sentinel down-after-milliseconds', `${master} 1000`],
    ['sentinel failover-timeout', `${master} 4000`],
    ...(password === '' ? [] : ([['sentinel auth-pass', `${master} ${password}`]] as [string, string][])),
    ...(sentinelPassword === ''
      ? []
      : ([
          ['requirepass', sentinelPassword],
          ['sentinel sentinel-pass', sentinelPassword],
        ] as [string, string][])),
  ]);
};

type Node = {
  readonly name: string;
  readonly home: string;
  readonly port: number;
  readonly isSentinel: boolean;
  readonly tls: Tls | undefined;
  readonly password: string;
};

/** Both kinds keep what they learn in their own configuration, so each is started from a file. */
const startNode = async ({ name, home, port, isSentinel, tls, password }: Node, settings: [string, string][]) => {
  const file = join(home, `${name}.conf`);
  const common = { ...listening(tls, port), dir: home, logfile: join(home, `${name}.log`) };
  writeFileSync(
    file,
    [...Object.entries(common), ...settings].map(([key, value]) => `${key} ${value === '' ? '""' : value}\n`).join(''),
  );
  const client = new Redis(clientOptions(port, { tls, password }));
  client.on('error', () => undefined);
  const launch = async () => {
    const started = startChild(requireRedis(), [file, ...(isSentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
    await until(`${name} answers`, async () => hasEnded(started) || (await takesCommands(client)));
    if (hasEnded(started)) throw new Error(`${name} did not start: see ${common.logfile}`);
    return started;
  };
  let child = await launch();
  return {
    port,
    client,
    pid: (): number => child.pid ?? 0,
    kill: (): Promise<void> => stopChild(child, { signal: 'SIGKILL' }),
    restart: async (): Promise<void> => {
      await stopChild(child);
      child = await launch();
    },
    stop: async (): Promise<void> => {
      client.disconnect();
      await stopChild(child, { signal: 'SIGKILL' });
    },
  };
};

const clientOptions = (
  port: number,
  { tls, password }: { readonly tls: Tls | undefined; readonly password: string },
) => ({
  port,
  host: '127.0.0.1',
  retryStrategy: () => 25,
  maxRetriesPerRequest: null,
  enableReadyCheck: false,
  ...(password === '' ? {} : { password }),
  ...(tls === undefined ? {} : { tls: { ca: tls.ca } }),
});

const askForPrimary = async (sentinel: Redis): Promise<number> => {
  if (sentinel.status !== 'ready') return 0;
  const answer = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master);
  return Array.isArray(answer) ? Number(answer[1]) : 0;
};

const toFields = (flat: unknown): Record<string, string> => {
  const list = flat as string[];
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : [])));
};
