import { expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { StoreClock } from './redis.ts';

it('counts and logs a jump of the clock, but not a late reply', () => {
  const lines: unknown[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const monotonic = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const clock = new StoreClock(log);
  clock.see(1_800_000_000_000);
  monotonic.mockReturnValue(31_000);
  clock.see(1_800_000_001_000);
  expect([clock.jumps, lines]).toEqual([0, []]);

  clock.see(1_800_000_001_000 + 31 * 86_400_000);
  expect(clock.jumps).toBe(1);
  clock.see(1_800_000_001_000);
  expect(clock.jumps).toBe(2);
  expect(lines).toMatchObject([{ movedSec: 2_678_400 }, { movedSec: -2_678_400 }]);
  monotonic.mockRestore();
});
