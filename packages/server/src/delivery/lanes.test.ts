import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookId } from '../base/ids.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import type { Lease } from '../store/deliveries.ts';
import { partition } from '../store/keys.ts';
import { Lanes, type LaneLimits, type Run } from './lanes.ts';

const limits = { concurrency: 8, perOrigin: 3 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
type Running = { readonly lease: Lease; readonly end: (learnt: { quick: boolean } | undefined) => Promise<void> };

let running: Running[];
let lanes: Lanes;
beforeEach(() => {
  lanes = open(limits);
});

const open = (chosen: LaneLimits): Lanes => {
  const mine: Running[] = (running = []);
  const run: Run = (lease) =>
    new Promise((resolve) => {
      const one: Running = {
        lease,
        end: async (learnt) => {
          mine.splice(mine.indexOf(one), 1);
          resolve(learnt);
          await turns();
        },
      };
      mine.push(one);
    });
  return new Lanes(chosen, run, () => undefined);
};

/** Enough turns of the event loop for all to begin that may. */
const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await turn();
};
const add = async (...leases: Lease[]): Promise<void> => {
  for (const one of leases) lanes.add(one);
  await turns();
};
const lease = (host: string, i = 0): Lease => ({
  partition: partition(0),
  id: `wh_${host}_${i}` as WebhookId,
  url: `https://${host}/${i}` as WebhookUrl,
  untilMs: 0,
  progress: { cursor: 0, failures: 0, failuresAtWait: 0, probing: false },
});
const hosts = (): string[] => running.map(({ lease: { url } }) => new URL(url).hostname);
const some = (count: number, of: (i: number) => Lease): Lease[] => Array.from({ length: count }, (_, i) => of(i));
const endAll = async (quick: boolean): Promise<void> => {
  while (running.length > 0) await running[0]?.end({ quick });
};
const makeQuick = async (host: string): Promise<void> => {
  await add(lease(host));
  await running.find(({ lease: { url } }) => url.includes(host))?.end({ quick: true });
};

describe('lanes', () => {
  it('give unknown origins half of the concurrency, and quick ones all of it', async () => {
    const leases = some(10, (i) => lease(`unknown${i}.example.com`));
    await add(...leases);
    expect(running).toHaveLength(4);
    await endAll(true);
    await add(...leases);
    expect(running).toHaveLength(8);
  });

  it('give one origin no more than its share', async () => {
    await makeQuick('one.example.com');
    await add(...some(6, (i) => lease('one.example.com', i)));
    expect(running).toHaveLength(3);
    await running[0]?.end({ quick: true });
    expect(running).toHaveLength(3);
  });

  it('keep room for quick origins while others hang', async () => {
    await makeQuick('good.example.com');
    await add(...some(20, (i) => lease(`hangs${i}.example.com`)));
    expect(running).toHaveLength(4);
    await add(lease('good.example.com'));
    expect(hosts()).toContain('good.example.com');
  });

  it('demote an origin that was slow once', async () => {
    await makeQuick('was-good.example.com');
    await add(lease('was-good.example.com'));
    await running[0]?.end({ quick: false });
    await add(...some(4, (i) => lease(`hangs${i}.example.com`)), lease('was-good.example.com'));
    expect(hosts()).not.toContain('was-good.example.com');
  });

  it('run every lease in the end, each origin in order', async () => {
    const seen: string[] = [];
    await add(...some(30, (i) => lease(`h${i % 3}.example.com`, i)));
    while (running.length > 0) {
      const [first] = running;
      seen.push(first?.lease.url ?? '');
      await first?.end({ quick: seen.length % 2 === 0 });
    }
    expect(seen).toHaveLength(30);
    expect(new Set(seen).size).toBe(30);
    expect([lanes.running, lanes.room]).toEqual([0, 8]);
  });

  it('begin a burst in slices, and unknown ones beside quick ones one at a time', async () => {
    lanes = open({ concurrency: 100, perOrigin: 50 });
    const begun = async (leases: Lease[]): Promise<number[]> => {
      const counts: number[] = [];
      for (const one of leases) lanes.add(one);
      for (let i = 0; i < 4; i += 1) {
        counts.push(running.length);
        await turn();
      }
      return counts;
    };
    expect(await begun(some(40, (i) => lease(`unknown${i}.example.com`)))).toEqual([16, 32, 40, 40]);
    while (running.length > 0) await running[0]?.end({ quick: true });
    expect(await begun(some(40, (i) => lease('unknown0.example.com', i)))).toEqual([16, 32, 40, 40]);
    expect(await begun(some(20, (i) => lease(`another${i}.example.com`)))).toEqual([41, 42, 43, 44]);
  });

  it('have less room as they fill up, and give leases back from the longest queues', async () => {
    await add(...some(12, (i) => lease('long.example.com', i)), ...some(2, (i) => lease('short.example.com', i)));
    expect(running).toHaveLength(4);
    expect(lanes.room).toBe(4);
    const evicted = lanes.evict(2);
    expect(evicted).toHaveLength(8);
    expect(evicted.every(({ url }) => url.includes('long'))).toBe(true);
    expect(lanes.evict(2)).toEqual([]);
  });
});
