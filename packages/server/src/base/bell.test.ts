import { expect, it } from 'vitest';
import { Bell } from './bell.ts';

const soon = 'soon';
const orSoon = (sleeping: Promise<void>): Promise<unknown> =>
  Promise.race([sleeping.then(() => 'woken'), new Promise((resolve) => setTimeout(resolve, 20, soon))]);

it('wakes a sleeper', async () => {
  const bell = new Bell();
  const sleeping = bell.sleep(60_000);
  bell.ring();
  expect(await orSoon(sleeping)).toBe('woken');
});

it('keeps a ring for the next sleep, and for that one only', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  expect(await orSoon(bell.sleep(60_000))).toBe('woken');
  expect(await orSoon(bell.sleep(60_000))).toBe(soon);
  bell.ring();
});

it('wakes by itself in time', async () => {
  await new Bell().sleep(1);
});
