import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nowMs, obsoleteDateCases, retryAfterCases } from '../../../contract/test/retry-after-cases.ts';
import { limits } from '@bot-directory/contract';
import {
  decide,
  fresh,
  laterThan,
  longestWaitsMs,
  parseRetryAfter,
  prefersCandidate,
  withoutLater,
  type AttemptOutcome,
  type Decision,
  type Progress,
} from './delivery.ts';

const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000];
/** Numbers of events have gaps. */
const log = [50, ...Array.from({ length: 40 }, (_, i) => 1_800_000_000_000_007 + 43 * i)];
const [first = 0, second = 0] = log;
/** Stands for a ping among the events that are sent. */
const ping = -1;
const start = fresh(41);
const delivered: AttemptOutcome = { kind: 'delivered' };
const failed = (failure: 'status' | 'timeout' | 'connect' = 'status', more: object = {}): AttemptOutcome => ({
  kind: 'failed',
  failure,
  isOurs: false,
  ...more,
});
const at = (more: Partial<Parameters<typeof decide>[2]> = {}) => ({
  retryDelaysMs,
  sent: first,
  isLater: false,
  follows: true,
  random: 0.5,
  ...more,
});

/** The same numbers, 0 … 1, in every run (mulberry32). */
const chance = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

type Attempt = {
  readonly event: number;
  readonly outcome: AttemptOutcome;
  readonly atMs: number;
  readonly decision: Decision;
};
type Options = {
  readonly events?: readonly number[];
  /** Another event is published this often; by default, all are there from the start. */
  readonly publishEveryMs?: number;
  /** What the coin of a probe uses. */
  readonly random?: () => number;
  /** What the jitter uses. */
  readonly jitter?: () => number;
  readonly most?: number;
};

/** Runs attempts until the webhook is done with the first event. `outcomeOf` gets the time since the start. */
const run = (
  outcomeOf: (event: number, attempt: number, atMs: number) => AttemptOutcome,
  { events = log, publishEveryMs = 0, random = chance(1), jitter = () => 0.5, most = 200 }: Options = {},
) => {
  const attempts: Attempt[] = [];
  let progress = start;
  let nowMs = 0;
  const follow = (decision: Decision): void => {
    progress = decision.progress;
    if (decision.kind === 'wait') nowMs += decision.delayMs;
  };
  while (attempts.length < most) {
    const published = publishEveryMs === 0 ? events : events.slice(0, 2 + Math.floor(nowMs / publishEveryMs));
    const next = (after: number): number | undefined => published.find((number) => number > after);
    const later = laterThan(progress);
    const { probe } = progress;
    const found = next(later ?? progress.cursor);
    if (found === undefined) {
      if (probe === undefined) throw new Error('There is no event.');
      follow(withoutLater(progress, probe, { retryDelaysMs, random: jitter() }));
      continue;
    }
    const isLater = later !== undefined && !prefersCandidate(progress, random());
    const sent = isLater ? found : (next(progress.cursor) ?? found);
    const event = probe?.next === 'ping' && probe.candidate === sent ? ping : sent;
    const outcome = outcomeOf(event, attempts.length + 1, nowMs);
    const decision = decide(progress, outcome, at({ sent, isLater, random: jitter() }));
    attempts.push({ event, outcome, atMs: nowMs, decision });
    follow(decision);
    if (decision.kind === 'stop' || decision.kind === 'advance' || decision.kind === 'skip') break;
  }
  const sent = attempts.map(({ event }) => event);
  return { attempts, sent, atMs: attempts.map(({ atMs }) => atMs), last: attempts.at(-1)?.decision, waitedMs: nowMs };
};

/** When a webhook is called whose every attempt fails, as API.md documents it. */
const documentedMs = retryDelaysMs.reduce<number[]>((all, delay) => [...all, (all.at(-1) ?? 0) + delay], [0]);

