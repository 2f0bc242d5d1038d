/** The queue's scripts against a model of what keys.ts promises, under random operations and a clock that is moved. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createIds, type WebhookId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { parseWebhookUrl, type WebhookTarget } from '../../src/domain/webhook-url.ts';
import {
  createDeliveries,
  type Deliveries,
  type Ending,
  type Lease,
  type Settlement,
} from '../../src/store/deliveries.ts';
import { keys, partitionOf } from '../../src/store/keys.ts';
import { openStore, waitForStore, type Store } from '../../src/store/redis.ts';
import { createWebhookStore, type WebhookStore } from '../../src/store/webhook-store.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const leaseMs = 100;
const ids = createIds(Date.now);
const targets = Array.from({ length: 6 }, (_, i): WebhookTarget => {
  const target = parseWebhookUrl(`https://hooks.example.com/${i}`, []);
  if (!target.ok) throw new Error(target.why);
  return target.value;
});
const place = partitionOf('hooks.example.com');

type Where = { place: 'idle' | 'stopped' } | { place: 'leased' | 'waiting'; atMs: number };
type Expected = {
  readonly id: WebhookId;
  cursor: number;
  failures: number;
  lastFailure: 'status' | undefined;
  where: Where;
};

let redis: TestRedis;
let store: Store;
let deliveries: Deliveries;
let webhooks: WebhookStore;
beforeAll(async () => {
  redis = await startTestRedis();
  store = openStore([redis.url], createLog('silent'));
  expect(await waitForStore(store, 5_000)).toBe(true);
  deliveries = createDeliveries(store);
  webhooks = createWebhookStore(store, 1_000);
});
afterAll(async () => {
  await store.close();
  await redis.stop();
});

/** Both sides of the comparison. Every method does one thing to the store and to the model. */
const begin = async () => {
  await store.call((client) => client.flushall());
  const model = new Map<WebhookTarget, Expected>();
  const leases: Lease[] = [];
  let head = 0;
  let nowMs = 1_000;

  const isDue = ({ where }: Expected): boolean => 'atMs' in where && where.atMs <= nowMs;
  const isBehind = ({ where, cursor }: Expected): boolean => where.place === 'idle' && cursor < head;
  const byId = (id: WebhookId): Expected | undefined => [...model.values()].find((webhook) => webhook.id === id);
  const targetOf = (index: number): WebhookTarget => targets[index % targets.length] as WebhookTarget;

  return {
    publish: async (): Promise<void> => {
      head = await store.call((client) => client.hincrby(keys.state, 'events', 1));
    },
    pass: (ms: number): void => void (nowMs += ms),
    add: async (index: number): Promise<void> => {
      const target = targetOf(index);
      const known = model.get(target);
      const id = ids.webhook();
      const added = await webhooks.add(id, target);
      if (known === undefined) {
        expect(added).toEqual({ outcome: 'added', id });
        model.set(target, { id, cursor: head, failures: 0, lastFailure: undefined, where: { place: 'idle' } });
      } else if (known.where.place === 'stopped') {
        expect(added).toEqual({ outcome: 'resumed', id: known.id });
        Object.assign(known, { failures: 0, lastFailure: undefined, where: { place: 'idle' } });
      } else expect(added).toEqual({ outcome: 'exists', id: known.id });
    },
    remove: async (index: number): Promise<void> => {
      expect(await webhooks.remove(targetOf(index))).toBe(model.delete(targetOf(index)));
    },
    claim: async (most: number): Promise<void> => {
      const all = [...model.values()];
      const claimable = all.filter((webhook) => isDue(webhook) || isBehind(webhook));
      const untilMs = nowMs + leaseMs;
      const claim = await deliveries.claim(place, { nowMs, head, most, untilMs });
      const claimed = claim.leases.map(({ id }) => byId(id)).filter((webhook) => webhook !== undefined);
      expect(new Set(claimed).size).toBe(claim.leases.length);
      expect(claim.leases.length).toBeLessThanOrEqual(most);
      // Nothing that could be leased is left behind unsaid, and something is taken whenever there is something.
      if (!claim.more) expect(claim.leases.length).toBe(claimable.length);
      expect(claim.leases.length > 0).toBe(claimable.length > 0);
      const left = claimable.filter((webhook) => !claimed.includes(webhook) && isBehind(webhook));
      for (const webhook of claimed) {
        expect(claimable).toContain(webhook);
        if (isBehind(webhook))
          expect(webhook.cursor).toBeLessThanOrEqual(Math.min(...left.map(({ cursor }) => cursor)));
      }
      for (const lease of claim.leases) {
        const [target, webhook] = [...model].find(([, { id }]) => id === lease.id) ?? [];
        expect(lease).toEqual({
          partition: place,
          id: webhook?.id,
          url: target?.url,
          untilMs,
          progress: {
            cursor: webhook?.cursor,
            failures: webhook?.failures,
            failuresAtWait: webhook?.failures,
            probing: false,
          },
        });
      }
      for (const webhook of claimed) webhook.where = { place: 'leased', atMs: untilMs };
      expect(claim.dueAtMs).toBe(Math.min(...all.flatMap(({ where }) => ('atMs' in where ? [where.atMs] : []))));
      leases.push(...claim.leases);
    },
    /** Settles leases, lost ones among them, in one batch. */
    settle: async (picks: readonly (readonly [lease: number, step: Ending['step'], ms: number])[]): Promise<void> => {
      const chosen = new Map(
        picks.map(([index, step, ms]) => [leases.at(-1 - (index % Math.max(1, leases.length))), { step, ms }] as const),
      );
      const settlements: Settlement[] = [];
      const expected: boolean[] = [];
      for (const [lease, { step, ms }] of chosen) {
        if (lease === undefined || settlements.some((other) => other.lease.id === lease.id)) continue;
        const webhook = byId(lease.id);
        const holds = webhook?.where.place === 'leased' && webhook.where.atMs === lease.untilMs;
        const failed = step === 'stop' || (step === 'wait' && ms % 2 === 0);
        const cursor = failed ? lease.progress.cursor : Math.min(head, lease.progress.cursor + 1);
        const progress = { ...lease.progress, cursor, failures: failed ? lease.progress.failures + 1 : 0 };
        const ending: Ending =
          step === 'keep'
            ? { step, untilMs: nowMs + leaseMs + 1 }
            : step === 'wait'
              ? { step, atMs: nowMs + ms, ...(failed ? { failure: 'status' } : {}) }
              : step === 'stop'
                ? { step, failure: 'status' }
                : { step };
        settlements.push({ ...ending, lease, progress });
        expected.push(holds);
        if (!holds) continue;
        webhook.cursor = cursor;
        if (failed) Object.assign(webhook, { failures: progress.failures, lastFailure: 'status' });
        if (step === 'advance' || step === 'keep') Object.assign(webhook, { failures: 0, lastFailure: undefined });
        webhook.where =
          ending.step === 'keep'
            ? { place: 'leased', atMs: ending.untilMs }
            : ending.step === 'wait'
              ? { place: 'waiting', atMs: ending.atMs }
              : { place: step === 'stop' ? 'stopped' : 'idle' };
        if (ending.step === 'keep')
          leases.push({ ...lease, untilMs: ending.untilMs, progress: { ...progress, failuresAtWait: 0 } });
      }
      expect(await deliveries.settle(place, settlements)).toEqual(expected);
    },
    compare: async (): Promise<void> => {
      for (const target of targets) {
        const webhook = model.get(target);
        expect(await deliveries.statusOf(target)).toEqual(
          webhook && {
            isStopped: webhook.where.place === 'stopped',
            failures: webhook.failures,
            lastFailure: webhook.lastFailure,
            pending: head - webhook.cursor,
            nextAttemptAtMs: webhook.where.place === 'waiting' ? webhook.where.atMs : undefined,
          },
        );
      }
      const all = [...model.values()];
      const count = (where: Where['place']): number => all.filter((webhook) => webhook.where.place === where).length;
      expect(await deliveries.queueState()).toMatchObject({
        registered: all.length,
        behind: all.filter(isBehind).length,
        leased: count('leased'),
        waiting: count('waiting'),
        stopped: count('stopped'),
        events: head,
      });
      // An idle webhook that has not failed costs its place and nothing else.
      expect(await store.call((client) => client.hlen(place.taken))).toBe(all.length - count('idle'));
      expect(await store.call((client) => client.hlen(place.failures))).toBe(
        all.filter(({ lastFailure }) => lastFailure !== undefined).length,
      );
    },
    /** A webhook that is gone leaves nothing behind. */
    empty: async (): Promise<void> => {
      for (const target of targets) await webhooks.remove(target);
      expect(await store.call((client) => client.keys('bots:{webhooks-*'))).toEqual([]);
    },
  };
};

