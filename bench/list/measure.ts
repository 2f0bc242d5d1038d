/**
 * Reads, compared with bare `node:http` that writes the same bytes with the same headers, and with one that checks
 * Redis first, as a server that is never stale must. All take turns in many short rounds; each round is compared with
 * the bare one of its turn, and the median of those ratios is printed.
 */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { publishBots } from '../support/bots.ts';
import { startChild } from '../support/child.ts';
import type { LoadCalls, Sample } from '../support/load.ts';
import { ours, writeResult, type Figure } from '../support/results.ts';
import { startServer, type BenchServer } from '../support/server.ts';
import { median } from '../support/statistics.ts';
import { count, ratio, row } from '../support/table.ts';
import { answerTo, requestOf, type Case } from './cases.ts';
import { startContenders, type Contender, type Contenders } from './contenders.ts';

const bots = 1_000;
/**
 * At a change of case V8 drops compiled code, and up to 200,000 answers pass before it has it again: `warmUpMs` is for
 * that, and for caches.
 */
const atRest = { rounds: 7, forMs: 500, warmUpMs: 5_000 };
/** One bot is published in each turn, so once a second. */
const underWrites = { rounds: 6, forMs: 1_000, publishAfterMs: 300 };

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    connections: { type: 'string', default: '32' },
    /** The `main.js` of another build, which takes its turns, too. */
    build: { type: 'string' },
  },
});
const connections = Number(options.connections);

let published = bots;

type Turn = { readonly asked: Case; readonly forMs: number; readonly during?: () => Promise<void> };
type Bench = {
  readonly server: BenchServer;
  readonly contenders: Contenders;
  readonly other: readonly Contender[];
  readonly turn: (contender: Contender, turn: Turn) => Promise<Sample>;
};
type Samples = ReadonlyMap<Contender, readonly Sample[]>;

const startBench = async () => {
  const server = await startServer();
  await publishBots(server.redisUrl, { first: 0, count: bots });
  const contenders = await startContenders(server);
  const other =
    options.build === undefined ? undefined : await startServer({ sharing: server, build: resolve(options.build) });
  const load = startChild<LoadCalls>(new URL('../support/load.ts', import.meta.url));
  const turn: Bench['turn'] = async ({ port }, { asked, forMs, during }) => {
    const round = load.call('round', {
      port,
      request: requestOf(asked.question),
      statuses: asked.statuses,
      connections,
      forMs,
    });
    const [sample] = await Promise.all([round, during?.()]);
    return sample;
  };
  // Within its first second a response has no Last-Modified yet.
  await sleep(2_000);
  return {
    server,
    contenders,
    turn,
    other: other === undefined ? [] : [{ name: otherBuild, port: other.port }],
    stop: async (): Promise<void> => {
      await load.stop();
      await contenders.stop();
      await other?.stop();
      await server.stop();
    },
  };
};

/** Takes turns, each time in another order. `beforeEach` is not measured. */
const takeTurns = async (
  turn: Bench['turn'],
  taking: readonly Contender[],
  options: Turn & { rounds: number; warmUpMs?: number; beforeEach?: () => Promise<void> },
): Promise<Samples> => {
  const samples = new Map(taking.map((contender): [Contender, Sample[]] => [contender, []]));
  for (let round = -1; round < options.rounds; round++) {
    await options.beforeEach?.();
    for (let i = 0; i < taking.length; i++) {
      const contender = taking[(i + round + 1) % taking.length];
      if (contender === undefined || round >= (contender.rounds ?? options.rounds)) continue;
      const { warmUpMs = options.forMs } = options;
      const sample = await turn(contender, { ...options, forMs: round < 0 ? warmUpMs : options.forMs });
      if (round >= 0) samples.get(contender)?.push(sample);
    }
  }
  return samples;
};

const measureAtRest = async ({ server, contenders, other, turn }: Bench, asked: Case): Promise<void> => {
  const { bare, checked, directory, again } = contenders;
  const answer = await answerTo(server.port, asked);
  const limits = asked.isFixed === true ? [bare] : [bare, checked];
  const taking = [...limits, directory, ...other, again, ...peersFor(asked, contenders)];
  for (const { prepare } of taking) await prepare?.(answer);
  print(asked.name, await takeTurns(turn, taking, { asked, ...atRest }), limits);
};

