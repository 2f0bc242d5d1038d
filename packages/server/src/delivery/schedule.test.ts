import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Schedule, type Plan, type Situation } from './schedule.ts';

const pollMs = 1_000;
const plenty = { all: 1_024, backlog: 512 };
const nothing = { moreBehind: false, moreBacklog: false, isEmpty: false, dueInMs: Infinity };
const sent = { head: 7, registrations: '1' };
const at = (more: Partial<Situation> = {}): Situation => ({
  nowMs: 0,
  ...sent,
  capacity: plenty,
  isPaused: false,
  ...more,
});

const scheduleOf = (queues: number): Schedule =>
  new Schedule(
    Array.from({ length: queues }, () => ({ isOwn: false })),
    pollMs,
  );

/** Plays a claim, from its way to the store to its reply. */
const claim = (
  schedule: Schedule,
  queue: number,
  found: Partial<typeof nothing> = {},
  { nowMs = 0, granted = 0 } = {},
): void => {
  schedule.claiming(queue, sent);
  schedule.claimed(queue, { ...nothing, ...found }, { nowMs, granted, refused: 0 });
};

/** A schedule of so many queues that has claimed each once, at time 0 and head 7, and found nothing. */
const settled = (queues: number, found: Partial<typeof nothing> = {}): Schedule => {
  const schedule = scheduleOf(queues);
  schedule.plan(at());
  for (let i = 0; i < queues; i += 1) claim(schedule, i, found);
  return schedule;
};

