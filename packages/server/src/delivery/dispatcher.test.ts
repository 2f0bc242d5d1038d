import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import type { WebhookId } from '../base/ids.ts';
import { fresh } from '../domain/delivery.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import type { Lease } from '../store/webhooks/deliveries.ts';
import { partition } from '../store/keys.ts';
import { Dispatcher, type DeliveryLimits, type Run } from './dispatcher.ts';
import { Origins } from './origins.ts';

const limits = { all: 8, perDomain: 8, perAddress: 8 };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
type Running = {
  readonly lease: Lease;
  readonly domain: string;
  readonly end: (seen: { quick: boolean } | undefined) => Promise<void>;
};

let running: Running[];
/** All that was started, in order. */
let started: Lease[];
let dispatcher: Dispatcher;
let origins: Origins;
beforeEach(() => {
  dispatcher = open(limits);
});

const open = (chosen: DeliveryLimits): Dispatcher => {
  const mine: Running[] = (running = []);
  const all: Lease[] = (started = []);
  const run: Run = (lease, domain) =>
    new Promise((resolve) => {
      const one: Running = {
        lease,
        domain,
        end: async (seen) => {
          mine.splice(mine.indexOf(one), 1);
          resolve(seen);
          await ticks();
        },
      };
      mine.push(one);
      all.push(lease);
    });
  origins = new Origins();
  return new Dispatcher({ limits: chosen, origins, run, onFreed: () => undefined });
};

/** Waits until every lease that may start has started. */
const ticks = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await tick();
};
const add = (...leases: Lease[]): Promise<Lease[]> => addAll(leases, false);
/** Adds leases, and returns those that found no place. */
const addAll = async (leases: readonly Lease[], hasBacklog: boolean): Promise<Lease[]> => {
  const refused = leases.filter((one) => !dispatcher.add(one, { hasBacklog }));
  await ticks();
  return refused;
};
const lease = (host: string, i = 0): Lease => ({
  queue: partition(0),
  id: `wh_${host}_${i}` as WebhookId,
  url: `https://${host}/${i}` as WebhookUrl,
  token: 'claim',
  expiresAtMs: 0,
  progress: fresh(0),
});
const hosts = (): string[] => running.map(({ lease: { url } }) => new URL(url).hostname);
const some = (count: number, of: (i: number) => Lease): Lease[] => Array.from({ length: count }, (_, i) => of(i));
const endAll = async (quick: boolean): Promise<void> => {
  while (running.length > 0) await running[0]?.end({ quick });
};
const makeQuick = (host: string): void => {
  origins.of(`https://${host}/`).isQuick = true;
};

