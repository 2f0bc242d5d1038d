import { expect, it } from 'vitest';
import { KeptRepresentations } from './kept.ts';
import { variantOf, type Representation } from './representation.ts';
import { stampOf } from './stamp.ts';

const limit = 1_000_000;

/** One of so many bytes, which may grow as it is compressed. */
const made = (tag: string, heldBytes: number) => {
  const stamp = stampOf(tag, 0);
  const variant = variantOf('identity', { stamp, description: {} }, { length: 0, pieces: () => [] });
  let isRetired = false;
  const representation: Representation & { heldBytes: number } = {
    stamp,
    heldBytes,
    variant: () => variant,
    retire: () => {
      isRetired = true;
    },
  };
  return { representation, isRetired: () => isRetired };
};

it('keeps within its bytes whatever is asked for, and what is asked for again and again all the time', () => {
  const kept = new KeptRepresentations({ bytes: limit });
  const list = made('list', 200_000);
  kept.put('/list', list.representation);
  const others = Array.from({ length: 200 }, (_, i) => made(`other-${i}`, 20_000));
  others.forEach(({ representation }, i) => {
    kept.put(`/other/${i}`, representation);
    expect(kept.get('/list', 'list')).toBe(list.representation);
    expect(kept.bytes).toBeLessThanOrEqual(limit);
  });
  expect(kept.get('/other/0', 'other-0')).toBeUndefined();
  expect(kept.get('/other/199', 'other-199')).toBe(others[199]?.representation);
  expect([list.isRetired(), others[0]?.isRetired(), others[199]?.isRetired()]).toEqual([false, true, false]);
});

it('counts what one has grown by since it was put', () => {
  const kept = new KeptRepresentations({ bytes: limit });
  const grows = made('grows', 200_000);
  kept.put('/first', made('first', 200_000).representation);
  kept.put('/grows', grows.representation);
  grows.representation.heldBytes = 900_000;
  expect(kept.get('/grows', 'grows')).toBe(grows.representation);
  expect(kept.get('/first', 'first')).toBeUndefined();
  expect(kept.bytes).toBeLessThanOrEqual(limit);
});

it('keeps one of each key, of the tag that it was made for, and none that is too large beside all others', () => {
  const kept = new KeptRepresentations({ bytes: limit });
  const [older, newer] = [made('older', 100_000), made('newer', 100_000)];
  kept.put('/list', older.representation);
  const { bytes } = kept;
  kept.put('/list', newer.representation);
  expect([kept.bytes, older.isRetired()]).toEqual([bytes, true]);
  expect([kept.get('/list', 'older'), kept.get('/list', 'newer')]).toEqual([undefined, newer.representation]);
  kept.put('/large', made('large', limit / 2).representation);
  expect([kept.get('/large', 'large'), kept.bytes]).toEqual([undefined, bytes]);
});
