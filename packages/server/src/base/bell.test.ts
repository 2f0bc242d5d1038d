import { describe, expect, it } from 'vitest';
import { Bell } from './bell.ts';

/** Whether it wakes before the next tick. */
const wakesNow = (sleeping: Promise<void>): Promise<boolean> =>
  Promise.race([sleeping.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

describe('a bell', () => {
  it('wakes a sleeper', async () => {
    const bell = new Bell();
    const sleeping = bell.sleep(60_000);
    bell.ring();
    expect(await wakesNow(sleeping)).toBe(true);
  });

  it('keeps a ring for the next sleep, and for that one only', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();
    expect(await wakesNow(bell.sleep(60_000))).toBe(true);
    expect(await wakesNow(bell.sleep(60_000))).toBe(false);
    bell.ring();
  });

  it('wakes by itself in time', async () => {
    await new Bell().sleep(1);
  });
});