describe('the dispatcher', () => {
  it('tells a run the registrable domain that its endpoint shares with others', async () => {
    await add(lease('a.hooks.acme.co.uk:8443'), lease('acme.co.uk'), lease('acme.com'));
    expect(running.map(({ domain }) => domain)).toEqual(['acme.co.uk', 'acme.co.uk', 'acme.com']);
  });

  it('gives unknown origins half of the limit, and quick ones all of it', async () => {
    const leases = some(10, (i) => lease(`unknown${i}.test`));
    await add(...leases);
    expect(running).toHaveLength(4);
    await endAll(true);
    await add(...leases);
    expect(running).toHaveLength(8);
  });

  it('starts each lease at once if the caller waits at each pause', async () => {
    dispatcher = open({ ...limits, all: 64 });
    const leases = some(40, (i) => lease(`quick${i}.test`));
    for (const { url } of leases) makeQuick(new URL(url).hostname);
    for (const [i, one] of leases.entries()) {
      while (dispatcher.pause !== undefined) await dispatcher.pause;
      dispatcher.add(one, { hasBacklog: false });
      expect(running).toHaveLength(i + 1);
    }
  });

  it('gives one origin half of what its domain may have', async () => {
    makeQuick('one.test');
    makeQuick('other.one.test');
    await add(...some(6, (i) => lease('one.test', i)), lease('other.one.test'));
    expect(hosts()).toEqual([...Array<string>(4).fill('one.test'), 'other.one.test']);
    await running[0]?.end({ quick: true });
    expect(running).toHaveLength(5);
  });

  it('keeps room for quick origins while others hang', async () => {
    makeQuick('good.test');
    await add(...some(20, (i) => lease(`hangs${i}.test`)));
    expect(running).toHaveLength(4);
    await add(lease('good.test'));
    expect(hosts()).toContain('good.test');
  });

  it('demotes an origin that was slow once', async () => {
    makeQuick('was-good.test');
    await add(lease('was-good.test'));
    await running[0]?.end({ quick: false });
    await add(...some(4, (i) => lease(`hangs${i}.test`)), lease('was-good.test'));
    expect(hosts()).not.toContain('was-good.test');
  });

  it('runs every lease in the end, each origin in order', async () => {
    const seen: string[] = [];
    expect(await add(...some(12, (i) => lease(`h${i % 3}.test`, i)))).toEqual([]);
    while (running.length > 0) {
      const [first] = running;
      seen.push(first?.lease.url ?? '');
      await first?.end({ quick: seen.length % 2 === 0 });
    }
    expect(seen).toHaveLength(12);
    for (let host = 0; host < 3; host += 1) {
      const paths = seen
        .filter((url) => url.startsWith(`https://h${host}.`))
        .map((url) => Number(url.split('/').at(-1)));
      expect(paths).toEqual([...paths].sort((a, b) => a - b));
    }
    expect(new Set(seen).size).toBe(12);
    expect([dispatcher.running, dispatcher.capacity]).toEqual([0, { all: 8, backlog: 4 }]);
    await dispatcher.idle();
  });

  it('starts a burst in slices', async () => {
    dispatcher = open({ all: 400, perDomain: 400, perAddress: 400 });
    const counts: number[] = [];
    for (let i = 0; i < 40; i += 1) dispatcher.add(lease(`unknown${i}.test`), { hasBacklog: false });
    for (let i = 0; i < 4; i += 1) {
      counts.push(running.length);
      await tick();
    }
    expect(counts).toEqual([16, 32, 40, 40]);
  });

  it('has less capacity as it fills up, and runs everything that waits', async () => {
    await add(...some(5, (i) => lease('long.test', i)), ...some(2, (i) => lease('short.test', i)));
    expect(running).toHaveLength(4);
    expect(dispatcher.capacity).toEqual({ all: 4, backlog: 4 });
    expect(dispatcher.drain()).toHaveLength(3);
    expect(dispatcher.drain()).toEqual([]);
    await endAll(true);
    expect(dispatcher.capacity).toEqual({ all: 8, backlog: 4 });
  });

  it('has no capacity while leases wait, until an eighth of all could start', async () => {
    dispatcher = open({ all: 16, perDomain: 4, perAddress: 16 });
    const others = some(11, (i) => lease(`other${i}.test`));
    const one = some(6, (i) => lease(`h${i}.one.test`));
    for (const { url } of [...one, ...others]) makeQuick(new URL(url).hostname);
    await add(...one, ...others);
    expect([running.length, dispatcher.capacity.all]).toEqual([15, 0]);
    await running.at(-1)?.end({ quick: true });
    expect([running.length, dispatcher.capacity.all]).toEqual([14, 2]);
  });

  it('has no capacity for backlogs while half as many wait as may be in flight', async () => {
    dispatcher = open({ ...limits, perDomain: 2 });
    const behind = some(5, (i) => lease('behind.test', i));
    await addAll(behind.slice(1), true);
    expect([running.length, dispatcher.capacity]).toEqual([1, { all: 7, backlog: 1 }]);
    await addAll(behind.slice(0, 1), true);
    expect(dispatcher.capacity).toEqual({ all: 7, backlog: 0 });
  });

  it('never lets backlogs have all of the limit, so that new events start at once', async () => {
    for (let i = 0; i < 20; i += 1) makeQuick(`behind${i}.test`);
    makeQuick('honest.test');
    await addAll(
      some(10, (i) => lease(`behind${i}.test`)),
      true,
    );
    expect(running).toHaveLength(6);
    await add(lease('honest.test'));
    expect(hosts()).toContain('honest.test');
  });

  it('starts new events before a backlog that waited longer', async () => {
    await addAll(
      some(6, (i) => lease(`behind${i}.test`)),
      true,
    );
    await add(...some(2, (i) => lease(`honest${i}.test`)));
    expect(running).toHaveLength(4);
    for (let i = 0; i < 2; i += 1) await running[0]?.end({ quick: false });
    expect(hosts().slice(2)).toEqual(['honest0.test', 'honest1.test']);
  });

  it('gives the names of one registrable domain no more than its share, and slow ones half of that', async () => {
    dispatcher = open({ all: 100, perDomain: 6, perAddress: 100 });
    await add(...some(20, (i) => lease(`h${i}.wildcard.test`)));
    expect(running).toHaveLength(3);
    for (let i = 20; i < 40; i += 1) makeQuick(`h${i}.wildcard.test`);
    await add(...some(20, (i) => lease(`h${20 + i}.wildcard.test`)));
    expect(running).toHaveLength(6);
    await add(lease('neighbour.test'));
    expect(hosts()).toContain('neighbour.test');
  });

  it('gives one address no more than its share, whatever names resolve to it', async () => {
    dispatcher = open({ all: 100, perDomain: 50, perAddress: 6 });
    for (let i = 0; i < 20; i += 1) {
      origins.connected(`https://one${i}.test`, i % 2 === 0 ? '2606:4700:0:1::5' : '2606:4700:0:1:ffff::');
      makeQuick(`one${i}.test`);
    }
    await add(...some(20, (i) => lease(`one${i}.test`)));
    expect(running).toHaveLength(6);
    await add(lease('elsewhere.test'));
    expect(hosts()).toContain('elsewhere.test');
    const seen = new Set<string>();
    while (running.length > 0) {
      for (const host of hosts()) seen.add(host);
      await running[0]?.end({ quick: seen.size % 3 > 0 });
    }
    expect(seen.size).toBe(21);
  });

  it('lets origins that wait for an address take turns, so that a quick one is not stuck behind slow ones', async () => {
    dispatcher = open({ all: 100, perDomain: 50, perAddress: 8 });
    for (const host of [...some(16, (i) => lease(`slow${i}.test`)), ...some(5, (i) => lease(`quick${i}.test`))])
      origins.connected(new URL(host.url).origin, '192.0.2.1');
    for (let i = 0; i < 5; i += 1) makeQuick(`quick${i}.test`);
    await add(...some(16, (i) => lease(`slow${i}.test`)));
    await add(...some(5, (i) => lease(`quick${i}.test`)));
    expect(hosts()).toEqual([0, 1, 2, 3].map((i) => `slow${i}.test`).concat([0, 1, 2, 3].map((i) => `quick${i}.test`)));
    for (let ended = 0; ended < 2; ended += 1)
      await running.find(({ lease: { url } }) => url.startsWith('https://quick'))?.end({ quick: true });
    expect(hosts()).toContain('quick4.test');
  });

  it('lets domains take turns, however much one of them has waiting and under how many names', async () => {
    dispatcher = open({ all: 8, perDomain: 8, perAddress: 8 });
    const big = some(12, (i) => lease(`h${i % 4}.big.test`, i));
    for (const { url } of [...big, lease('small.test'), lease('other.test')]) makeQuick(new URL(url).hostname);
    await add(...big, ...some(2, (i) => lease('small.test', i)), ...some(2, (i) => lease('other.test', i)));
    const next: (string | undefined)[] = [];
    while (next.length < 6) {
      await running[0]?.end({ quick: true });
      next.push(hosts().at(-1));
    }
    expect(next).toEqual(['h0.big.test', 'small.test', 'other.test', 'h1.big.test', 'small.test', 'other.test']);
  });

  it('refuses leases without room, so that there is always some for others', async () => {
    dispatcher = open({ ...limits, perDomain: 6 });
    makeQuick('good.test');
    const refused = await add(...some(40, (i) => lease('greedy.test', i)));
    expect(refused.length).toBeGreaterThan(20);
    expect(await add(lease('other.test'))).toEqual([]);
    expect(await add(lease('good.test'))).toEqual([]);
    expect(hosts()).toContain('good.test');
    expect(dispatcher.capacity.all).toBeGreaterThan(0);
  });

  it('no longer counts deliveries to quick origins that hang, so that others continue', async () => {
    for (let i = 0; i < 10; i += 1) makeQuick(`hangs${i}.test`);
    makeQuick('honest.test');
    await add(...some(8, (i) => lease(`hangs${i}.test`)));
    expect([running.length, dispatcher.capacity.all]).toEqual([8, 0]);
    await until('there is room', () => dispatcher.capacity.all > 0);
    await add(lease('honest.test'));
    expect(hosts()).toContain('honest.test');
    expect(origins.of('https://hangs0.test/').isQuick).toBe(false);
    await endAll(false);
    expect([dispatcher.running, dispatcher.capacity.all]).toEqual([0, 8]);
  });
});

