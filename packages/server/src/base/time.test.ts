import { describe, expect, it } from 'vitest';
import { parseDuration } from './time.ts';

describe('parseDuration', () => {
  it.each([
    ['1500ms', 1_500],
    ['10s', 10_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['0s', 0],
    ['596h', 2_145_600_000],
    ['2147483647ms', 2_147_483_647],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toEqual({ ok: true, value: ms }));

  it.each([
    '',
    '10',
    's',
    '10 s',
    ' 10s',
    '10s ',
    '10s\n',
    '-1s',
    '+1s',
    '1.5s',
    '1e3s',
    '10S',
    '1d',
    '1h30m',
    '10sec',
    '١s',
    '1to',
    '99999999999s',
  ])('%j is refused', (text) =>
    expect(parseDuration(text)).toEqual({ ok: false, why: expect.stringContaining('1500ms, 10s, 2m or 1h') }),
  );

  it.each(['597h', '2147483648ms', '9999999999h'])('%s is longer than a timer can wait', (text) =>
    expect(parseDuration(text)).toEqual({ ok: false, why: expect.stringContaining('24 days') }),
  );
});
