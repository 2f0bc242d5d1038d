import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '@bot-directory/contract';
import { decide, eventToSend, parseRetryAfter, type AttemptOutcome, type Progress, type Step } from './delivery.ts';

const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000];
const fresh: Progress = { cursor: 41, failures: 0, failuresAtWait: 0, probing: false };
const delivered: AttemptOutcome = { outcome: 'delivered' };
const failed = (failure: 'status' | 'timeout' | 'connect' = 'status', more: object = {}): AttemptOutcome => ({
  outcome: 'failed',
  failure,
  ours: false,
  ...more,
});
const at = (hasNextEvent = false, random = 0.5) => ({ retryDelaysMs, hasNextEvent, random });

/** Runs attempts until the webhook waits for good: what was called, how long it waited. */
const run = (
  outcomes: (event: number, attempt: number) => AttemptOutcome,
  hasNextEvent: boolean,
): { steps: Step[]; waitedMs: number } => {
  const steps: Step[] = [];
  let progress = fresh;
  let waitedMs = 0;
  while (steps.length < 100) {
    const step = decide(progress, outcomes(eventToSend(progress), steps.length + 1), at(hasNextEvent));
    steps.push(step);
    progress = step.progress;
    if (step.step === 'wait') waitedMs += step.delayMs;
    if (step.step === 'stop' || step.step === 'advance' || step.step === 'skip') break;
  }
  return { steps, waitedMs };
};

describe('ten failures in a row', () => {
  it.each([
    ['one event', false, 'status' as const],
    ['a backlog, by status', true, 'status' as const],
    ['a backlog, by time-out', true, 'timeout' as const],
  ])('stop a webhook at the tenth attempt, after about 16 hours, with %s', (_what, hasNextEvent, failure) => {
    const { steps, waitedMs } = run(() => failed(failure), hasNextEvent);
    expect(steps).toHaveLength(limits.failuresInARow);
    expect(steps.at(-1)).toMatchObject({ step: 'stop', progress: { cursor: 41, failures: 10 } });
    expect(waitedMs).toBeLessThanOrEqual(retryDelaysMs.reduce((sum, delay) => sum + delay));
    expect(waitedMs).toBeGreaterThanOrEqual(7.5 * 3_600_000);
  });

  it('are over with any success', () => {
    for (let failures = 0; failures < 10; failures += 1) {
      expect(decide({ ...fresh, failures, failuresAtWait: failures }, delivered, at())).toEqual({
        step: 'advance',
        progress: { ...fresh, cursor: 42 },
      });
    }
  });

  it('do not count our own faults, however many', () => {
    let progress = { ...fresh, failures: 9, failuresAtWait: 9 };
    for (let i = 0; i < 50; i += 1) {
      const step = decide(progress, failed('connect', { ours: true }), at(true));
      expect(step).toMatchObject({ step: 'again', progress: { failures: 9 } });
      progress = step.progress;
    }
  });
});

describe('an event that is refused', () => {
  it('is skipped when the endpoint takes the next, from the sixth attempt on', () => {
    const { steps } = run((event) => (event === 42 ? failed() : delivered), true);
    expect(steps.map(({ step }) => step)).toEqual(['wait', 'wait', 'wait', 'wait', 'wait', 'probe', 'skip']);
    expect(steps.at(-1)).toEqual({ step: 'skip', skipped: 42, progress: { ...fresh, cursor: 43 } });
  });

  it('is never skipped by an endpoint that was down and came back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('status' as const, 'timeout' as const),
        (outage, failure) => {
          const { steps } = run((_event, attempt) => (attempt <= outage ? failed(failure) : delivered), true);
          const last = steps.at(-1);
          if (last?.step === 'advance') expect(last.progress.cursor).toBe(42);
          // A recovery between a refusal and its probe, with no time between them, is the one case that looks like a refusal.
          else expect([last?.step, steps.at(-2)?.step]).toEqual(['skip', 'probe']);
        },
      ),
    );
  });

  it.each(['timeout', 'connect'] as const)('is not suspected when the endpoint does not answer (%s)', (failure) => {
    const step = decide({ ...fresh, failures: 7, failuresAtWait: 7 }, failed(failure), at(true));
    expect(step.step).toBe('wait');
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
        const step = decide({ ...fresh, failures, failuresAtWait: failures }, failed('timeout'), at(false, random));
        expect(step).toMatchObject({ step: 'wait', delayMs: Math.round(delay * factor), failure: 'timeout' });
      }
    },
  );

  it('honours Retry-After up to the next delay', () => {
    const wait = (retryAfterMs: number) => decide(fresh, failed('status', { status: 503, retryAfterMs }), at());
    expect(wait(1_000)).toMatchObject({ delayMs: 5_000 });
    expect(wait(20_000)).toMatchObject({ delayMs: 20_000 });
    expect(wait(86_400_000)).toMatchObject({ delayMs: 30_000 });
  });
});

describe('Retry-After', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12);
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026-11-21', undefined],
    [undefined, undefined],
  ])('%j is %j ms', (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});
