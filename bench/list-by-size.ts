/**
 * What the size of the directory costs, at 100,000 bots or `--bots=<number>`: memory a bot, start, first reads after a
 * write, CPU of each of two web processes for a write, queries that nobody sent before, the share of compressed
 * responses and the longest stall of the event loop while a bot is published every second. Absolute figures: compare
 * them with those of the same machine only. They are left in `bench/results/`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { queryKinds } from './list-by-size/queries.ts';
import { read, type Answer } from './list-by-size/read.ts';
import { publishBots } from './support/bots.ts';
import { ours, writeResult, type Figure } from './support/results.ts';
import { startServer, type BenchServer, type Vitals } from './support/server.ts';
import { median, quantile } from './support/statistics.ts';
import { count, row } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    bots: { type: 'string' },
    quick: { type: 'boolean', default: false },
    label: { type: 'string', default: ours },
    commit: { type: 'string' },
  },
});
const bots = Number(options.bots ?? (options.quick ? 10_000 : 100_000));
const [writes, underWritesSec, queriesOfAKind] = options.quick ? [3, 5, 20] : [7, 15, 60];
const atRestSec = 5;
/** How long to wait, at most, for encodings that are made in the background. */
const encodingsMs = 60_000 + bots / 5;

const ms = (value: number): string => `${value.toFixed(1)} ms`;
/** All processes of a directory have one address. */
const settings = { BASE_URL: 'https://bots.example.com' };
const figures: Figure[] = [];
const note = (name: string, value: number, unit: string): void => {
  figures.push({ name, who: options.label, at: bots, value: Math.round(value * 100) / 100, unit });
};
let published = bots;

/** Waits until nothing is made in the background, and forgets the stalls of the event loop until then. */
const rested = async (server: BenchServer): Promise<Vitals> => {
  let before = 0;
  for (;;) {
    const { cpuUs } = await server.vitals();
    if (cpuUs - before < 50_000) break;
    before = cpuUs;
    await sleep(500);
  }
  const vitals = await server.vitals({ collected: true });
  await sleep(100);
  return vitals;
};

/** Does the same once V8 has returned the memory that it collected, which it does seconds later. */
const leanest = async (server: BenchServer): Promise<Vitals> => {
  let before = await rested(server);
  for (;;) {
    await sleep(3_000);
    const vitals = await rested(server);
    if (vitals.rss > 0.99 * before.rss) return vitals;
    before = vitals;
  }
};

/** Measures the process of an empty directory. */
const measureEmpty = async (): Promise<{ vitals: Vitals; startMs: number; restMs: number }> => {
  const server = await startServer({ probed: 'memory', settings });
  const startMs = await firstPage(server);
  const vitals = await leanest(server);
  const { cpuUs } = await server.vitals();
  await sleep(atRestSec * 1_000);
  const restMs = ((await server.vitals()).cpuUs - cpuUs) / 1_000 / atRestSec;
  await server.stop();
  return { vitals, startMs, restMs };
};

/** Measures the time from the start of the process to its first page. */
const firstPage = async (server: BenchServer): Promise<number> => {
  await untilReady(server);
  await read(server.baseUrl, '?limit=20');
  return performance.now() - server.startedAtMs;
};

/** Waits until Redis has rewritten its file, which takes one of the cores. */
const untilRewritten = async (redisUrl: string): Promise<void> => {
  const redis = new Redis(redisUrl);
  while (/aof_rewrite_(?:in_progress|scheduled):1/.test(await redis.info('persistence'))) await sleep(100);
  redis.disconnect();
};

/** Returns what Redis has allocated, its own upkeep included. */
const usedMemory = async (redisUrl: string): Promise<number> => {
  const redis = new Redis(redisUrl);
  const info = await redis.info('memory');
  redis.disconnect();
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
};

const untilReady = async ({ baseUrl }: BenchServer): Promise<void> => {
  // More frequent requests would slow down what they wait for.
  while (!(await fetch(`${baseUrl}/readyz`)).ok) await sleep(20);
};

const measureStart = async (server: BenchServer): Promise<void> => {
  // Stalls before it listens come from loading modules, while no client waits.
  const loading = await server.vitals();
  const startMs = await firstPage(server);
  const { longestStallMs } = await server.vitals();
  console.log(row('start', ['first page', 'loading', 'longest stall']));
  console.log(row('', [ms(startMs), ms(loading.longestStallMs), ms(longestStallMs)]));
  note('start until the first page', startMs, 'ms');
  note('longest stall of a start, once it listens', longestStallMs, 'ms');
};

/** Requests an encoding until it comes. Returns it, and how long that took. */
const untilEncoded = async (server: BenchServer, encoding: string): Promise<Answer & { afterMs: number }> => {
  const startedAtMs = performance.now();
  for (;;) {
    const answer = await read(server.baseUrl, '', encoding);
    const afterMs = performance.now() - startedAtMs;
    if (answer.encoding === encoding || afterMs > encodingsMs) return { ...answer, afterMs };
    await sleep(100);
  }
};

