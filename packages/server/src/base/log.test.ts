import { expect, it } from 'vitest';
import { levelAtRate } from './log.ts';

it('gives info so many times a second, then debug', () => {
  let nowMs = 5_000;
  const level = levelAtRate(2, () => nowMs);
  expect([level(), level(), level(), level()]).toEqual(['info', 'info', 'debug', 'debug']);
  nowMs = 5_999;
  expect(level()).toBe('debug');
  nowMs = 6_000;
  expect([level(), level(), level()]).toEqual(['info', 'info', 'debug']);
});

it('gives only debug at a rate of 0', () => {
  expect(levelAtRate(0, () => 0)()).toBe('debug');
});