type World = Awaited<ReturnType<typeof begin>>;
const small = fc.nat({ max: 20 });
const step = fc.constantFrom<Ending['step']>('advance', 'keep', 'wait', 'stop');
const operation: fc.Arbitrary<(world: World) => Promise<void> | void> = fc.oneof(
  { weight: 2, arbitrary: fc.constant((world: World) => world.publish()) },
  { weight: 2, arbitrary: small.map((i) => (world: World) => world.add(i)) },
  { weight: 1, arbitrary: small.map((i) => (world: World) => world.remove(i)) },
  { weight: 2, arbitrary: fc.nat({ max: 2 * leaseMs }).map((ms) => (world: World) => world.pass(ms)) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }).map((most) => (world: World) => world.claim(most)) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(small, step, small), { minLength: 1, maxLength: 4 })
      .map((picks) => (world: World) => world.settle(picks)),
  },
);

it('keeps every webhook in exactly one place, with its own cursor, whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 30, maxLength: 60, size: 'max' }), async (operations) => {
      const world = await begin();
      for (let i = 0; i < targets.length - 1; i += 1) await world.add(i);
      for (const operate of operations) {
        await operate(world);
        await world.compare();
      }
      await world.empty();
    }),
    { numRuns: 25 },
  );
}, 60_000);
