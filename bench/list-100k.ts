/**
 * The list of 100,000 bots: what a bot costs in the server's memory, how long the first read takes after a start and
 * after a write, and for how long the event loop stands still. Absolute figures: they say nothing beside another machine's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { publishBots } from './support/bots.ts';
import { startServer } from './support/server.ts';
import { median } from './support/statistics.ts';
import { count, row } from './support/table.ts';

const bots = process.argv.includes('--quick') ? 10_000 : 100_000;
const writes = 7;

const fill = async (redisUrl: string): Promise<void> => {
  await publishBots(redisUrl, { first: 0, count: bots });
};
const server = await startServer({ beforeStart: fill, probed: 'memory' });

const read = async (query: string): Promise<{ tookMs: number; bytes: number; total: number }> => {
  const startedAtMs = performance.now();
  const answer = await fetch(`${server.baseUrl}/api/bots${query}`, { headers: { 'Accept-Encoding': 'identity' } });
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (!answer.ok) throw new Error(`GET /api/bots${query}: ${answer.status}`);
  return { tookMs: performance.now() - startedAtMs, bytes, total: Number(answer.headers.get('x-total-count')) };
};

/** Forgets what came before; compression of the whole list is over by then. */
const settle = async () => {
  await sleep(5_000);
  const vitals = await server.vitals();
  await sleep(100);
  return vitals;
};

const ms = (value: number): string => `${value.toFixed(1)} ms`;

const printMemory = async (empty: { rss: number; heapUsed: number; external: number }): Promise<void> => {
  const full = await settle();
  const each = (figure: 'rss' | 'heapUsed' | 'external'): string => `${count((full[figure] - empty[figure]) / bots)} B`;
  console.log(row('memory per bot', ['RSS', 'heap', 'buffers']));
  console.log(row('', [each('rss'), each('heapUsed'), each('external')]));
};

const printReadsAfterWrites = async (query: string): Promise<void> => {
  const [tookMs, again, stallMs]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < writes; i++) {
    await server.submit((published += 1));
    tookMs.push((await read(query)).tookMs);
    again.push((await read(query)).tookMs);
    stallMs.push((await settle()).longestStallMs);
  }
  console.log(
    row(`after a write, ${query === '' ? 'whole' : query}`, [
      ms(median(tookMs)),
      ms(median(again)),
      ms(Math.max(...stallMs)),
    ]),
  );
};

let published = bots;
try {
  const empty = await settle();
  const first = await read('?limit=20');
  if (first.total !== bots) throw new Error(`${first.total} bots were read, not ${bots}`);
  const { longestStallMs } = await server.vitals();
  const { bytes } = await read('');
  console.log(`${count(bots)} bots; the whole list is ${count(bytes / 1e6)} MB.`);
  await printMemory(empty);
  console.log(row('', ['first read', 'the next', 'longest stall']));
  console.log(
    row('after start, ?limit=20', [ms(first.tookMs), ms((await read('?limit=20')).tookMs), ms(longestStallMs)]),
  );
  await printReadsAfterWrites('?limit=20');
  await printReadsAfterWrites('');
} finally {
  await server.stop();
}
