/** Deliveries per second: ours, the bare loop (the limit) and BullMQ (the peer) take turns over the same receivers. */
import type { WebhookTarget } from '../../packages/server/src/domain/webhook-url.ts';
import { nowMs } from '../support/statistics.ts';
import type { Fixture } from './fixture.ts';

/** Who sends. */
export type Name = 'ours' | 'bare' | 'bullmq';

/**
 * For each round: deliveries per second, and microseconds of CPU that the sender's and the receivers' process used for
 * one.
 */
export type Samples = Record<Name, { perSec: number[]; cpuUs: number[]; receiverCpuUs: number[] }>;

/**
 * What is sent in a round: `events` to each of the targets; with `warm`, one more before, so that connections are open.
 */
export type Scenario = {
  readonly targets: (turn: number) => readonly WebhookTarget[];
  readonly events: number;
  readonly rounds: number;
  readonly warm: boolean;
  /** How many posts the bare loop has under way: what it is quickest with. */
  readonly bareAtOnce: number;
};

type Contender = {
  readonly send: (targets: readonly WebhookTarget[], events: number) => Promise<unknown>;
  readonly before?: (targets: readonly WebhookTarget[]) => Promise<unknown>;
  readonly settled?: () => Promise<unknown>;
  readonly after?: (targets: readonly WebhookTarget[]) => Promise<unknown>;
  readonly cpuMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** The concurrency that BullMQ is quickest with here; 50 to 500 differ little. */
const jobsAtOnce = 200;

/** Runs a scenario. */
export const measureThroughput = async (fixture: Fixture, scenario: Scenario): Promise<Samples> => {
  const contenders = await startContenders(fixture, scenario);
  const names = Object.keys(contenders) as Name[];
  const samples: Samples = {
    ours: { perSec: [], cpuUs: [], receiverCpuUs: [] },
    bare: { perSec: [], cpuUs: [], receiverCpuUs: [] },
    bullmq: { perSec: [], cpuUs: [], receiverCpuUs: [] },
  };
  let turn = 0;
  // One round before the first, for compilers and caches.
  for (let round = -1; round < scenario.rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round + 1) % names.length] ?? 'ours';
      const one = await takeTurn(fixture, contenders[name], { ...scenario, targets: scenario.targets(turn++) });
      if (round < 0) continue;
      samples[name].perSec.push(one.perSec);
      samples[name].cpuUs.push(one.cpuUs);
      samples[name].receiverCpuUs.push(one.receiverCpuUs);
    }
  }
  await Promise.all(Object.values(contenders).map(({ stop }) => stop()));
  return samples;
};

const takeTurn = async (
  fixture: Fixture,
  contender: Contender,
  { targets, events, warm }: { targets: readonly WebhookTarget[]; events: number; warm: boolean },
) => {
  const pass = async (times: number): Promise<number> => {
    const last = fixture.receivers.call('expect', targets.length * times);
    const startedAtMs = nowMs();
    await contender.send(targets, times);
    const tookMs = (await last) - startedAtMs;
    await contender.settled?.();
    return tookMs;
  };
  await contender.before?.(targets);
  if (warm) await pass(1);
  const cpusMs = () => Promise.all([contender.cpuMs(), fixture.receivers.call('cpuMs', undefined)]);
  const [senderMs, receiverMs] = await cpusMs();
  const tookMs = await pass(events);
  const [senderAfterMs, receiverAfterMs] = await cpusMs();
  await contender.after?.(targets);
  const count = targets.length * events;
  const perDelivery = (ms: number): number => (ms / count) * 1e3;
  return {
    perSec: (count / tookMs) * 1e3,
    cpuUs: perDelivery(senderAfterMs - senderMs),
    receiverCpuUs: perDelivery(receiverAfterMs - receiverMs),
  };
};

const startContenders = async (fixture: Fixture, { bareAtOnce }: Scenario): Promise<Record<Name, Contender>> => {
  const { directory } = fixture;
  await directory.publish();
  const post = await directory.lastEvent();
  const [worker, bare, jobs] = await Promise.all([
    fixture.startWorker('https'),
    fixture.startBare(post),
    fixture.startJobs(jobsAtOnce, post),
  ]);
  const times = async (count: number, one: (i: number) => Promise<unknown>): Promise<void> => {
    for (let i = 0; i < count; i++) await one(i);
  };
  return {
    ours: {
      before: directory.register,
      send: (_targets, events) => times(events, directory.publish),
      settled: directory.settled,
      after: directory.unregister,
      cpuMs: () => worker.call('cpuMs', undefined),
      stop: () => worker.stop(),
    },
    bare: {
      send: (targets, events) => bare.call('round', { urls: urlsOf(targets), times: events, atOnce: bareAtOnce }),
      cpuMs: () => bare.call('cpuMs', undefined),
      stop: () => bare.stop(),
    },
    bullmq: {
      send: (targets, events) => times(events, (event) => fixture.addJobs(urlsOf(targets), event)),
      settled: fixture.jobsDone,
      cpuMs: () => jobs.call('cpuMs', undefined),
      stop: () => jobs.stop(),
    },
  };
};

const urlsOf = (targets: readonly WebhookTarget[]): string[] => targets.map(({ url }) => url);
