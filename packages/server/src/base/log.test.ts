import { expect, it } from 'vitest';
import { levelAtRate } from './log.ts';

it('says info so many times a second, and debug for the rest of it', () => {
  let nowMs = 5_000;
  const level = levelAtRate(2, () => nowMs);
  expect([level(), level(), level(), level()]).toEqual(['info', 'info', 'debug', 'debug']);
  nowMs = 5_999;
  expect(level()).toBe('debug');
  nowMs = 6_000;
  expect([level(), level(), level()]).toEqual(['info', 'info', 'debug']);
});

it('says debug alone when none is wanted', () => {
  expect(levelAtRate(0, () => 0)()).toBe('debug');
});
