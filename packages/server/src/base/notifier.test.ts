import { describe, expect, it } from 'vitest';
import { Notifier } from './notifier.ts';

/** Whether it wakes before the next tick. */
const wakesNow = (sleeping: Promise<void>): Promise<boolean> =>
  Promise.race([sleeping.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

describe('a notifier', () => {
  it('wakes a sleeper', async () => {
    const notifier = new Notifier();
    const sleeping = notifier.sleep(60_000);
    notifier.notify();
    expect(await wakesNow(sleeping)).toBe(true);
  });

  it('keeps a ring for the next sleep, and for that one only', async () => {
    const notifier = new Notifier();
    notifier.notify();
    notifier.notify();
    expect(await wakesNow(notifier.sleep(60_000))).toBe(true);
    expect(await wakesNow(notifier.sleep(60_000))).toBe(false);
    notifier.notify();
  });

  it('wakes by itself in time', async () => {
    await new Notifier().sleep(1);
  });
});
