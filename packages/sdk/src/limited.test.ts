import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { limited, sleep, type Stop } from './limited.ts';

const never = () => new Promise<never>(() => {});
/** Runs work, whose result says what stopped it. */
const attempt = (ms: number, signal = new AbortController().signal, work: Parameters<typeof limited<unknown>>[1]) =>
  limited<unknown>({ ms, signal }, work, (by: Stop) => ({ stopped: by }));

describe('limited work', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['succeeds', () => attempt(60_000, controller.signal, () => Promise.resolve('done'))],
    ['fails', () => attempt(60_000, controller.signal, () => Promise.reject(new Error('no'))).catch(() => {})],
    ['runs out of time', () => attempt(1, controller.signal, never)],
    ['sleeps', () => sleep(1, controller.signal)],
  ])('leaves no listener and no timer when it %s', async (_name, run) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    controller = new AbortController();
    const ended = run();
    await vi.advanceTimersByTimeAsync(1);
    await ended;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
  let controller = new AbortController();

  it('is stopped at the limit and its signal aborts, even if it ignores the signal', async () => {
    let passed: AbortSignal | undefined;
    const result = await attempt(5, undefined, (signal) => {
      passed = signal;
      return never();
    });
    expect(result).toEqual({ stopped: 'time' });
    expect(passed?.aborted).toBe(true);
  });

  it('is stopped by the caller, before it starts or while it runs', async () => {
    const signal = AbortSignal.abort();
    expect(await attempt(60_000, signal, () => Promise.reject(new Error('must not start')))).toEqual({
      stopped: 'signal',
    });
    const later = new AbortController();
    const running = attempt(60_000, later.signal, never);
    later.abort();
    expect(await running).toEqual({ stopped: 'signal' });
    expect(await sleep(60_000, signal)).toBe(false);
  });

  it('treats a limit beyond the longest timer as the longest timer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const slow = () => new Promise((resolve) => setTimeout(resolve, 60_000, 'done'));
    const both = [2 ** 40, Infinity].map((ms) => attempt(ms, undefined, slow));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.all(both)).toEqual(['done', 'done']);
  });
});
