import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nowMs, retryAfterCases } from '../../../contract/test/retry-after-cases.ts';
import { limits } from '@bot-directory/contract';
import {
  decide,
  eventAfter,
  fresh,
  parseRetryAfter,
  refusesContent,
  type AttemptOutcome,
  type Decision,
  type Progress,
} from './delivery.ts';

const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000];
/** Numbers of events have gaps. */
const log = [50, 1_800_000_000_000_007, 1_800_000_000_000_050];
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
  hasNextEvent: false,
  random: 0.5,
  ...more,
});

/** Runs attempts until the webhook waits for good: what was called, how long it waited. */
const run = (
  outcomes: (event: number, attempt: number) => AttemptOutcome,
  hasNextEvent: boolean,
): { decisions: Decision[]; sent: number[]; waitedMs: number } => {
  const decisions: Decision[] = [];
  const sent: number[] = [];
  let progress = start;
  let waitedMs = 0;
  while (decisions.length < 100) {
    const event = log.find((number) => number > eventAfter(progress)) ?? 0;
    sent.push(event);
    const decision = decide(progress, outcomes(event, sent.length), at({ sent: event, hasNextEvent }));
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
    ['one event', false, failed()],
    ['a backlog, by status', true, failed()],
    ['a backlog, by what is sent', true, refused],
    ['a backlog, by time-out', true, failed('timeout')],
  ])('stop a webhook at the tenth attempt, after about 16 hours, with %s', (_what, hasNextEvent, outcome) => {
    const { decisions, waitedMs } = run(() => outcome, hasNextEvent);
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
      const decision = decide(progress, failed('connect', { isOurs: true }), at({ hasNextEvent: true }));
      expect(decision).toMatchObject({ kind: 'wait', progress: { failures: 9 } });
      if (decision.kind === 'wait') delays.push(decision.delayMs);
      ({ progress } = decision);
    }
    expect(delays.slice(0, 7)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
    expect(decide(progress, failed('timeout'), at())).toMatchObject({ kind: 'stop' });
  });
});

describe('an event that is refused', () => {
  it('is skipped when the endpoint takes the next and refuses it once more, from the sixth attempt on', () => {
    const { decisions, sent } = run((event) => (event === first ? refused : delivered), true);
    expect(kinds(decisions)).toEqual([...Array<string>(5).fill('wait'), 'suspect', 'suspect', 'skip']);
    expect(sent).toEqual([...Array<number>(6).fill(first), second, first]);
    expect(decisions.at(-1)).toEqual({ kind: 'skip', skipped: first, progress: fresh(second) });
  });

  it('is not skipped when it is taken after all, behind the next', () => {
    const { decisions, sent } = run((_event, attempt) => (attempt <= 6 ? refused : delivered), true);
    expect(kinds(decisions).slice(-3)).toEqual(['suspect', 'suspect', 'advance']);
    expect(sent.slice(-3)).toEqual([first, second, first]);
    expect(decisions.at(-1)?.progress).toEqual(fresh(second));
  });

  it('is not skipped when it cannot be tried once more', () => {
    const { decisions } = run(
      (event, attempt) => (attempt === 8 ? failed('timeout') : event === first ? refused : delivered),
      true,
    );
    expect(kinds(decisions).slice(5, 9)).toEqual(['suspect', 'suspect', 'wait', 'suspect']);
    expect(decisions[7]).toMatchObject({ progress: { cursor: 41, failures: 7 } });
    expect(decisions[7]?.progress.suspect).toBeUndefined();
  });

  it('is never skipped by an endpoint that only comes and goes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(failed(), failed('timeout'), delivered), { minLength: 20, maxLength: 20 }),
        (outcomes) => {
          const { decisions } = run((_event, attempt) => outcomes[attempt] ?? delivered, true);
          expect(kinds(decisions)).not.toContain('skip');
          const last = decisions.at(-1);
          if (last?.kind === 'advance') expect(last.progress.cursor).toBe(first);
        },
      ),
    );
  });

  it('is never skipped without having been refused right before and right after the next was taken', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(refused, failed(), delivered), { minLength: 20, maxLength: 20 }),
        (outcomes) => {
          const { decisions } = run((_event, attempt) => outcomes[attempt - 1] ?? delivered, true);
          const at = kinds(decisions).indexOf('skip');
          if (at < 0) return;
          expect([outcomes[at - 2], outcomes[at - 1], outcomes[at]]).toEqual([refused, delivered, refused]);
        },
      ),
    );
  });

  it('says how long to wait when there is no time to go on', () => {
    const suspected = decide({ ...start, failures: 5, failuresAtWait: 5 }, refused, at({ hasNextEvent: true }));
    expect(suspected).toMatchObject({ kind: 'suspect', delayMs: 3_600_000, failure: 'status' });
    const probed = decide(suspected.progress, delivered, at({ sent: second, hasNextEvent: true }));
    expect(probed).toMatchObject({ kind: 'suspect', delayMs: 3_600_000, failure: 'status' });
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
});

describe('Retry-After', () => {
  it.each(retryAfterCases)('%j is %j ms', (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});
