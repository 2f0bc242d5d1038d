import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Origins } from './origins.ts';

const url = (name: string): string => `https://${name}/hook`;
const names = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}.test`);

describe('origins', () => {
  it('are remembered between deliveries, while they are used now and then', () => {
    const origins = new Origins();
    const used = names(20, 'used');
    for (const name of used) origins.of(url(name)).isQuick = true;
    for (const [i, name] of names(100_000, 'once').entries()) {
      origins.of(url(name));
      origins.of(url(used[i % 20] ?? ''));
    }
    expect(used.filter((name) => origins.of(url(name)).isQuick)).toEqual(used);
  });

  it('are forgotten, with their domains and addresses, so that no number of them fills the memory', () => {
    const origins = new Origins();
    for (const [i, name] of names(100_000, 'h').entries()) {
      origins.of(url(name));
      origins.connected(`https://${name}`, `192.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    }
    const [count, domains, addresses] = origins.sizes;
    expect(count).toBeLessThan(52_000);
    expect([domains, addresses]).toEqual([count, count]);
  });

  it('are not forgotten while a delivery is under way or waits', () => {
    const origins = new Origins();
    const running = origins.of(url('running.test'));
    const waiting = origins.of(url('waiting.test'));
    running.inFlight = 1;
    waiting.waiting = { new: [], backlog: [] };
    for (const name of names(100_000, 'h')) origins.of(url(name));
    expect([origins.of(url('running.test')), origins.of(url('waiting.test'))]).toEqual([running, waiting]);
    expect(origins.of(url('running.test'))).toBe(running);
    expect(origins.of(url('waiting.test'))).toBe(waiting);
  });

  it('keep an address that they left for as long as a delivery to it is under way', () => {
    const origins = new Origins();
    const origin = origins.of(url('moves.test'));
    origins.connected(origin.name, '192.0.2.1');
    const { address } = origin;
    if (address === undefined) throw new Error('no address');
    address.inFlight = 1;
    origins.connected(origin.name, '192.0.2.2');
    origins.connected('https://other.test', '192.0.2.1');
    expect(origins.of(url('other.test')).address).toBe(address);
    origins.connected('https://other.test', '192.0.2.2');
    address.inFlight = 0;
    origins.release(address);
    expect(origins.sizes).toEqual([2, 2, 1]);
  });

  it('take as little memory with long URLs as with short ones', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const origins = new Origins();
    const count = 10_000;
    const path = 'x'.repeat(2_000);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (const name of names(count, 'a-rather-long-name-'))
      origins.of(JSON.parse(`"https://${name}/${path}"`) as string);
    collect();
    expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(1_000);
    expect(origins.sizes).toEqual([count, count, 0]);
  });
});
