/**
 * The queue's scripts against a model of the promises in keys.ts, under random operations and a clock that is moved.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { openTestStore } from '@bot-directory/testing/store';
import { useStarted } from '@bot-directory/testing/use-started';
import { createIds, type WebhookId } from '../../src/base/ids.ts';
import type { Attempt } from '../../src/domain/attempt.ts';
import { subscriptionText, topicsOf, type Subscription } from '../../src/domain/subscription.ts';
import type { Author } from '../../src/domain/links.ts';
import { parseWebhookUrl, type WebhookTarget } from '../../src/domain/webhook-url.ts';
import {
  createDeliveries,
  type Claim,
  type Deliveries,
  type Lease,
  type LeaseResult,
  type Settlement,
} from '../../src/store/webhooks/deliveries.ts';
import { keys, ownQueue, partitionOf, type Queue } from '../../src/store/keys.ts';
import { createQueueState, type QueueState } from '../../src/store/webhooks/queue-state.ts';
import type { Store } from '../../src/redis/redis.ts';
import {
  createWebhookStore,
  type ChosenSubscription,
  type WebhookStore,
} from '../../src/store/webhooks/webhook-store.ts';

/** Far longer than a run of the test takes: the store's own clock goes on while the model's stands. */
const leaseMs = 1_000_000;
const toleranceMs = 60_000;
const ids = createIds(Date.now);
const targets = Array.from({ length: 6 }, (_, i): WebhookTarget => {
  const target = parseWebhookUrl(`https://hooks.example.com/${i}`, []);
  if (!target.ok) throw new Error(target.why);
  return target.value;
});
const partition = partitionOf('hooks.example.com');
const common = partition;
const own = ownQueue(partition);

const anyBot: Subscription = { categories: [], integrations: [], author: undefined, words: [], types: ['bot.created'] };
const author = '@ada' as Author;
/** What a registration may choose: with filters, events and formats, or what every webhook gets; or nothing. */
const choices: readonly (ChosenSubscription | undefined)[] = [
  undefined,
  undefined,
  'common' as const,
  { ...anyBot, author },
  { ...anyBot, types: ['bot.removed'] as const },
  { ...anyBot, format: 'slack' as const },
  { ...anyBot, author, format: 'discord' as const },
];
/** The topics of an event about a bot of this author, or of nobody. */
const topicsAbout = (isOurs: boolean): string[] =>
  ['any', ...(isOurs ? [`author ${author}`] : [])].map((topic) => `bot.created ${topic}`);

type Where = { state: 'idle' | 'asleep' | 'yielded' | 'stopped' } | { state: 'leased' | 'waiting'; atMs: number };
type Expected = {
  readonly id: WebhookId;
  cursor: number;
  failures: number;
  lastFailure: 'status' | undefined;
  subscription: Subscription | undefined;
  /** The newest first. */
  attempts: readonly Omit<Attempt, 'atMs'>[];
  where: Where;
};

let store: Store;
let offsetMs = 0;
let deliveries: Deliveries;
let queue: QueueState;
let webhooks: WebhookStore;
const redis = useStarted(startTestRedis);
beforeAll(async () => {
  store = await openTestStore(redis.url, { offsetMs: () => offsetMs });
  deliveries = createDeliveries(store, { leaseMs, steadyMs: () => offsetMs });
  queue = createQueueState(store);
  webhooks = createWebhookStore(store, { perHost: 1_000, perDomain: 1_000 });
});
afterAll(async () => {
  await store.close();
});

/** Both sides of the comparison. Every method does one thing to the store and to the model. */
class World {
  readonly #model = new Map<WebhookTarget, Expected>();
  readonly #leases: Lease[] = [];
  /** The token of the last lease of each. */
  readonly #tokens = new Map<WebhookId, string>();
  /** Numbers of events: they rise, and have gaps. */
  readonly #numbers: number[] = [0];
  /** Numbers of those about a bot of our author. */
  readonly #ours = new Set<number>();
  /** Up to here, events are passed for those that are asleep. */
  #passed = 0;
  #claims = 0;

