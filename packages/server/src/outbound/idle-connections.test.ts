import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleConnections, idleLimit } from './idle-connections.ts';

const connection = (origin: string) => {
  const made = { origin, isOpen: true, close: () => void (made.isOpen = false) };
  return made;
};
type Made = ReturnType<typeof connection>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('idle connections', () => {
  it('are taken once each, by their own origin, the most recently used first', () => {
    const idle = new IdleConnections<Made>(10);
    const first = connection('a');
    const second = connection('a');
    const other = connection('b');
    for (const one of [first, second, other]) idle.put(one, 1_000);
    expect([idle.take('a'), idle.take('a'), idle.take('a')]).toEqual([second, first, undefined]);
    expect([idle.take('b'), idle.take('c')]).toEqual([other, undefined]);
    expect(idle.size).toBe(0);
  });

  it('are closed when their time is over, each by itself, and then no timer is left', () => {
    const idle = new IdleConnections<Made>(10);
    const short = connection('a');
    const long = connection('b');
    idle.put(short, 5_000);
    idle.put(long, 55_000);
    vi.advanceTimersByTime(4_000);
    expect(short.isOpen).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect([short.isOpen, long.isOpen, idle.size]).toEqual([false, true, 1]);
    vi.advanceTimersByTime(48_000);
    expect(long.isOpen).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect([long.isOpen, idle.size, vi.getTimerCount()]).toEqual([false, 0, 0]);
  });

  it('are not taken when they are closed, or late', () => {
    const idle = new IdleConnections<Made>(10);
    const closed = connection('a');
    const late = connection('b');
    idle.put(closed, 5_000);
    idle.put(late, 500);
    closed.isOpen = false;
    vi.setSystemTime(0);
    vi.advanceTimersByTime(600);
    expect([idle.take('a'), idle.take('b'), late.isOpen, idle.size]).toEqual([undefined, undefined, false, 0]);
  });

  it('never exceed their limit: the least recently used is closed', () => {
    const idle = new IdleConnections<Made>(3);
    const made = ['a', 'b', 'c', 'd'].map(connection);
    for (const one of made.slice(0, 3)) idle.put(one, 60_000);
    const again = idle.take('a');
    if (again !== undefined) idle.put(again, 60_000);
    idle.put(connection('d'), 60_000);
    expect(made.map(({ isOpen }) => isOpen)).toEqual([true, false, true, true]);
    expect(idle.size).toBe(3);
    const none = new IdleConnections<Made>(0);
    const one = connection('a');
    none.put(one, 60_000);
    expect([none.take('a'), one.isOpen]).toEqual([undefined, false]);
  });

  it('are as many as fit into an eighth of the memory', () => {
    expect(idleLimit(256 * 2 ** 20)).toBeGreaterThan(100);
    expect(idleLimit(2 ** 30)).toBeGreaterThan(1_000);
    expect([idleLimit(0), idleLimit(Infinity)]).toEqual([64, 4_096]);
  });
});