const measureMemory = async (server: BenchServer, empty: Vitals): Promise<void> => {
  const whole = await read(server.baseUrl, '');
  if (whole.total !== bots) throw new Error(`${whole.total} bots were read, not ${bots}`);
  const gzip = await untilEncoded(server, 'gzip');
  const br = await untilEncoded(server, 'br');
  const full = await leanest(server);
  const each = (figure: 'rss' | 'heapUsed' | 'external'): number => (full[figure] - empty[figure]) / bots;
  const perBot = { rss: each('rss'), heapUsed: each('heapUsed'), external: each('external') };
  console.log(row('bytes of the whole list', ['plain', 'gzip', 'br', 'gzip after', 'br after']));
  console.log(row('', [...[whole, gzip, br].map(({ bytes }) => count(bytes)), ms(gzip.afterMs), ms(br.afterMs)]));
  console.log(row('memory per bot', ['RSS', 'heap', 'buffers', 'RSS in all']));
  console.log(row('', [...Object.values(perBot).map((value) => `${count(value)} B`), `${count(full.rss / 1e6)} MB`]));
  note('memory a bot (RSS)', perBot.rss, 'B');
  noteParts(perBot, { JSON: whole.bytes / bots, gzip: gzip.bytes / bots, brotli: br.bytes / bots });
};

/**
 * Where a bot's memory is: its encodings, other buffers, what JavaScript keeps, and what else the allocator has.
 */
const noteParts = (
  { rss, heapUsed, external }: { rss: number; heapUsed: number; external: number },
  encodings: Readonly<Record<string, number>>,
): void => {
  const encoded = Object.values(encodings).reduce((sum, bytes) => sum + bytes, 0);
  const parts = {
    ...encodings,
    'columns, bounds and bits': external - encoded,
    'heap: index': heapUsed,
    'allocator and code': rss - heapUsed - external,
  };
  for (const [name, bytes] of Object.entries(parts)) {
    console.log(row(`  ${name}`, [`${count(bytes)} B`]));
    note(`memory a bot, of it ${name}`, bytes, 'B');
  }
};

const measureReadsAfterWrites = async (server: BenchServer, query: string, encoding: string): Promise<void> => {
  const first: number[] = [];
  const again: number[] = [];
  const stalls: number[] = [];
  for (let i = 0; i < writes; i++) {
    await rested(server);
    await server.submit((published += 1));
    first.push((await read(server.baseUrl, query, encoding)).tookMs);
    again.push((await read(server.baseUrl, query, encoding)).tookMs);
    stalls.push((await server.vitals()).longestStallMs);
  }
  const name = `after a write: ${query === '' ? 'whole' : query}, ${encoding}`;
  const firstMs = median(first);
  const againMs = median(again);
  const longestStallMs = Math.max(...stalls);
  console.log(row(name, [ms(firstMs), ms(againMs), ms(longestStallMs)]));
  note(`${name}: first read`, firstMs, 'ms');
  note(`${name}: the next`, againMs, 'ms');
  note(`${name}: longest stall`, longestStallMs, 'ms');
};

/** Measures queries that are new, one after the other. */
const measureQueries = async (server: BenchServer): Promise<void> => {
  console.log(row('new queries', ['median', 'p99', 'longest stall']));
  for (const { name, nth } of queryKinds) {
    await rested(server);
    const tookMs: number[] = [];
    for (let n = 0; n < queriesOfAKind; n++) tookMs.push((await read(server.baseUrl, nth(n))).tookMs);
    const { longestStallMs } = await server.vitals();
    const medianMs = median(tookMs);
    const p99Ms = quantile(tookMs, 0.99);
    console.log(row(`  ${name}`, [ms(medianMs), ms(p99Ms), ms(longestStallMs)]));
    note(`new query, ${name}: median`, medianMs, 'ms');
    note(`new query, ${name}: p99`, p99Ms, 'ms');
  }
};

/**
 * Measures a write a second, while something reads. A second at rest is subtracted from the CPU: most of that is the
 * probe's, which wakes a thousand times a second.
 */
const underWrites = async (
  servers: readonly BenchServer[],
  restMs: number,
  during: (isOver: () => boolean) => Promise<unknown>,
): Promise<{ cpuMsPerWrite: number[]; longestStallMs: number[] }> => {
  for (const server of servers) await rested(server);
  const before = await Promise.all(servers.map((server) => server.vitals()));
  let isOver = false;
  const reading = during(() => isOver);
  for (let i = 0; i < underWritesSec; i++) {
    const second = sleep(1_000);
    await servers[0]?.submit((published += 1));
    await second;
  }
  isOver = true;
  await reading;
  const after = await Promise.all(servers.map((server) => server.vitals()));
  return {
    cpuMsPerWrite: after.map(({ cpuUs }, i) => (cpuUs - (before[i]?.cpuUs ?? 0)) / 1_000 / underWritesSec - restMs),
    longestStallMs: after.map(({ longestStallMs }) => longestStallMs),
  };
};

