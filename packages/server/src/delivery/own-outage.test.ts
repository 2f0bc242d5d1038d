import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from '../base/log.ts';
import type { Outcome } from '../outbound/send-webhook.ts';
import { isOwnOutage, OwnOutage } from './own-outage.ts';

const failed = (failure: 'connect' | 'dns' | 'tls' | 'timeout' | 'status' = 'connect'): Outcome => ({
  kind: 'failed',
  failure,
  isOurs: false,
});
const delivered: Outcome = { kind: 'delivered', status: 204 };
const healthy = { failures: 0, ownFaults: 0 };
const inTrouble = { failures: 3, ownFaults: 0 };

const start = () => {
  let nowMs = 0;
  let reports: () => boolean = () => false;
  const metrics = { reportOwnOutage: (isOutage: () => boolean): void => void (reports = isOutage) };
  const outage = new OwnOutage({ steadyMs: () => nowMs, log: createLog('silent'), metrics });
  const attempt = (domain: string | number, outcome: Outcome, progress = healthy): boolean => {
    const judged = outage.judge(`acme-${domain}.com`, outcome, progress);
    return judged.kind === 'failed' && judged.isOurs;
  };
  return { outage, attempt, wait: (ms: number) => void (nowMs += ms), isOutage: () => reports() };
};
const fail = (attempt: ReturnType<typeof start>['attempt'], count: number, outcome = failed(), progress = healthy) =>
  Array.from({ length: count }, (_, i) => attempt(i, outcome, progress));

describe('what fails is our own network', () => {
  it.each([
    { failing: 9, reached: 0, expected: false },
    { failing: 10, reached: 0, expected: true },
    { failing: 10, reached: 3, expected: true },
    { failing: 10, reached: 4, expected: false },
    { failing: 50, reached: 950, expected: false },
    { failing: 750, reached: 250, expected: true },
  ])('$expected when $failing domains fail and $reached are reached', ({ failing, reached, expected }) => {
    expect(isOwnOutage({ failing, reached })).toBe(expected);
  });

  it('the more domains fail, and the fewer are reached, the sooner', () => {
    const count = fc.nat(1_000);
    fc.assert(
      fc.property(count, count, count, (failing, reached, more) => {
        const isOutage = isOwnOutage({ failing, reached });
        if (isOutage) expect(isOwnOutage({ failing: failing + more, reached })).toBe(true);
        if (!isOutage) expect(isOwnOutage({ failing, reached: reached + more })).toBe(false);
        expect(isOwnOutage({ failing: Math.min(failing, 9), reached })).toBe(false);
      }),
    );
  });
});

describe('an outage of ours', () => {
  it.each(['connect', 'dns', 'tls', 'timeout'] as const)('is seen from the tenth domain on, by %s', (failure) => {
    const { attempt, isOutage } = start();
    expect(fail(attempt, 12, failed(failure))).toEqual([...Array<boolean>(9).fill(false), true, true, true]);
    expect(isOutage()).toBe(true);
  });

  it('ends when endpoints are reached again, whatever they respond', () => {
    const { attempt, isOutage } = start();
    fail(attempt, 20);
    for (let i = 0; i < 5; i += 1) attempt(i, i % 2 === 0 ? delivered : failed('status'));
    expect([isOutage(), attempt(19, failed())]).toEqual([true, true]);
    attempt(5, delivered);
    expect([isOutage(), attempt(19, failed())]).toEqual([false, false]);
  });

  it('is not seen in many webhooks of one domain, nor in endpoints that respond badly', () => {
    const { outage, attempt, isOutage } = start();
    for (let i = 0; i < 1_000; i += 1) outage.judge('acme.com', failed(), healthy);
    fail(attempt, 100, failed('status'));
    expect(isOutage()).toBe(false);
  });

  it('is not seen in endpoints that failed before', () => {
    const { attempt, wait, isOutage } = start();
    fail(attempt, 20);
    wait(6 * 60_000);
    expect(fail(attempt, 100, failed(), inTrouble)).not.toContain(true);
    expect(isOutage()).toBe(false);
  });

  it('goes on while its endpoints are tried again, and after a restart, and no longer', () => {
    for (const { attempt, wait, isOutage } of [start(), start()]) {
      for (let i = 0; i < 100; i += 1) {
        fail(attempt, 20, failed(), i === 0 ? healthy : { failures: 1, ownFaults: i });
        expect(isOutage()).toBe(true);
        wait(142_000);
      }
      wait(300_000);
      expect(isOutage()).toBe(false);
    }
    expect(fail(start().attempt, 20, failed(), { failures: 9, ownFaults: 4 }).at(-1)).toBe(true);
  });

  it('takes a bounded memory', () => {
    const { outage, attempt, wait, isOutage } = start();
    fail(attempt, 60_000);
    expect(outage.size).toBeGreaterThan(40_000);
    expect(outage.size).toBeLessThanOrEqual(50_000);
    wait(300_001);
    expect([isOutage(), outage.size]).toEqual([false, 0]);
  });
});
