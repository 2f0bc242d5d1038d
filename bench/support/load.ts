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
  /** Asks until the time is over, and waits for what is under way then. */
  round: async ({ connections, forMs, ...target }: Round): Promise<Sample> => {
    const open = await Promise.all(Array.from({ length: connections }, () => openConnection(target)));
    // What a connection costs once is not measured, nor is the 200 that a 304 needs before it.
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
