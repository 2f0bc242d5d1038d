import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayOf, recentInstalls } from './recent-installs.ts';

it.each([
  ['none', '', 0],
  ['today alone', '100:3', 3],
  ['the first day that counts', '94:2', 2],
  ['the last that no longer does', '93:2', 0],
  ['all days, one too old, and a gap', '100:1,97:10,94:100,93:1000', 111],
  ['a day to come, after the clock went back', '101:5,100:1', 1],
  ['only days to come', '131:5', 0],
])('counts, on day 100, %s', (_what, stored, sum) => {
  expect(recentInstalls(stored, 100)).toBe(sum);
});

it('counts each install on seven days, whichever they are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 10, max: 40 })), fc.integer({ min: 0, max: 50 }), (days, today) => {
      const stored = [...days].sort((a, b) => b - a).map((day) => `${day}:1`);
      const counted = days.filter((day) => day <= today && today - day < 7).length;
      expect(recentInstalls(stored.join(','), today)).toBe(counted);
    }),
  );
});

it('begins a day at midnight in UTC', () => {
  const midnightMs = Date.parse('2026-11-27T00:00:00Z');
  expect(dayOf(midnightMs) - dayOf(midnightMs - 1)).toBe(1);
  expect(dayOf(midnightMs + 86_399_999)).toBe(dayOf(midnightMs));
});