  static async begin(): Promise<World> {
    await store.call((client) => client.flushall());
    offsetMs = 0;
    return new World();
  }

  async publish(gap: number, isOurs: boolean): Promise<void> {
    const head = this.#head();
    // Numbers of a later epoch are as large as microseconds since 1970.
    this.#numbers.push(head + 1 + gap + (head === 0 ? 0 : 1_800_000_000_000_000 * Number(head < 1e15)));
    const last = this.#head();
    if (isOurs) this.#ours.add(last);
    await store.call((client) => client.hset(keys.state, { events: last, announced: last }));
  }

  pass(ms: number): void {
    offsetMs += ms;
  }

  /** Passes all events for those that are asleep. The caller believes them to be `back` events further back. */
  async passEvents(back: number, mayJump: boolean): Promise<void> {
    const asleep = this.#own('asleep');
    const through = this.#head();
    const known = this.#numbers[Math.max(0, this.#numbers.indexOf(this.#passed) - back)] ?? 0;
    const from = mayJump && asleep.length === 0 ? through : known;
    const numbers = this.#numbers.filter((number) => number > from && number <= through);
    const topics = [...new Set(numbers.flatMap((number) => topicsAbout(this.#ours.has(number))))];
    const passed = await deliveries.pass(own, { from, through, topics });
    if (asleep.length + this.#own('idle').length === 0) {
      // Nothing is written if no webhook is asleep or idle.
      expect(passed).toEqual({ watermark: through, asleep: 0, idle: 0, behind: 0, isPassed: true });
      return;
    }
    const isPassed = from === this.#passed || (asleep.length === 0 && from > this.#passed);
    if (isPassed) {
      for (const webhook of this.#own('idle')) if (webhook.cursor >= from) webhook.where = { state: 'asleep' };
      for (const webhook of this.#own('asleep')) {
        if (!topicsOf(webhook.subscription as Subscription).some((topic) => topics.includes(topic))) continue;
        Object.assign(webhook, { cursor: Math.max(webhook.cursor, from), where: { state: 'idle' } });
      }
      this.#passed = through;
    }
    expect(passed).toEqual({
      watermark: this.#passed,
      asleep: this.#own('asleep').length,
      idle: this.#own('idle').length,
      behind: this.#own('idle').filter(({ cursor }) => cursor < this.#passed).length,
      isPassed,
    });
  }

  async add(index: number, choice?: ChosenSubscription): Promise<void> {
    const target = targetOf(index);
    const known = this.#model.get(target);
    const id = ids.webhook();
    const added = await webhooks.add(id, target, { subscription: choice });
    const chosen = choice === 'common' ? undefined : (choice ?? known?.subscription);
    const fresh = { failures: 0, lastFailure: undefined, subscription: chosen, where: { state: 'idle' } } as const;
    if (known === undefined) {
      expect(added).toEqual({ outcome: 'added', id });
      this.#model.set(target, { id, cursor: this.#head(), attempts: [], ...fresh });
      return;
    }
    const isHeldUp = known.where.state === 'stopped' || known.where.state === 'waiting';
    const isOther = JSON.stringify(chosen) !== JSON.stringify(known.subscription);
    expect(added).toEqual({ outcome: isHeldUp ? 'resumed' : isOther ? 'replaced' : 'exists', id: known.id });
    if (isHeldUp || isOther) Object.assign(known, { cursor: this.#position(known), ...fresh });
  }

  async remove(index: number): Promise<void> {
    expect(await webhooks.remove(targetOf(index))).toBe(this.#model.delete(targetOf(index)));
  }

  /** Claims leases. `isLost`: the reply is lost, and the claim is repeated. */
  async claim(most: number, mostBacklog: number, isLost: boolean, isOwn: boolean): Promise<void> {
    const from = isOwn ? own : common;
    const token = `claim.${(this.#claims += 1)}`;
    const request = { head: this.#head(), most, mostBacklog: Math.min(most, mostBacklog), token };
    const all = [...this.#model.values()].filter(({ subscription }) => (subscription !== undefined) === isOwn);
    const claimable = all
      .map((webhook) => ({
        webhook,
        isBehind: this.#isBehind(webhook),
        hasBacklog: isDue(webhook) || hasYielded(webhook),
      }))
      .filter((one) => one.isBehind || one.hasBacklog);
    const lost = isLost ? (await deliveries.claim(from, { ...request, isRepeated: false })).leases : [];
    const claim = await deliveries.claim(from, {
      ...request,
      isRepeated: isLost,
      ...(isLost ? { most: 1, mostBacklog: 0 } : {}),
    });
    const claimed = claim.leases.map(({ id }) => this.#byId(id)).filter((webhook) => webhook !== undefined);
    expect(new Set(claimed).size).toBe(claim.leases.length);
    for (const { id } of lost) expect(claimed.map((webhook) => webhook.id)).toContain(id);
    for (const webhook of claimed) expect(claimable.map((one) => one.webhook)).toContain(webhook);
    if (!isLost) expectFairShares(claim, { claimed, claimable, most, mostBacklog });
    for (const lease of claim.leases) this.#expectLease(lease, token, from);
    for (const webhook of claimed) webhook.where = { state: 'leased', atMs: offsetMs + leaseMs };
    const dueInMs = Math.min(...all.flatMap(({ where }) => ('atMs' in where ? [where.atMs - offsetMs] : [])));
    if (dueInMs === Infinity) expect(claim.dueInMs).toBe(Infinity);
    else expect(Math.abs(claim.dueInMs - Math.max(0, dueInMs))).toBeLessThan(toleranceMs);
    for (const lease of claim.leases) this.#leases.push(lease);
    for (const { id } of claim.leases) this.#tokens.set(id, token);
  }

  /** Settles leases, lost ones among them, in one batch. */
  async settle(picks: readonly (readonly [lease: number, kind: LeaseResult['kind'], ms: number])[]): Promise<void> {
    const chosen = new Map(
      picks.map(([index, kind, ms]) => {
        const lease = this.#leases.at(-1 - (index % Math.max(1, this.#leases.length)));
        return [lease, { kind, ms }] as const;
      }),
    );
    const settlements: Settlement[] = [];
    const expected = new Map<Settlement, boolean>();
    for (const [lease, { kind, ms }] of chosen) {
      if (lease === undefined || settlements.some((other) => other.lease.id === lease.id)) continue;
      const webhook = this.#byId(lease.id);
      const holds = webhook?.where.state === 'leased' && this.#tokens.get(lease.id) === lease.token;
      const isFailed = kind === 'stop' || (kind === 'wait' && ms % 2 === 0);
      const cursor = isFailed ? lease.progress.cursor : this.#after(lease.progress.cursor);
      const progress = { ...lease.progress, cursor, failures: isFailed ? lease.progress.failures + 1 : 0 };
      const delayMs = ms * 100_000;
      const result: LeaseResult = kind === 'wait' ? { kind, delayMs } : { kind };
      const attempt = {
        status: isFailed ? 500 : 200,
        failure: isFailed ? ('status' as const) : undefined,
        durationMs: ms,
      };
      const note = {
        progress,
        ...(isFailed ? { failure: 'status' as const } : {}),
        ...(ms % 3 === 0 ? {} : { attempt }),
      };
      const settlement: Settlement = { lease, result, note };
      settlements.push(settlement);
      expected.set(settlement, holds);
      if (!holds) continue;
      webhook.cursor = cursor;
      if (ms % 3 !== 0) webhook.attempts = [attempt, ...webhook.attempts].slice(0, 10);
      if (isFailed) Object.assign(webhook, { failures: progress.failures, lastFailure: 'status' });
      else Object.assign(webhook, { failures: 0, lastFailure: undefined });
      webhook.where = whereAfter(kind, delayMs);
      if (kind === 'keep') this.#leases.push({ ...lease, progress });
    }
    for (const one of [common, own]) {
      const some = settlements.filter(({ lease }) => lease.queue === one);
      expect(await deliveries.settle(one, some)).toEqual(some.map((settlement) => expected.get(settlement)));
    }
  }

  async compare(): Promise<void> {
    for (const target of targets) await this.#compareOne(target);
    const all = [...this.#model.values()];
    const count = (state: Where['state']): number => all.filter(({ where }) => where.state === state).length;
    expect(await queue.counts()).toMatchObject({
      registered: all.length,
      behind: all.filter((webhook) => this.#isBehind(webhook) || hasYielded(webhook)).length,
      leased: count('leased'),
      waiting: count('waiting'),
      stopped: count('stopped'),
    });
    // An idle webhook that has not failed costs its cursor and nothing else.
    expect(await store.call((client) => client.hlen(partition.taken))).toBe(
      all.length - count('idle') - count('asleep'),
    );
    expect(await store.call((client) => client.hlen(partition.failures))).toBe(
      all.filter(({ lastFailure }) => lastFailure !== undefined).length,
    );
    const subscriptions = all.flatMap(({ id, subscription }) =>
      subscription === undefined ? [] : [[id, subscription] as const],
    );
    expect(await store.call((client) => client.hgetall(own.subscriptions))).toEqual(
      Object.fromEntries(subscriptions.map(([id, subscription]) => [id, subscriptionText(subscription)])),
    );
    expect(new Set(await store.call((client) => client.zrange(own.topics, '0', '-1')))).toEqual(
      new Set(subscriptions.flatMap(([id, subscription]) => topicsOf(subscription).map((topic) => `${topic}\n${id}`))),
    );
  }

  /** Removes all webhooks, and expects that they leave nothing behind. */
  async empty(): Promise<void> {
    for (const target of targets) await webhooks.remove(target);
    const left = await store.call((client) => client.keys('bots:{webhooks-*'));
    expect(left.filter((key) => key !== own.watermark)).toEqual([]);
  }

  async #compareOne(target: WebhookTarget): Promise<void> {
    const webhook = this.#model.get(target);
    const { nextAttemptAtMs, attempts = [], ...state } = (await queue.statusOf(target)) ?? {};
    if (webhook === undefined) {
      expect(state).toEqual({});
      expect(nextAttemptAtMs).toBeUndefined();
      return;
    }
    expect(state).toEqual({
      isStopped: webhook.where.state === 'stopped',
      failures: webhook.failures,
      lastFailure: webhook.lastFailure,
      cursor: this.#position(webhook),
      subscription: webhook.subscription,
      accepted: undefined,
      skipped: [],
    });
    expect(attempts.map(({ atMs: _, ...attempt }) => attempt)).toEqual(webhook.attempts);
    if (webhook.where.state !== 'waiting') expect(nextAttemptAtMs).toBeUndefined();
    else expect(Math.abs((nextAttemptAtMs ?? 0) - webhook.where.atMs - Date.now())).toBeLessThan(toleranceMs);
  }

  #expectLease(lease: Lease, token: string, from: Queue): void {
    const [target, webhook] = [...this.#model].find(([, { id }]) => id === lease.id) ?? [];
    expect(lease).toEqual({
      queue: from,
      id: webhook?.id,
      url: target?.url,
      secret: undefined,
      subscription: webhook?.subscription,
      token,
      expiresAtMs: offsetMs + leaseMs,
      progress: {
        cursor: webhook?.cursor,
        failures: webhook?.failures,
        ownFaults: 0,
      },
    });
  }

  #head(): number {
    return this.#numbers.at(-1) ?? 0;
  }

  #after(cursor: number): number {
    return this.#numbers.find((number) => number > cursor) ?? cursor;
  }

  /** Returns the number of the last event that a webhook has. */
  #position({ where, cursor }: Expected): number {
    return where.state === 'asleep' ? Math.max(cursor, this.#passed) : cursor;
  }

  /** Returns the webhooks with a subscription that are in this state. */
  #own(state: Where['state']): Expected[] {
    return [...this.#model.values()].filter(
      ({ subscription, where }) => subscription !== undefined && where.state === state,
    );
  }

  #isBehind({ where, cursor }: Expected): boolean {
    return where.state === 'idle' && cursor < this.#head();
  }

  #byId(id: WebhookId): Expected | undefined {
    return [...this.#model.values()].find((webhook) => webhook.id === id);
  }
}

const isDue = ({ where }: Expected): boolean => 'atMs' in where && where.atMs <= offsetMs;
const hasYielded = ({ where }: Expected): boolean => where.state === 'yielded';
const targetOf = (index: number): WebhookTarget => targets[index % targets.length] as WebhookTarget;

const whereAfter = (kind: LeaseResult['kind'], delayMs: number): Where => {
  if (kind === 'keep') return { state: 'leased', atMs: offsetMs + leaseMs };
  if (kind === 'wait') return { state: 'waiting', atMs: offsetMs + delayMs };
  return { state: kind === 'stop' ? 'stopped' : kind === 'yield' ? 'yielded' : 'idle' };
};

type Claimable = { readonly webhook: Expected; readonly isBehind: boolean; readonly hasBacklog: boolean };
type Asked = {
  readonly claimed: readonly Expected[];
  readonly claimable: readonly Claimable[];
  readonly most: number;
  readonly mostBacklog: number;
};

const expectFairShares = (claim: Claim, { claimed, claimable, most, mostBacklog }: Asked): void => {
  const backlog = claimable.filter((one) => one.hasBacklog);
  const behind = claimable.filter((one) => one.isBehind);
  const taken = (some: readonly Claimable[]): number => some.filter(({ webhook }) => claimed.includes(webhook)).length;
  expect(claimed.length).toBeLessThanOrEqual(most);
  expect(taken(backlog)).toBeLessThanOrEqual(mostBacklog);
  // The claim reports what it leaves, and takes something whenever there is something to take.
  expect(claim.moreBehind).toBe(taken(behind) < behind.length);
  expect(claim.moreBacklog).toBe(taken(backlog) < backlog.length);
  if (behind.length > 0 || (backlog.length > 0 && mostBacklog > 0)) expect(claimed.length).toBeGreaterThan(0);
  // The highest cursor comes first, so that a new event never waits for older ones.
  const cursors = behind.map(({ webhook }) => webhook.cursor);
  const newest = claimed.filter((webhook) => behind.some((one) => one.webhook === webhook)).map(({ cursor }) => cursor);
  if (newest.length > 0) expect(Math.max(...newest)).toBe(Math.max(...cursors));
};

const small = fc.nat({ max: 20 });
const kind = fc.constantFrom<LeaseResult['kind']>('advance', 'yield', 'keep', 'wait', 'stop');
const operation: fc.Arbitrary<(world: World) => Promise<void> | void> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(small, fc.boolean()).map((event) => (world: World) => world.publish(...event)) },
  {
    weight: 2,
    arbitrary: fc.tuple(small, fc.constantFrom(...choices)).map((choice) => (world: World) => world.add(...choice)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(0, 0, 1), fc.boolean())
      .map((passing) => (world: World) => world.passEvents(...passing)),
  },
  { weight: 1, arbitrary: small.map((i) => (world: World) => world.remove(i)) },
  {
    weight: 2,
    arbitrary: fc
      .nat({ max: 20 })
      .map((tenths) => (tenths * leaseMs) / 10)
      .map((ms) => (world: World) => world.pass(ms)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.nat({ max: 5 }), fc.boolean(), fc.boolean())
      .map((request) => (world: World) => world.claim(...request)),
  },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(small, kind, small), { minLength: 1, maxLength: 4 })
      .map((picks) => (world: World) => world.settle(picks)),
  },
);

// It compares the whole queue with the model after each of a thousand operations.
const timeout = 300_000;

it(
  'keeps every webhook in exactly one state, with its own cursor, whatever happens in whatever order',
  { timeout },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 30, maxLength: 60, size: 'max' }), async (operations) => {
        const world = await World.begin();
        for (let i = 0; i < targets.length - 1; i += 1) await world.add(i, choices[i + 2]);
        for (const operate of operations) {
          await operate(world);
          await world.compare();
        }
        await world.empty();
      }),
      { numRuns: 25 },
    );
  },
);
