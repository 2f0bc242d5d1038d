import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nowMs, retryAfterCases } from '../../../contract/test/retry-after-cases.ts';
import { limits } from '@bot-directory/contract';
import {
  decide,
  eventAfter,
  fresh,
  longestWaitsMs,
  parseRetryAfter,
  refusesContent,
  withoutLater,
  type AttemptOutcome,
  type Decision,
  type Progress,
} from './delivery.ts';

const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000];
/** Numbers of events have gaps. */
const log = [50, ...Array.from({ length: 40 }, (_, i) => 1_800_000_000_000_007 + 43 * i)];
const [first = 0, second = 0] = log;
const start = fresh(41);
const delivered: AttemptOutcome = { kind: 'delivered' };
const failed = (failure: 'status' | 'timeout' | 'connect' = 'status', more: object = {}): AttemptOutcome => ({
  kind: 'failed',
  failure,
  isOurs: false,
  refusesContent: false,
  ...more,
});
const refused = failed('status', { refusesContent: true });
const at = (more: Partial<Parameters<typeof decide>[2]> = {}) => ({
  retryDelaysMs,
  sent: first,
  head: first,
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

/** Runs attempts until the webhook is done with the first event: what was called, how long it waited. */
const run = (
  outcomes: (event: number, attempt: number) => AttemptOutcome,
  {
    events = log,
    random = chance(1),
    most = 200,
  }: { events?: readonly number[]; random?: () => number; most?: number } = {},
): { decisions: Decision[]; sent: number[]; waitedMs: number } => {
  const decisions: Decision[] = [];
  const sent: number[] = [];
  let progress = start;
  let waitedMs = 0;
  while (decisions.length < most) {
    const event = events.find((number) => number > eventAfter(progress)) ?? 0;
    sent.push(event);
    const circumstances = at({ sent: event, head: events.at(-1) ?? 0, random: random() });
    const decision = decide(progress, outcomes(event, sent.length), circumstances);
    decisions.push(decision);
    progress = decision.progress;
    if (decision.kind === 'wait') waitedMs += decision.delayMs;
    if (decision.kind === 'stop' || decision.kind === 'advance' || decision.kind === 'skip') break;
  }
  return { decisions, sent, waitedMs };
};
const kinds = (decisions: readonly Decision[]): string[] => decisions.map(({ kind }) => kind);

describe('ten failures in a row', () => {
  it.each([
    ['one event', [first], failed()],
    ['a backlog, by status', log, failed()],
    ['a backlog, by what is sent', log, refused],
    ['a backlog, by time-out', log, failed('timeout')],
  ])('stop a webhook at the tenth attempt, after about 16 hours, with %s', (_what, events, outcome) => {
    const { decisions, waitedMs } = run(() => outcome, { events, random: () => 0.5 });
    expect(decisions).toHaveLength(limits.failuresInARow);
    expect(decisions.at(-1)).toMatchObject({ kind: 'stop', progress: { cursor: 41, failures: 10 } });
    expect(waitedMs).toBeLessThanOrEqual(retryDelaysMs.reduce((sum, delay) => sum + delay));
    expect(waitedMs).toBeGreaterThanOrEqual(7.5 * 3_600_000);
  });

  it('are over with any success', () => {
    for (let failures = 0; failures < 10; failures += 1) {
      expect(decide({ ...start, failures, failuresAtWait: failures }, delivered, at())).toEqual({
        kind: 'advance',
        progress: fresh(first),
      });
    }
  });
});

describe('our own faults', () => {
  it('do not count, however many, and are waited for twice as long each time, up to two minutes', () => {
    let progress: Progress = { ...start, failures: 9, failuresAtWait: 9 };
    const delays: number[] = [];
    for (let i = 0; i < 50; i += 1) {
      const decision = decide(progress, failed('connect', { isOurs: true }), at({ head: second }));
      expect(decision).toMatchObject({ kind: 'wait', progress: { failures: 9 } });
      if (decision.kind === 'wait') delays.push(decision.delayMs);
      ({ progress } = decision);
    }
    expect(delays.slice(0, 7)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
    expect(decide(progress, failed('timeout'), at())).toMatchObject({ kind: 'stop' });
  });

  it('count after a thousand in a row, so that a dead endpoint is stopped in the end', () => {
    const { decisions, waitedMs } = run(() => failed('connect', { isOurs: true }), { most: 2_000, random: () => 0.5 });
    expect(decisions).toHaveLength(1_000 + limits.failuresInARow);
    expect(decisions.at(-1)).toMatchObject({ kind: 'stop', progress: { failures: limits.failuresInARow } });
    expect(waitedMs / 3_600_000).toBeGreaterThan(48);
    expect(waitedMs / 3_600_000).toBeLessThan(50);
  });
});

describe('an event that is refused', () => {
  it('is skipped when its content is rejected before and after a later one is accepted, from the sixth time on', () => {
    const { decisions, sent } = run((event) => (event === first ? refused : delivered));
    expect(kinds(decisions)).toEqual([...Array<string>(5).fill('wait'), 'probe', 'probe', 'skip']);
    expect(sent).toEqual([...Array<number>(6).fill(first), second, first]);
    expect(decisions.at(-1)).toEqual({ kind: 'skip', failure: 'status', progress: fresh(second) });
  });

  it.each([
    ['a status', failed()],
    ['a time-out', failed('timeout')],
    ['a connection that is reset', failed('connect')],
  ])('is skipped when twenty sends in random order agree, with %s', (_how, outcome) => {
    for (let seed = 0; seed < 50; seed += 1) {
      const { decisions, sent } = run((event) => (event === first ? outcome : delivered), { random: chance(seed) });
      expect(decisions.filter(({ kind }) => kind === 'wait')).toHaveLength(5);
      expect(sent.length).toBeGreaterThanOrEqual(6 + 20);
      const later = sent.filter((event) => event !== first);
      expect(later).toEqual(log.slice(1, 1 + later.length));
      const { failure } = outcome as AttemptOutcome & { kind: 'failed' };
      expect(decisions.at(-1)).toEqual({ kind: 'skip', failure, progress: fresh(later.at(-1) ?? 0) });
    }
  });

  it('is not skipped when it is accepted after all, and what came before it is not sent again', () => {
    const { decisions, sent } = run((_event, attempt) => (attempt <= 6 ? refused : delivered));
    expect(sent.slice(-3)).toEqual([first, second, first]);
    expect(decisions.at(-1)).toEqual({ kind: 'advance', progress: fresh(second) });
  });

  it('stays while later events are too few, is tried alone meanwhile, and does not stop the webhook', () => {
    const { decisions, sent } = run((event) => (event === first ? failed() : delivered), {
      events: log.slice(0, 2),
    });
    expect(sent).toHaveLength(200);
    expect(sent.filter((event) => event === second)).toHaveLength(1);
    expect(decisions.at(-1)).toMatchObject({ kind: 'wait', delayMs: expect.any(Number) as number });
    for (const decision of decisions.slice(10))
      if (decision.kind === 'wait') expect(decision.delayMs).toBeGreaterThan(3_000_000);
  });

  it('is skipped while another is refused too, once a later event is accepted', () => {
    const [, , third = 0] = log;
    const { decisions, sent } = run((event) => (event <= second ? failed() : delivered));
    expect(sent.slice(5, 9)).toEqual([first, second, first, third]);
    expect(decisions.at(-1)).toEqual({ kind: 'skip', failure: 'status', progress: fresh(first) });
  });

  it('waits as Retry-After says, and not less than the schedule', () => {
    const busy = failed('status', { retryAfterMs: 7_000_000 });
    const before = { ...start, failures: 5, failuresAtWait: 5 };
    expect(decide(before, busy, at({ head: second }))).toMatchObject({ kind: 'wait', delayMs: 7_000_000 });
  });

  it('waits when the later event that was to be sent is gone', () => {
    const probing = decide({ ...start, failures: 5, failuresAtWait: 5 }, failed(), at({ head: second }));
    expect(eventAfter(probing.progress)).toBe(first);
    const { probe } = probing.progress;
    if (probe === undefined) throw new Error('no probe');
    const waiting = withoutLater({ ...probing.progress, probe }, at());
    expect(waiting).toMatchObject({ kind: 'wait', delayMs: 3_600_000, failure: 'status' });
    expect(eventAfter(waiting.progress)).toBe(41);
  });

  it('is never skipped unless twenty sends agreed, or its content was rejected around a later one', () => {
    const outcomeOf = fc.constantFrom(refused, failed(), failed('timeout', { retryAfterMs: 1_000 }), delivered);
    const outcomesOf = fc.array(outcomeOf, { minLength: 40, maxLength: 40 });
    const biased = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(outcomesOf, biased, fc.nat(), (outcomes, follows, seed) => {
        // Most outcomes follow the event, or no probe would get far.
        const results: AttemptOutcome[] = [];
        const { decisions, sent } = run(
          (event, attempt) => {
            const own = outcomes[attempt % 40] ?? delivered;
            const result = follows[attempt % 40] === true ? own : event === first ? failed() : delivered;
            results.push(result);
            return result;
          },
          { random: chance(seed) },
        );
        if (decisions.at(-1)?.kind !== 'skip') return;
        const isRejected = (i: number): boolean => results[i] === refused && sent[i] === first;
        const end = sent.length - 1;
        const lastBefore = sent.lastIndexOf(first, end - 1);
        const isOfContent = isRejected(end) && isRejected(lastBefore) && lastBefore < end - 1;
        const agreeing = results.filter((_result, i) => i > lastDeviation(sent, results) && i >= 6);
        expect(isOfContent || agreeing.length >= 20).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [400, undefined, true],
    [413, undefined, true],
    [415, undefined, true],
    [422, undefined, true],
    [413, '3600', false],
    [401, undefined, false],
    [404, undefined, false],
    [408, undefined, false],
    [410, undefined, false],
    [429, undefined, false],
    [500, undefined, false],
    [502, undefined, false],
    [503, undefined, false],
    [undefined, undefined, false],
  ])('is judged by a %s with Retry-After %s: %s', (status, retryAfter, judges) => {
    expect(refusesContent(status, retryAfter)).toBe(judges);
  });
});

/** Returns the index of the last send in a run that voids the evidence: a later event that was refused. */
const lastDeviation = (sent: readonly number[], results: readonly AttemptOutcome[]): number =>
  results.findLastIndex((result, i) => sent[i] !== first && result.kind === 'failed');

describe('an endpoint that is at fault', () => {
  const events = 20_000;
  /** How many good events are skipped. `isRefused`: by chance, and by the number of the request. */
  const lost = (isRefused: (request: number, random: () => number) => boolean): number => {
    const random = chance(7);
    let [requests, skips] = [0, 0];
    for (let event = 0; event < events; event += 1) {
      const { decisions } = run(
        (_event, attempt) => {
          // Others use the balancer while this webhook waits.
          requests += attempt < 6 ? Math.ceil(random() * 6) : 1;
          return isRefused(requests, random) ? failed() : delivered;
        },
        { random },
      );
      if (decisions.at(-1)?.kind === 'skip') skips += 1;
    }
    return skips;
  };

  it.each([0.1, 0.3, 0.5, 0.7, 0.9])('at random, with p = %d, loses no event', (p) => {
    expect(lost((_request, random) => random() < p)).toBe(0);
  });

  it.each([
    [1, 2],
    [1, 3],
    [2, 3],
    [9, 10],
  ])('in %d of %d requests in turn loses no event', (bad, all) => {
    expect(lost((request) => request % all < bad)).toBe(0);
  });

  it('for a while, again and again, loses no event', () => {
    expect(lost((request) => Math.floor(request / 12) % 2 === 0)).toBe(0);
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
        const decision = decide({ ...start, failures, failuresAtWait: failures }, failed('timeout'), at({ random }));
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
    const outcomeOf = fc.constantFrom(refused, failed(), ours, failed('status', { retryAfterMs: 1e9 }), delivered);
    const random = fc.nat().map(chance);
    const ownFaults = Array.from({ length: 60 }, () => ours);
    fc.assert(
      fc.property(fc.array(outcomeOf, { minLength: 60, maxLength: 60 }), random, (outcomes, random) => {
        for (const decision of run((_event, attempt) => outcomes[attempt % 60] ?? delivered, { random }).decisions)
          if (decision.kind === 'wait')
            expect(decision.delayMs).toBeLessThanOrEqual(longest[decision.progress.failures] ?? 0);
      }),
      { examples: [[ownFaults, () => 1]] },
    );
  });
});

describe('Retry-After', () => {
  it.each(retryAfterCases)('%j is %j ms', (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});