/** The peers that serve it. ts-rest compresses nothing, and what renders each time has no tags. */
const peersFor = ({ question: { path }, encoding }: Case, contenders: Contenders): readonly Contender[] => {
  const { peers, built, tsRest, rendered } = contenders;
  if (path === '/') return [...peers, ...built, ...(encoding === undefined ? [] : [rendered])];
  if (path.startsWith('/api/')) return [...peers, ...built, ...(encoding === undefined ? [tsRest] : [])];
  return [];
};

const measureUnderWrites = async ({ server, contenders, other, turn }: Bench, asked: Case): Promise<void> => {
  const { bare, directory } = contenders;
  const { rounds, forMs, publishAfterMs } = underWrites;
  const during = async (): Promise<void> => {
    await sleep(publishAfterMs);
    await server.submit((published += 1));
  };
  const beforeEach = async (): Promise<void> => {
    await bare.prepare?.(await answerTo(server.port, asked));
  };
  print(
    `${asked.name}, under writes`,
    await takeTurns(turn, [bare, directory, ...other], { asked, rounds, forMs, during, beforeEach }),
    [bare],
  );
};

const figures: Figure[] = [];
const otherBuild = 'other build';
const ourBuilds = new Set([ours, otherBuild]);

/** The ratios of each turn to the limit's in the same turn; of those, the median. */
const ratiosOf = (own: readonly Sample[], limit: readonly Sample[]) => {
  const over = (figure: (sample: Sample) => number): number =>
    median(own.map((sample, i) => figure(sample) / figure(limit[i] ?? sample)));
  return {
    'requests/s': over(({ perSec }) => perSec),
    p50: over(({ p50Ms }) => p50Ms),
    p99: over(({ p99Ms }) => p99Ms),
  };
};

/** Each compared with the first limit, and our own builds also with the second. */
const print = (title: string, samples: Samples, limits: readonly Contender[]): void => {
  const [bare, checked] = limits;
  const printRow = ({ name: who }: Contender, own: readonly Sample[], limit: Contender): void => {
    const isFirst = limit === bare;
    const ratios = ratiosOf(own, samples.get(limit) ?? []);
    console.log(row(isFirst ? `  ${who}` : `  ${who} / ${limit.name}`, Object.values(ratios).map(ratio)));
    const unit = `× ${limit.name}`;
    const suffix = isFirst ? '' : ', of the limit with its check';
    for (const [name, value] of Object.entries(ratios))
      figures.push({ name: `${title}: ${name}${suffix}`, who, value: Math.round(value * 1_000) / 1_000, unit });
  };
  console.log(row(title, ['requests/s', 'p50', 'p99']));
  for (const [contender, own] of samples) {
    if (contender === bare || bare === undefined) continue;
    printRow(contender, own, bare);
    if (checked !== undefined && ourBuilds.has(contender.name)) printRow(contender, own, checked);
  }
  const limit = (bare && samples.get(bare)) ?? [];
  const own = [...samples].find(([{ name }]) => name === ours)?.[1] ?? [];
  const ownPerSec = median(own.map((s) => s.perSec));
  figures.push({ name: `${title}: a second`, who: ours, value: Math.round(ownPerSec), unit: 'requests' });
  const busy = median(limit.map((sample) => sample.busy));
  const perSec = median(limit.map((s) => s.perSec));
  const p50Ms = median(limit.map((s) => s.p50Ms));
  const p99Ms = median(limit.map((s) => s.p99Ms));
  console.log(
    `  (bare here: ${count(perSec)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; the load was busy ${count(busy * 100)} %)`,
  );
};

/**
 * Measures the cases, or with `--only` those whose names begin so, and writes the result under this name unless only
 * some were measured. `more` measures what is not a read.
 */
export const measureReads = async (
  name: string,
  cases: readonly Case[],
  more: (server: BenchServer) => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  console.log(
    `${count(bots)} bots, ${connections} connections. Ratios to bare node:http writing the same bytes; latencies: less is better.\n` +
      'Ratios to “bare, checked”: it checks Redis first, as a server that is never stale must, one question for all who wait.',
  );
  const bench = await startBench();
  try {
    const chosen = cases.filter((one) => one.name.startsWith(options.only));
    for (const asked of chosen) await measureAtRest(bench, asked);
    for (const asked of chosen) await measureUnderWrites(bench, asked);
    if (options.only !== '') return;
    await more(bench.server);
    if (options.build === undefined) console.log(writeResult(name, figures));
  } finally {
    await bench.stop();
  }
};