describe('the schedule', () => {
  it.each<[string, Schedule, Partial<Situation>, Plan]>([
    [
      'claims everywhere when nothing is known',
      scheduleOf(2),
      {},
      { kind: 'claim', queues: [0, 1], most: 512, mostBacklog: 256 },
    ],
    ['sleeps when nothing is left', settled(2), {}, { kind: 'sleep', forMs: pollMs }],
    ['begins nothing while it is paused', scheduleOf(2), { isPaused: true }, { kind: 'sleep', forMs: pollMs }],
    [
      'claims when the log has grown',
      settled(2),
      { head: 8 },
      { kind: 'claim', queues: [0, 1], most: 512, mostBacklog: 256 },
    ],
    [
      'claims when the log was replaced by one with lower numbers',
      settled(1),
      { head: 3 },
      { kind: 'claim', queues: [0], most: 1_024, mostBacklog: 512 },
    ],
    [
      'claims no queue that is empty when the log has grown',
      settled(2, { isEmpty: true }),
      { head: 8 },
      { kind: 'sleep', forMs: pollMs },
    ],
    [
      'claims it when webhooks were registered before',
      settled(2, { isEmpty: true }),
      { head: 8, registrations: '2' },
      { kind: 'claim', queues: [0, 1], most: 512, mostBacklog: 256 },
    ],
    ['sleeps until the next wait is over', settled(2, { dueInMs: 300 }), {}, { kind: 'sleep', forMs: 300 }],
    [
      'claims when it is',
      settled(1, { dueInMs: 300 }),
      { nowMs: 300 },
      { kind: 'claim', queues: [0], most: 1_024, mostBacklog: 512 },
    ],
    [
      'goes on where there was more',
      settled(1, { moreBehind: true }),
      {},
      { kind: 'claim', queues: [0], most: 1_024, mostBacklog: 512 },
    ],
    [
      'claims no backlog without room for one',
      settled(1, { moreBehind: true, moreBacklog: true }),
      { capacity: { all: 100, backlog: 0 } },
      { kind: 'claim', queues: [0], most: 100, mostBacklog: 0 },
    ],
    [
      'sleeps when only a backlog is left and there is no room for it',
      settled(1, { moreBacklog: true }),
      { capacity: { all: 100, backlog: 0 } },
      { kind: 'sleep', forMs: pollMs },
    ],
    [
      'sleeps when there is no room at all',
      scheduleOf(2),
      { capacity: { all: 0, backlog: 0 } },
      { kind: 'sleep', forMs: pollMs },
    ],
    [
      'claims in few queues when few leases are wanted',
      scheduleOf(16),
      { capacity: { all: 100, backlog: 50 } },
      { kind: 'claim', queues: [0, 1], most: 64, mostBacklog: 25 },
    ],
  ])('%s', (_what, schedule, situation, plan) => {
    expect(schedule.plan(at(situation))).toEqual(plan);
  });

  it('takes queues in turn', () => {
    const schedule = scheduleOf(4);
    const small = { capacity: { all: 64, backlog: 0 } };
    const order: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      const plan = schedule.plan(at(small));
      if (plan.kind !== 'claim') throw new Error('it sleeps');
      order.push(...plan.queues);
      for (const one of plan.queues) claim(schedule, one, { moreBehind: true });
    }
    expect(order).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it('begins with the queue that last had most, however often it was claimed', () => {
    const schedule = settled(4);
    claim(schedule, 2, {}, { granted: 64 });
    claim(schedule, 1, {}, { granted: 20 });
    claim(schedule, 2);
    expect(schedule.plan(at({ head: 8 }))).toMatchObject({ queues: [2, 1, 0, 3] });
  });

  it('leaves a backlog alone for a moment when there was no room for what a claim found', () => {
    const schedule = settled(1);
    schedule.claiming(0, sent);
    schedule.claimed(0, { ...nothing, moreBacklog: true }, { nowMs: 0, granted: 0, refused: 5 });
    expect(schedule.plan(at())).toEqual({ kind: 'sleep', forMs: 250 });
    expect(schedule.plan(at({ nowMs: 250 })).kind).toBe('claim');
  });

  it('wakes for settlements that change its plan, and for no others', () => {
    const schedule = settled(1, { dueInMs: 500 });
    const note = { nowMs: 0, isBehind: false };
    expect(schedule.settled(0, { kind: 'advance' }, note)).toBe(false);
    expect(schedule.settled(0, { kind: 'keep' }, note)).toBe(false);
    expect(schedule.settled(0, { kind: 'stop' }, note)).toBe(false);
    expect(schedule.settled(0, { kind: 'wait', delayMs: 600 }, note)).toBe(false);
    expect(schedule.settled(0, { kind: 'wait', delayMs: 100 }, note)).toBe(true);
    expect(schedule.plan(at())).toEqual({ kind: 'sleep', forMs: 100 });
    expect(schedule.settled(0, { kind: 'advance' }, { ...note, isBehind: true })).toBe(true);
    expect(schedule.settled(0, { kind: 'yield' }, note)).toBe(true);
    expect(schedule.plan(at()).kind).toBe('claim');
  });

  it('forgets nothing that is reported during a claim', () => {
    const note = { nowMs: 0, isBehind: true };
    for (const result of [{ kind: 'advance' }, { kind: 'yield' }, { kind: 'wait', delayMs: 0 }] as const) {
      const schedule = settled(1);
      schedule.claiming(0, sent);
      expect(schedule.settled(0, result, note)).toBe(true);
      schedule.claimed(0, nothing, { nowMs: 0, granted: 0, refused: 0 });
      expect(schedule.plan(at()).kind).toBe('claim');
    }
  });

  it('claims webhooks with a subscription of their own only when they are woken', () => {
    const schedule = new Schedule([{ isOwn: true }], pollMs);
    schedule.plan(at());
    claim(schedule, 0);
    expect(schedule.plan(at({ head: 8 }))).toEqual({ kind: 'sleep', forMs: pollMs });
    schedule.woken(0);
    expect(schedule.plan(at({ head: 8 })).kind).toBe('claim');
  });

  it('claims again after a claim without a reply', () => {
    const schedule = settled(1);
    schedule.claiming(0, sent);
    schedule.unanswered(0);
    expect(schedule.plan(at()).kind).toBe('claim');
  });

  it('knows which webhooks lack only new events: those that had everything a second ago', () => {
    const schedule = settled(1);
    schedule.plan(at({ nowMs: 1_000, head: 7 }));
    schedule.plan(at({ nowMs: 1_100, head: 1_800_000_000_000_000 }));
    expect([6, 7, 8].map((cursor) => schedule.hasBacklog(cursor))).toEqual([true, false, false]);
    schedule.plan(at({ nowMs: 2_000, head: 1_800_000_000_000_000 }));
    schedule.plan(at({ nowMs: 3_000, head: 1_800_000_000_000_000 }));
    expect(schedule.hasBacklog(8)).toBe(true);
  });

  it('claims an empty queue again if it was filled after a claim that reached the store earlier', () => {
    const schedule = settled(1);
    schedule.claiming(0, sent);
    // The event, and the registration before it, are seen before the reply.
    const later = at({ head: 8, registrations: '2' });
    schedule.claimed(0, { ...nothing, isEmpty: true }, { nowMs: 0, granted: 0, refused: 0 });
    expect(schedule.plan(later).kind).toBe('claim');
  });

  it('claims an empty queue when everything is checked again', () => {
    const schedule = settled(1, { isEmpty: true });
    schedule.recheckAll();
    expect(schedule.plan(at()).kind).toBe('claim');
  });

  it('says when only room was missing', () => {
    const schedule = scheduleOf(1);
    schedule.plan(at({ capacity: { all: 0, backlog: 0 } }));
    expect(schedule.isWaitingFor({ all: 0, backlog: 0 })).toBe(false);
    expect(schedule.isWaitingFor({ all: 64, backlog: 0 })).toBe(true);
    expect(settled(1).isWaitingFor(plenty)).toBe(false);
  });
});

type Work = { behind: number; backlog: number; waits: number[] };

it('leases all there is in the end, never more than there is room for, and never spins', () => {
  const work = fc.record({
    behind: fc.nat(300),
    backlog: fc.nat(300),
    waits: fc.array(fc.nat(5_000), { maxLength: 20 }),
  });
  const room = fc.integer({ min: 1, max: 1_024 });
  fc.assert(
    fc.property(fc.array(work, { minLength: 1, maxLength: 16 }), room, fc.nat(512), (found, all, backlog) => {
      const queues: Work[] = found.map((one) => ({ ...one, waits: [...one.waits] }));
      const schedule = scheduleOf(queues.length);
      const situation = { ...sent, isPaused: false, capacity: { all, backlog: Math.min(all, backlog + 1) } };
      let nowMs = 0;
      let steps = 0;
      const isLeft = (): boolean => queues.some((one) => one.behind + one.backlog + one.waits.length > 0);
      while (isLeft()) {
        // Every claim takes something or is the first; every sleep brings the next wait nearer.
        if ((steps += 1) > 20_000) throw new Error('it spins');
        const plan = schedule.plan({ nowMs, ...situation });
        if (plan.kind === 'sleep') {
          expect(plan.forMs).toBeGreaterThan(0);
          nowMs += plan.forMs;
          continue;
        }
        expect(plan.queues.length).toBeGreaterThan(0);
        expect(plan.queues.length * plan.most).toBeLessThan(all + Math.max(64, plan.most) + plan.queues.length);
        for (const number of plan.queues) claim(schedule, number, take(queues, number, { plan, nowMs }), { nowMs });
      }
      // Then it sleeps.
      for (const number of queues.keys()) claim(schedule, number, {}, { nowMs });
      expect(schedule.plan({ nowMs, ...situation })).toEqual({ kind: 'sleep', forMs: pollMs });
    }),
    { numRuns: 200 },
  );
});

/** What the script does, in numbers. */
const take = (queues: Work[], number: number, { plan, nowMs }: { plan: Plan; nowMs: number }) => {
  const one = queues[number];
  if (one === undefined || plan.kind !== 'claim') throw new Error('no such queue');
  const due = one.waits.filter((atMs) => atMs <= nowMs).length;
  const backlog = Math.min(
    one.backlog + due,
    plan.mostBacklog,
    Math.max(plan.most - one.behind, Math.floor(plan.most / 2)),
  );
  const dueTaken = Math.min(due, backlog);
  one.waits = one.waits.sort((a, b) => a - b).slice(dueTaken);
  one.backlog -= backlog - dueTaken;
  one.behind -= Math.min(one.behind, plan.most - backlog);
  const next = Math.min(...one.waits);
  return {
    moreBehind: one.behind > 0,
    moreBacklog: one.backlog > 0 || one.waits.some((atMs) => atMs <= nowMs),
    dueInMs: Math.max(0, next - nowMs),
  };
};
