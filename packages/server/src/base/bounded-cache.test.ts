import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

type Value = { readonly name: string; size: number; inUse?: boolean };

const cacheOf = (max: number, maxEach = max) => {
  const dropped: string[] = [];
  const cache = new BoundedCache<Value>({
    max,
    maxEach,
    sizeOf: (_key, { size }) => size,
    isInUse: ({ inUse }) => inUse === true,
    onDrop: ({ name }) => dropped.push(name),
  });
  const set = (name: string, size = 1): void => cache.set(name, { name, size });
  return { cache, dropped, set };
};

describe('a bounded cache', () => {
  it('never holds more than its bound, and keeps what is read between floods of other keys', () => {
    const { cache, set } = cacheOf(100);
    set('list', 20);
    for (let i = 0; i < 5_000; i += 1) {
      set(`other-${i}`, 2);
      expect(cache.get('list')?.name).toBe('list');
      expect(cache.held).toBeLessThanOrEqual(100);
    }
    expect([cache.get('other-0'), cache.get('other-4999')?.name]).toEqual([undefined, 'other-4999']);
  });

  it('drops the oldest first', () => {
    const { cache, dropped, set } = cacheOf(2);
    for (const name of ['a', 'b', 'c', 'd']) set(name);
    expect(dropped).toEqual(['a', 'b']);
    expect([...cache.values()].map(({ name }) => name)).toEqual(['c', 'd']);
  });

  it('holds one value of a key, and reports the other as dropped', () => {
    const { cache, dropped } = cacheOf(10);
    cache.set('key', { name: 'older', size: 4 });
    cache.set('key', { name: 'newer', size: 5 });
    expect([cache.get('key')?.name, cache.held, cache.count, dropped]).toEqual(['newer', 5, 1, ['older']]);
    cache.delete('key');
    cache.delete('key');
    expect([cache.get('key'), cache.held, dropped]).toEqual([undefined, 0, ['older', 'newer']]);
  });

  it('measures a value again when it is read', () => {
    const { cache, set } = cacheOf(10);
    set('first', 4);
    const grows = { name: 'grows', size: 4 };
    cache.set('grows', grows);
    grows.size = 9;
    expect(cache.get('grows')).toBe(grows);
    expect([cache.get('first'), cache.held]).toEqual([undefined, 9]);
  });

  it('does not store what is too large', () => {
    const { cache, set } = cacheOf(10, 5);
    set('fits', 5);
    set('large', 6);
    expect([cache.get('large'), cache.get('fits')?.name, cache.held]).toEqual([undefined, 'fits', 5]);
  });

  it('keeps what is in use, above its bound if it must, until it is no longer in use', () => {
    const { cache, dropped } = cacheOf(10);
    const values = Array.from({ length: 3_000 }, (_, i) => ({ name: `v${i}`, size: 1, inUse: true }));
    for (const value of values) cache.set(value.name, value);
    expect([cache.count, dropped]).toEqual([3_000, []]);
    for (const value of values) value.inUse = false;
    cache.set('last', { name: 'last', size: 1 });
    expect([cache.count, cache.get('last')?.name]).toEqual([10, 'last']);
  });
});