/** Reads from each server: a page every 100 ms and, if an encoding is given, whole lists with a pause in between. */
const readAlong =
  (servers: readonly BenchServer[], acceptEncoding: string | undefined, answers: Answer[]) =>
  async (isOver: () => boolean): Promise<void> => {
    const loop = async (pauseMs: number, use: () => Promise<unknown>): Promise<void> => {
      while (!isOver()) {
        await use();
        await sleep(pauseMs);
      }
    };
    await Promise.all(
      servers.flatMap(({ baseUrl }) => [
        loop(100, () => read(baseUrl, '?limit=20')),
        ...(acceptEncoding === undefined
          ? []
          : [loop(500, async () => answers.push(await read(baseUrl, '', acceptEncoding)))]),
      ]),
    );
  };

const noteUnderWrites = (
  name: string,
  { cpuMsPerWrite, longestStallMs }: { cpuMsPerWrite: readonly number[]; longestStallMs: readonly number[] },
): void => {
  cpuMsPerWrite.forEach((cpuMs, i) => {
    note(`a write a second, ${name}: CPU of ${i === 0 ? 'the first' : 'the second'} process a write`, cpuMs, 'ms');
  });
  note(`a write a second, ${name}: longest stall`, Math.max(...longestStallMs), 'ms');
};

const measureUnderWrites = async (servers: readonly BenchServer[], restMs: number): Promise<void> => {
  console.log(row('CPU of a second at rest', [ms(restMs)]));
  console.log(row('a write a second', ['CPU, first', 'CPU, second', 'longest stall', 'compressed', 'MB each']));
  for (const encoding of ['gzip', 'gzip, br', 'identity']) {
    const answers: Answer[] = [];
    const { cpuMsPerWrite, longestStallMs } = await underWrites(servers, restMs, readAlong(servers, encoding, answers));
    const compressed = answers.filter((answer) => answer.encoding !== 'identity').length / answers.length;
    const bytesEach = answers.reduce((sum, { bytes }) => sum + bytes, 0) / answers.length;
    console.log(
      row(`  whole, ${encoding}`, [
        ...cpuMsPerWrite.map(ms),
        ms(Math.max(...longestStallMs)),
        `${count(compressed * 100)} %`,
        (bytesEach / 1e6).toFixed(1),
      ]),
    );
    noteUnderWrites(`whole, ${encoding}`, { cpuMsPerWrite, longestStallMs });
    note(`a write a second, whole, ${encoding}: answers compressed`, compressed * 100, '%');
  }
  const { cpuMsPerWrite, longestStallMs } = await underWrites(servers, restMs, readAlong(servers, undefined, []));
  console.log(row('  pages only', [...cpuMsPerWrite.map(ms), ms(Math.max(...longestStallMs))]));
  noteUnderWrites('pages only', { cpuMsPerWrite, longestStallMs });
  for (const { name, nth } of queryKinds) {
    const { longestStallMs } = await underWrites(servers.slice(0, 1), restMs, async (isOver) => {
      for (let n = 0; !isOver(); n++) {
        await read(servers[0]?.baseUrl ?? '', nth(n));
        await sleep(20);
      }
    });
    console.log(row(`  ${name}`, ['', '', ms(Math.max(...longestStallMs))]));
    note(`a write a second, ${name}: longest stall`, Math.max(...longestStallMs), 'ms');
  }
};

const empty = await measureEmpty();
const first = await startServer({
  probed: 'memory',
  settings,
  beforeStart: async (redisUrl) => {
    await publishBots(redisUrl, { first: 0, count: bots });
    await untilRewritten(redisUrl);
    note('Redis memory a bot', (await usedMemory(redisUrl)) / bots, 'B');
  },
});
try {
  console.log(`${count(bots)} bots`);
  note('start of an empty directory', empty.startMs, 'ms');
  await measureStart(first);
  await measureMemory(first, empty.vitals);
  console.log(row('', ['first read', 'the next', 'longest stall']));
  await measureReadsAfterWrites(first, '?limit=20', 'identity');
  await measureReadsAfterWrites(first, '', 'identity');
  await measureReadsAfterWrites(first, '', 'gzip');
  await measureQueries(first);
  const second = await startServer({ probed: 'memory', settings, sharing: first });
  try {
    await firstPage(second);
    await measureUnderWrites([first, second], empty.restMs);
  } finally {
    await second.stop();
  }
} finally {
  await first.stop();
}
const file = `list-by-size-${bots}${options.label === ours ? '' : `-${options.label}`}`;
console.log(writeResult(file, figures, options.commit));