describe('attempts', () => {
  it.each([1, 2, 40])('that all fail come at the documented times, with %i events waiting', (waiting) => {
    const { atMs, last } = run(() => failed(), { events: log.slice(0, waiting) });
    expect(atMs).toEqual(documentedMs);
    expect(last).toMatchObject({ kind: 'stop', progress: { cursor: 41, failures: limits.failuresInARow } });
  });

  it.each([1, 2, 40])('come at the documented times, whatever the responses, with %i events waiting', (waiting) => {
    const outcomeOf = fc.constantFrom(failed(), failed('timeout'), failed('connect'), delivered);
    const likely = fc.oneof({ weight: 3, arbitrary: fc.constant(failed()) }, outcomeOf);
    fc.assert(
      fc.property(fc.array(likely, { minLength: 50, maxLength: 50 }), fc.nat(), (outcomes, seed) => {
        const { attempts, last } = run((_event, attempt) => outcomes[attempt % 50] ?? delivered, {
          events: log.slice(0, waiting),
          random: chance(seed),
        });
        let row = 0;
        let isProbing = false;
        let lastEvent = log[0] ?? 0;
        for (const [i, { event, outcome, atMs }] of attempts.entries()) {
          const isLater = event !== first;
          const wasProbing = isProbing;
          if (isLater) isProbing = outcome.kind === 'delivered';
          // While later events are accepted, the row counts to six at most: the endpoint is not stopped.
          row = outcome.kind === 'delivered' ? 0 : Math.min(row + 1, wasProbing ? 6 : Infinity);
          lastEvent = Math.max(lastEvent, event);
          const gapMs = attempts[i + 1] === undefined ? undefined : (attempts[i + 1]?.atMs ?? 0) - atMs;
          if (gapMs === undefined) continue;
          const hasLater = lastEvent < (log[waiting - 1] ?? 0);
          // A probe continues at once, or an hour later if there is nothing left to compare with.
          if (isProbing) expect(gapMs).toBeOneOf(hasLater || row === 0 ? [0] : [0, 3_600_000]);
          else expect(gapMs).toBe(retryDelaysMs[row - 1]);
        }
        if (last?.kind === 'stop') expect(row).toBeGreaterThanOrEqual(limits.failuresInARow);
        else expect(isProbing || row < limits.failuresInARow).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reach an endpoint at the next documented time, whenever it is back', () => {
    for (let backMs = 0; backMs <= (documentedMs.at(-1) ?? 0); backMs += 600_000) {
      const { attempts, last } = run((_event, _attempt, atMs) => (atMs < backMs ? failed() : delivered));
      expect(attempts.find(({ outcome }) => outcome === delivered)?.atMs).toBe(
        documentedMs.find((atMs) => atMs >= backMs),
      );
      expect(last).toMatchObject({ kind: 'advance' });
    }
  });
});

describe('ten failures in a row', () => {
  it('are over with any success', () => {
    for (let failures = 0; failures < 10; failures += 1) {
      expect(decide({ ...start, failures }, delivered, at())).toEqual({ kind: 'advance', progress: fresh(first) });
    }
  });

  it('are over with a later event that is accepted', () => {
    const [, , third = 0] = log;
    const isAccepted = (event: number, attempt: number): boolean => event === second && attempt === 7;
    const { attempts } = run((event, attempt) => (isAccepted(event, attempt) ? delivered : failed()));
    const voided = attempts.findIndex(({ event }) => event === third);
    const after = attempts[voided]?.decision;
    expect(after).toMatchObject({ kind: 'wait', progress: { failures: expect.any(Number) as number } });
    expect(after?.progress.failures).toBe(voided - 6);
    expect(attempts).toHaveLength(voided + 1 + limits.failuresInARow - (voided - 6));
  });
});

describe('our own faults', () => {
  it('do not count, however many, and are waited for twice as long each time, up to two minutes', () => {
    let progress: Progress = { ...start, failures: 9 };
    const delays: number[] = [];
    for (let i = 0; i < 50; i += 1) {
      const decision = decide(progress, failed('connect', { isOurs: true }), at());
      expect(decision).toMatchObject({ kind: 'wait', progress: { failures: 9 } });
      if (decision.kind === 'wait') delays.push(decision.delayMs);
      ({ progress } = decision);
    }
    expect(delays.slice(0, 7)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
    expect(decide(progress, failed('timeout'), at())).toMatchObject({ kind: 'stop' });
  });

  it('count after a thousand in a row, so that a dead endpoint is stopped in the end', () => {
    const { sent, last, waitedMs } = run(() => failed('connect', { isOurs: true }), { most: 2_000 });
    expect(sent).toHaveLength(1_000 + limits.failuresInARow);
    expect(last).toMatchObject({ kind: 'stop', progress: { failures: limits.failuresInARow } });
    expect(waitedMs / 3_600_000).toBeGreaterThan(48);
    expect(waitedMs / 3_600_000).toBeLessThan(50);
  });
});

describe('an event that is refused', () => {
  it.each([
    ['a status', failed()],
    ['a time-out', failed('timeout')],
    ['a connection that is reset', failed('connect')],
    ['a status and Retry-After', failed('status', { retryAfterMs: 1_000 })],
  ])('is skipped when twenty sends in random order agree, with %s', (_how, outcome) => {
    for (let seed = 0; seed < 50; seed += 1) {
      const { sent, last } = run((event) => (event === first ? outcome : delivered), { random: chance(seed) });
      // Six failures, a later event that is accepted, the event once more, and nineteen that a coin chose, or a few
      // more until it is the event's turn.
      expect(sent.slice(0, 8)).toEqual([...Array<number>(6).fill(first), second, first]);
      expect(sent.length).toBeGreaterThanOrEqual(8 + 19);
      const later = sent.filter((event) => event !== first);
      expect(later).toEqual(log.slice(1, 1 + later.length));
      const { failure } = outcome as AttemptOutcome & { kind: 'failed' };
      expect(last).toEqual({ kind: 'skip', failure, progress: fresh(later.at(-1) ?? 0) });
    }
  });

  it('takes about seventeen attempts and eleven later events', () => {
    const runs = Array.from({ length: 2_000 }, (_, seed) =>
      run((event) => (event === first ? failed() : delivered), { random: chance(seed) }),
    );
    const mean = (count: (sent: readonly number[]) => number): number =>
      runs.reduce((sum, { sent }) => sum + count(sent), 0) / runs.length;
    expect(mean((sent) => sent.filter((event) => event === first).length)).toBeCloseTo(17, 0);
    expect(mean((sent) => new Set(sent).size - 1)).toBeCloseTo(11, 0);
  });

  it('is not skipped when it is accepted after all, and what came before it is not sent again', () => {
    const { sent, last } = run((_event, attempt) => (attempt <= 6 ? failed() : delivered));
    expect(sent.slice(-3)).toEqual([first, second, first]);
    expect(last).toEqual({ kind: 'advance', progress: fresh(second) });
  });

  it('is tried alone every hour while later events are too few, and skipped after 16 if a ping is accepted', () => {
    const { attempts, sent, last } = run((event) => (event === first ? failed() : delivered), {
      events: log.slice(0, 2),
    });
    expect(sent).toEqual([...Array<number>(6).fill(first), second, ...Array<number>(17).fill(first), ping]);
    const hours = attempts.slice(8, -1).map(({ atMs }, i) => atMs - (attempts[i + 7]?.atMs ?? 0));
    expect(hours).toEqual(Array(16).fill(3_600_000));
    expect(last).toEqual({ kind: 'skip', failure: 'status', progress: fresh(second) });
  });

  it('is not skipped for an endpoint that refuses the ping too, which is stopped', () => {
    const { sent, last } = run((event) => (event === second ? delivered : failed()), { events: log.slice(0, 2) });
    expect(sent.filter((event) => event === ping)).toHaveLength(1);
    expect(last).toMatchObject({ kind: 'stop', progress: { cursor: start.cursor } });
  });

  it('is skipped in the end when another is published now and then', () => {
    const { last } = run((event) => (event === first ? failed() : delivered), {
      publishEveryMs: 7 * 3_600_000,
      most: 2_000,
    });
    expect(last).toMatchObject({ kind: 'skip' });
  });

  it('is skipped while another is refused too, if later events are accepted', () => {
    const [, , third = 0] = log;
    const { sent, last } = run((event) => (event <= second ? failed() : delivered));
    expect(sent.slice(6, 10)).toEqual([second, first, third, first]);
    expect(last).toEqual({ kind: 'skip', failure: 'status', progress: fresh(first) });
  });

  it('waits as Retry-After says, and not less than the schedule', () => {
    const busy = failed('status', { retryAfterMs: 7_000_000 });
    expect(decide({ ...start, failures: 5 }, busy, at())).toMatchObject({ kind: 'wait', delayMs: 7_000_000 });
  });

  it('is never skipped unless nineteen sends agreed that a coin chose, or a ping was accepted', () => {
    const outcomeOf = fc.constantFrom(failed(), failed('timeout', { retryAfterMs: 1_000 }), delivered);
    const outcomesOf = fc.array(outcomeOf, { minLength: 40, maxLength: 40 });
    const biased = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(outcomesOf, biased, fc.nat(), (outcomes, follows, seed) => {
        // Most outcomes follow the event, or no probe would get far.
        const { attempts, last } = run(
          (event, attempt) => {
            const own = outcomes[attempt % 40] ?? delivered;
            return follows[attempt % 40] === true ? own : event === first ? failed() : delivered;
          },
          { random: chance(seed) },
        );
        if (last?.kind !== 'skip' || attempts.at(-1)?.event === ping) return;
        const voided = attempts.findLastIndex(({ event, outcome }) => event !== first && outcome.kind === 'failed');
        const chosen = attempts.filter(
          (_one, i) => i > voided && attempts[i - 1]?.decision.progress.probe?.next === 'either',
        );
        expect(chosen.length).toBeGreaterThanOrEqual(19);
        for (const { event, outcome } of chosen) expect(outcome.kind === 'failed').toBe(event === first);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an endpoint that is at fault', () => {
  /** Whether it refuses a request: by what came before, when it comes, and chance; never by the event. */
  type Fault = (request: number, atMs: number, random: () => number) => boolean;
  const hourMs = 3_600_000;

  /** How many good events are skipped, each of which was refused six times before, so that all lead to a probe. */
  const lost = (fault: Fault, { events = 20_000, publishEveryMs = 0, refusal = failed() } = {}): number => {
    const random = chance(7);
    let requests = 0;
    let skips = 0;
    let beforeMs = 0;
    for (let event = 0; event < events; event += 1) {
      const { last, waitedMs } = run(
        (_event, attempt, atMs) => {
          // Others use the endpoint while this webhook waits.
          requests += attempt < 6 ? Math.ceil(random() * 6) : 1;
          const isRefused = fault(requests, beforeMs + atMs, random);
          return isRefused || attempt <= 6 ? refusal : delivered;
        },
        { random, publishEveryMs },
      );
      beforeMs += waitedMs + random() * hourMs;
      if (last?.kind === 'skip') skips += 1;
    }
    return skips;
  };

  /** A balancer with a connection to a pod, which is kept until the pod refuses something; one of three refuses all. */
  const byPod = (): Fault => {
    let pod = 0;
    let lastMs = 0;
    return (_request, atMs) => {
      if (atMs - lastMs > 55_000) pod += 1;
      lastMs = atMs;
      const isRefused = pod % 3 !== 0;
      if (isRefused) pod += 1;
      return isRefused;
    };
  };

  /** A queue that many fill, and that is emptied at intervals. */
  const byQueue = (): Fault => {
    let queued = 0;
    let emptiedMs = 0;
    return (_request, atMs, random) => {
      if (atMs - emptiedMs > random() * hourMs) [queued, emptiedMs] = [0, atMs];
      queued += Math.ceil(random() * 8);
      return queued > 12;
    };
  };

  const faults: [string, () => Fault][] = [
    ...[0.1, 0.5, 0.9].map((p): [string, () => Fault] => [
      `at random, with p = ${p},`,
      () => (_request, _atMs, random) => random() < p,
    ]),
    ...[
      [1, 2],
      [2, 3],
      [9, 10],
    ].map(([bad = 0, all = 1]): [string, () => Fault] => [
      `in ${bad} of ${all} requests in turn`,
      () => (request) => request % all < bad,
    ]),
    ['for a while, again and again,', () => (request) => Math.floor(request / 12) % 2 === 0],
    ['for hours, again and again,', () => (_request, atMs) => Math.floor(atMs / (2 * hourMs)) % 2 === 0],
    ['by pod', byPod],
    ['by queue', byQueue],
  ];

  it.each(faults)('%s loses no event', (_how, makeFault) => {
    expect(lost(makeFault())).toBe(0);
    expect(lost(makeFault(), { events: 1_000, refusal: failed('status', { retryAfterMs: 20_000 }) })).toBe(0);
    expect(lost(makeFault(), { events: 1_000, publishEveryMs: hourMs })).toBe(0);
  });
});

describe('waits', () => {
  it.each(retryDelaysMs.map((delay, i) => [i, delay]))(
    'after %i failures and one more: %i ms, with a tenth of jitter',
    (failures, delay) => {
      for (const [random, factor] of [
        [0, 0.9],
        [0.5, 1],
        [1, 1.1],
      ] as const) {
        const decision = decide({ ...start, failures }, failed('timeout'), at({ random }));
        expect(decision).toMatchObject({ kind: 'wait', delayMs: Math.round(delay * factor), failure: 'timeout' });
      }
    },
  );

  it('honours Retry-After up to the next delay', () => {
    const wait = (retryAfterMs: number) => decide(start, failed('status', { retryAfterMs }), at());
    expect(wait(1_000)).toMatchObject({ delayMs: 5_000 });
    expect(wait(20_000)).toMatchObject({ delayMs: 20_000 });
    expect(wait(86_400_000)).toMatchObject({ delayMs: 30_000 });
  });

  it('are never longer than the longest for their number of failures', () => {
    const longest = longestWaitsMs(retryDelaysMs);
    const ours = { ...failed('connect'), isOurs: true };
    const outcomeOf = fc.constantFrom(failed(), ours, failed('status', { retryAfterMs: 1e9 }), delivered);
    const random = fc.nat().map(chance);
    const ownFaults = Array.from({ length: 60 }, () => ours);
    fc.assert(
      fc.property(fc.array(outcomeOf, { minLength: 60, maxLength: 60 }), random, (outcomes, random) => {
        const { attempts } = run((_event, attempt) => outcomes[attempt % 60] ?? delivered, { random, jitter: random });
        for (const { decision } of attempts)
          if (decision.kind === 'wait')
            expect(decision.delayMs).toBeLessThanOrEqual(longest[decision.progress.failures] ?? 0);
      }),
      { examples: [[ownFaults, () => 1]] },
    );
  });
});

describe('Retry-After', () => {
  it.each([...retryAfterCases, ...obsoleteDateCases])('%j is %j ms', (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});
