/**
 * This build against an earlier one, in short pairs: `npm run bench gate` (`-- --against=<commit>`; by default the last
 * release). It ends with 1 if a ratio of speeds is below 0.9. CPU is that of the server and of its Redis for each
 * answer, or delivery: it hardly depends on what else runs, or on how fast a disk is.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { run } from '../scripts/child.mjs';
import { root } from '../scripts/pnpm.mjs';
import type { ReceiverCalls } from './fan-out/receivers.ts';
import { templateHost } from './support/bots.ts';
import { startChild } from './support/child.ts';
import type { LoadCalls } from './support/load.ts';
import { redisCpuUs } from './support/redis-cpu.ts';
import { startServer, type BenchServer } from './support/server.ts';
import { median, nowMs } from './support/statistics.ts';
import { ratio, row } from './support/table.ts';

/** A ratio below this fails. */
const least = 0.9;
const bots = 1_000;
const webhooks = 100;
const connections = 32;
const rounds = 9;

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The tag of the newest release. */
const lastRelease = (): string => {
  const [newest = ''] = git('tag', '--list', 'server-v*', '--sort=-version:refname').split('\n');
  if (newest === '') throw new Error('Nothing is released yet: name a commit, --against=<commit>.');
  return newest;
};

/** The `main.js` of a commit, built in a work tree of its own, which stays for the next run. */
const buildOf = async (commit: string): Promise<string> => {
  const tree = join(tmpdir(), `bot-directory-gate-${git('rev-parse', '--short', commit)}`);
  const main = join(tree, 'packages/server/dist/main.js');
  if (existsSync(main)) return main;
  if (!existsSync(tree)) git('worktree', 'add', '--detach', tree, commit);
  if ((await run(process.execPath, ['scripts/build.mjs'], { cwd: tree })) !== 0)
    throw new Error(`${commit} could not be built in ${tree}.`);
  return main;
};

const { values: options } = parseArgs({ options: { against: { type: 'string' } } });
const against = options.against ?? lastRelease();
const earlierMain = await buildOf(against);

const load = startChild<LoadCalls>(new URL('./support/load.ts', import.meta.url));
const receivers = startChild<ReceiverCalls>(new URL('./fan-out/receivers.ts', import.meta.url));
const { port: receiverPort, ca } = await receivers.call('start', undefined);
const caFile = join(mkdtempSync(join(tmpdir(), 'bot-directory-gate-ca-')), 'ca.pem');
writeFileSync(caFile, ca);
const settings = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  // One client registers all of them, and may have a tenth.
  WEBHOOKS_PER_HOST: String(10 * webhooks),
  WEBHOOKS_PER_DOMAIN: String(webhooks),
  NODE_EXTRA_CA_CERTS: caFile,
  LOG_LEVEL: 'error',
};

/** What a measure did, and how fast. */
type Sample = { readonly done: number; readonly perSec: number };
type Measure = (server: BenchServer) => Promise<Sample>;

const responsesPerSec =
  (request: string, statuses: readonly number[], forMs = 400): Measure =>
  async ({ port }) => {
    const { answers, perSec } = await load.call('round', { port, request, statuses, connections, forMs });
    return { done: answers + connections, perSec };
  };

