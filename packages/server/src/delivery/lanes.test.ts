import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookId } from '../base/ids.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import type { Lease } from '../store/deliveries.ts';
import { partition } from '../store/keys.ts';
import { Lanes } from './lanes.ts';

const limits = { concurrency: 8, perOrigin: 3 };
type Running = { readonly lease: Lease; readonly end: (learnt: { quick: boolean } | undefined) => Promise<void> };

let running: Running[];
let lanes: Lanes;
beforeEach(() => {
  running = [];
  lanes = new Lanes(
    limits,
    (lease) =>
      new Promise((resolve) => {
        const one: Running = {
          lease,
          end: async (learnt) => {
            running = running.filter((other) => other !== one);
            resolve(learnt);
            await new Promise((tick) => setImmediate(tick));
          },
        };
        running.push(one);
      }),
    () => undefined,
  );
});

const lease = (host: string, i = 0): Lease => ({
  partition: partition(0),
  id: `wh_${host}_${i}` as WebhookId,
  url: `https://${host}/${i}` as WebhookUrl,
  untilMs: 0,
  progress: { cursor: 0, failures: 0, failuresAtWait: 0, probing: false },
});
const hosts = (): string[] => running.map(({ lease: { url } }) => new URL(url).hostname);
const endAll = async (quick: boolean): Promise<void> => {
  while (running.length > 0) await running[0]?.end({ quick });
};
const makeQuick = async (host: string): Promise<void> => {
  lanes.add(lease(host));
  await running.find(({ lease: { url } }) => url.includes(host))?.end({ quick: true });
};

describe('lanes', () => {
  it('give unknown origins half of the concurrency, and quick ones all of it', async () => {
    for (let i = 0; i < 10; i += 1) lanes.add(lease(`unknown${i}.example.com`));
    expect(running).toHaveLength(4);
    await endAll(true);
    for (let i = 0; i < 10; i += 1) lanes.add(lease(`unknown${i}.example.com`));
    expect(running).toHaveLength(8);
  });

  it('give one origin no more than its share', async () => {
    await makeQuick('one.example.com');
    for (let i = 0; i < 6; i += 1) lanes.add(lease('one.example.com', i));
    expect(running).toHaveLength(3);
    await running[0]?.end({ quick: true });
    expect(running).toHaveLength(3);
  });

  it('keep room for quick origins while others hang', async () => {
    await makeQuick('good.example.com');
    for (let i = 0; i < 20; i += 1) lanes.add(lease(`hangs${i}.example.com`));
    expect(running).toHaveLength(4);
    lanes.add(lease('good.example.com'));
    expect(hosts()).toContain('good.example.com');
  });

  it('demote an origin that was slow once', async () => {
    await makeQuick('was-good.example.com');
    lanes.add(lease('was-good.example.com'));
    await running[0]?.end({ quick: false });
    for (let i = 0; i < 4; i += 1) lanes.add(lease(`hangs${i}.example.com`));
    lanes.add(lease('was-good.example.com'));
    expect(hosts()).not.toContain('was-good.example.com');
  });

  it('run every lease in the end, each origin in order', async () => {
    const seen: string[] = [];
    for (let i = 0; i < 30; i += 1) lanes.add(lease(`h${i % 3}.example.com`, i));
    while (running.length > 0) {
      const [first] = running;
      seen.push(first?.lease.url ?? '');
      await first?.end({ quick: seen.length % 2 === 0 });
    }
    expect(seen).toHaveLength(30);
    expect(new Set(seen).size).toBe(30);
    expect([lanes.running, lanes.room]).toEqual([0, 8]);
  });

  it('have less room as they fill up, and give leases back from the longest queues', () => {
    for (let i = 0; i < 12; i += 1) lanes.add(lease('long.example.com', i));
    lanes.add(lease('short.example.com'));
    lanes.add(lease('short.example.com', 1));
    expect(running).toHaveLength(4);
    expect(lanes.room).toBe(4);
    const evicted = lanes.evict(2);
    expect(evicted).toHaveLength(8);
    expect(evicted.every(({ url }) => url.includes('long'))).toBe(true);
    expect(lanes.evict(2)).toEqual([]);
  });
});
