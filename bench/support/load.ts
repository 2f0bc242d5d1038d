/** The load, in a process of its own: many connections, one request at a time on each. */
import { answerCalls } from './child.ts';
import { openConnection, type Target } from './connection.ts';
import { quantile } from './statistics.ts';

export type LoadCalls = typeof calls;

/** What is sent, on how many connections, and for how long. */
export type Round = Target & { readonly connections: number; readonly forMs: number };

/** What came of it. `busy`: the share of one core that the load itself took. */
export type Sample = {
  readonly answers: number;
  readonly perSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly busy: number;
};

const calls = {
  /** Sends requests until the time is over, and waits for those under way. */
  round: async ({ connections, forMs, ...target }: Round): Promise<Sample> => {
    const open = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
    // Neither the cost of opening a connection is measured, nor the 200 that must come before a 304.
    await Promise.all(open.map(({ ask }) => ask(() => false)));
    const latenciesMs: number[] = [];
    const cpuBefore = process.cpuUsage();
    const startedAtMs = performance.now();
    await Promise.all(
      open.map(({ ask }) =>
        ask((tookMs) => {
          latenciesMs.push(tookMs);
          return performance.now() - startedAtMs < forMs;
        }),
      ),
    );
    const tookMs = performance.now() - startedAtMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    for (const { close } of open) close();
    return {
      answers: latenciesMs.length,
      perSec: (latenciesMs.length / tookMs) * 1e3,
      p50Ms: quantile(latenciesMs, 0.5),
      p99Ms: quantile(latenciesMs, 0.99),
      busy: (user + system) / 1e3 / tookMs,
    };
  },
};

answerCalls(calls);