const get = (path: string, ...headers: readonly string[]): Measure =>
  responsesPerSec([`GET ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n'), [200, 304]);

const submit: Measure = (server) => {
  const body = JSON.stringify({ link: `https://${templateHost}/bot/t{n}`, author: '@somebody', categories: ['SEO'] });
  // `{n}` becomes nine digits.
  const length = Buffer.byteLength(body) - '{n}'.length + 9;
  const head = ['POST /api/bots/submit HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
  return responsesPerSec([...head, `Content-Length: ${length}`, '', body].join('\r\n'), [200])(server);
};

let template = bots;
const fanOut: Measure = async (server) => {
  const events = 10;
  const last = receivers.call('expect', events * webhooks);
  const startedAtMs = nowMs();
  for (let i = 0; i < events; i += 1) await server.submit((template += 1));
  const done = events * webhooks;
  return { done, perSec: (done * 1_000) / ((await last) - startedAtMs) };
};

const register = async (server: BenchServer): Promise<void> => {
  for (let i = 0; i < webhooks; i += 1) {
    const url = `https://127.0.0.1:${receiverPort}/${i}`;
    const body = JSON.stringify({ url });
    const answer = await fetch(`${server.baseUrl}/api/webhooks/bots`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    if (!answer.ok) throw new Error(`register: ${answer.status} ${await answer.text()}`);
  }
};

/** Measures another process on the same store, from its start to its first page. */
const start: Measure = async ({ redisUrl, templateOrigin, build }) => {
  const settings = { ROLE: 'web', LOG_LEVEL: 'error' };
  const server = await startServer({ sharing: { redisUrl, templateOrigin }, build, settings });
  while ((await fetch(`${server.baseUrl}/api/bots?limit=1`)).status !== 200) await sleep(5);
  const tookMs = performance.now() - server.startedAtMs;
  await server.stop();
  return { done: 1, perSec: 1_000 / tookMs };
};

/** `before` runs once on each build. Later measures find more bots, the same number in both builds. */
const measures: readonly {
  name: string;
  measure: Measure;
  before?: (server: BenchServer) => Promise<void>;
  rounds?: number;
  /** What its server and Redis do meanwhile is not what is measured. */
  withoutCpu?: true;
}[] = [
  { name: 'all bots', measure: get('/api/bots') },
  { name: 'all bots, gzip', measure: get('/api/bots', 'Accept-Encoding: gzip') },
  { name: 'a page of 20', measure: get('/api/bots?limit=20') },
  { name: '304', measure: get('/api/bots', 'If-None-Match: {etag}') },
  { name: 'home page, br', measure: get('/', 'Accept-Encoding: br') },
  { name: 'start', measure: start, rounds: 5, withoutCpu: true },
  { name: 'submit', measure: submit },
  { name: 'fan-out', measure: fanOut, before: register, rounds: 5 },
];

const startBuild = async (build?: string) => {
  const server = await startServer({ settings, probed: 'cpu', ...(build === undefined ? {} : { build }) });
  for (let n = 0; n < bots; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => server.submit(n + i)));
  const redis = new Redis(server.redisUrl);
  return {
    server,
    /** The CPU of the server and its Redis so far. */
    cpuUs: async () => (await server.vitals()).cpuUs + (await redisCpuUs(redis)),
    stop: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
};
type Build = Awaited<ReturnType<typeof startBuild>>;

/** The cost of one: how many a second, and the CPU of each. */
type Cost = { readonly perSec: number; readonly cpuUs: number };

const measured = async ({ server, cpuUs }: Build, measure: Measure): Promise<Cost> => {
  const before = await cpuUs();
  const { done, perSec } = await measure(server);
  return { perSec, cpuUs: ((await cpuUs()) - before) / done };
};

const own = await startBuild();
const earlier = await startBuild(earlierMain);
let isSlower = false;
try {
  // Within its first second a response has no Last-Modified yet.
  await sleep(2_000);
  console.log(`This build against ${git('log', '-1', '--format=%h %s', against)}`);
  console.log(row('', ['a second', 'earlier', 'ratio', 'CPU µs', 'earlier', 'ratio']));
  for (const { name, measure, before, rounds: most = rounds, withoutCpu } of measures) {
    const pairs: { mine: Cost; theirs: Cost }[] = [];
    for (const { server } of [own, earlier]) await before?.(server);
    // The rounds before the first are for compilers and caches.
    for (let round = -2; round < most; round += 1) {
      const isMineFirst = round % 2 === 0;
      const first = await measured(isMineFirst ? own : earlier, measure);
      const second = await measured(isMineFirst ? earlier : own, measure);
      if (round >= 0) pairs.push(isMineFirst ? { mine: first, theirs: second } : { mine: second, theirs: first });
    }
    const cells = (figure: keyof Cost): string[] => [
      median(pairs.map(({ mine }) => mine[figure])).toFixed(1),
      median(pairs.map(({ theirs }) => theirs[figure])).toFixed(1),
      ratio(median(pairs.map(({ mine, theirs }) => mine[figure] / theirs[figure]))),
    ];
    const over = median(pairs.map(({ mine, theirs }) => mine.perSec / theirs.perSec));
    isSlower ||= over < least;
    console.log(row(name, [...cells('perSec'), ...(withoutCpu ? [] : cells('cpuUs'))]), over < least ? '  SLOWER' : '');
  }
} finally {
  await Promise.all([load.stop(), receivers.stop(), own.stop(), earlier.stop()]);
}
process.exitCode = isSlower ? 1 : 0;
