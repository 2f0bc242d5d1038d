/** The built server in a process of its own, with a Redis and a template provider that only the benchmark uses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hasEnded, startChild as spawn, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { templateHost } from './bots.ts';
import { startChild } from './child.ts';
import type { ProviderCalls } from './provider.ts';

export type BenchServer = Awaited<ReturnType<typeof startServer>>;

const ownBuild = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url));

/** The probe's report of the server's process. `longestStallMs`: of its event loop, since the last report. */
export type Vitals = {
  readonly cpuUs: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly longestStallMs: number;
};

const probe = fileURLToPath(new URL('./probe.mjs', import.meta.url));

/**
 * How it is started. `beforeStart` fills the store. `probed` makes `vitals()` work, with `memory` also after a garbage
 * collection. A second server can share the Redis and the provider of a first. `settings` are added to the
 * environment.
 */
export type BenchServerOptions = {
  readonly beforeStart?: (redisUrl: string) => Promise<unknown>;
  readonly probed?: 'cpu' | 'memory';
  readonly sharing?: { readonly redisUrl: string; readonly templateOrigin: string };
  /** Another build: the path of its `main.js`. */
  readonly build?: string;
  readonly settings?: Readonly<Record<string, string>>;
};

/** What every server has; the first two as the image and the units of deploy/ set them. */
const fixed = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  HOST: '127.0.0.1',
  TEMPLATE_HOST: templateHost,
  WRITE_RATE_LIMIT: '0',
  LOG_LEVEL: 'warn',
  SHUTDOWN_DELAY: '0s',
};

/** Starts a server; writes are not limited. */
export const startServer = async ({
  beforeStart,
  probed,
  sharing,
  settings,
  build = ownBuild,
}: BenchServerOptions = {}) => {
  const { redisUrl, templateOrigin, stopSurroundings } =
    sharing === undefined
      ? await startSurroundings(beforeStart)
      : { ...sharing, stopSurroundings: () => Promise.resolve() };
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...fixed,
    PATH: process.env.PATH,
    PORT: String(port),
    BASE_URL: baseUrl,
    REDIS_URL: redisUrl,
    TEMPLATE_ORIGIN: templateOrigin,
    ...settings,
  };
  const probePort = await freePort();
  const startedAtMs = performance.now();
  const server = spawn(
    process.execPath,
    [...(probed === 'memory' ? ['--expose-gc'] : []), ...(probed === undefined ? [] : ['--import', probe]), build],
    { env: { ...env, PROBE_PORT: String(probePort) } },
  );
  while (!(await isHealthy(baseUrl))) {
    if (hasEnded(server)) throw new Error('The server did not start.');
    await sleep(20);
  }
  return {
    port,
    baseUrl,
    redisUrl,
    templateOrigin,
    build,
    /** When its process was started, by `performance.now()` of this one. */
    startedAtMs,
    /** Reads the vitals of the server's process. `collected`: after a garbage collection. */
    vitals: async ({ collected = false } = {}): Promise<Vitals> =>
      (await (await fetch(`http://127.0.0.1:${probePort}/${collected ? 'collected' : ''}`)).json()) as Vitals,
    /** Publishes template number `n` through the API. */
    submit: async (n: number): Promise<void> => {
      const body = JSON.stringify({ link: `https://${templateHost}/bot/t${n}`, categories: ['SEO'] });
      const answer = await fetch(`${baseUrl}/api/bots/submit`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      if (!answer.ok) throw new Error(`submit: ${answer.status} ${await answer.text()}`);
    },
    stop: async (): Promise<void> => {
      await stopChild(server);
      await stopSurroundings();
    },
  };
};

const startSurroundings = async (beforeStart: BenchServerOptions['beforeStart']) => {
  const redis = await startRedis({ persist: true });
  await beforeStart?.(redis.url);
  const provider = startChild<ProviderCalls>(new URL('./provider.ts', import.meta.url));
  return {
    redisUrl: redis.url,
    templateOrigin: `http://127.0.0.1:${await provider.call('start', undefined)}`,
    stopSurroundings: async (): Promise<void> => {
      await provider.stop();
      await redis.stop();
    },
  };
};

const isHealthy = (baseUrl: string): Promise<boolean> =>
  fetch(`${baseUrl}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
