import { deliveryFailures } from '@bot-directory/contract';
import { expect, it } from 'vitest';
import { attemptText, parseAttempts } from './attempt.ts';

const atMs = 1_790_000_000_000;
const outcomes = [
  { status: 200, failure: undefined },
  { status: 302, failure: 'status' },
  ...deliveryFailures.filter((one) => one !== 'status').map((failure) => ({ status: undefined, failure })),
] as const;

it.each(outcomes)('An attempt is read as it was written: $status $failure', (outcome) => {
  const attempt = { ...outcome, durationMs: 35 };
  expect(parseAttempts(`${atMs}${attemptText(attempt)}`.repeat(2))).toEqual([
    { atMs, ...attempt },
    { atMs, ...attempt },
  ]);
});

it('An attempt has the same length however long it took', () => {
  const lengths = [0, 9.6, 12_345.6, 10_000_000].map(
    (durationMs) => attemptText({ status: 200, failure: undefined, durationMs }).length,
  );
  expect(new Set(lengths)).toEqual(new Set([8]));
});