type Step = { readonly host?: number; readonly hasBacklog: boolean; readonly end: number; readonly quick: boolean };

it('starts each lease that it accepts once, those of an origin in order, within the limit of each domain', async () => {
  const step = fc.record(
    { host: fc.nat(11), hasBacklog: fc.boolean(), end: fc.nat(), quick: fc.boolean() },
    { requiredKeys: ['hasBacklog', 'end', 'quick'] },
  );
  /** What a step adds is numbered, so that it can be compared with what starts. */
  const isAccepted = ({ host, hasBacklog }: Step, i: number): boolean =>
    host !== undefined && dispatcher.add(leaseOf(host, hasBacklog, i), { hasBacklog });
  const leaseOf = (host: number, hasBacklog: boolean, i: number): Lease =>
    lease(`${hasBacklog ? 'b' : 'n'}${host}.owner${host % 4}.test`, i);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
      dispatcher = open({ all: 8, perDomain: 3, perAddress: 8 });
      const accepted: number[] = [];
      for (const [i, one] of steps.entries()) {
        if (isAccepted(one, i)) accepted.push(i);
        if (one.host === undefined && running.length > 0)
          await running[one.end % running.length]?.end({ quick: one.quick });
        for (const { domain } of running)
          expect(running.filter((other) => other.domain === domain).length).toBeLessThanOrEqual(3);
      }
      await endAll(true);
      const numbers = started.map(({ url }) => Number(url.split('/').at(-1)));
      expect([...numbers].sort((a, b) => a - b)).toEqual(accepted);
      for (const host of new Set(started.map(({ url }) => new URL(url).host))) {
        const its = numbers.filter((_number, i) => new URL(started[i]?.url ?? '').host === host);
        expect(its).toEqual([...its].sort((a, b) => a - b));
      }
      expect([dispatcher.running, dispatcher.capacity]).toEqual([0, { all: 8, backlog: 4 }]);
    }),
    { numRuns: 100 },
  );
});
