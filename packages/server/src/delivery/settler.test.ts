import { beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { until } from '@bot-directory/testing/until';
import { StoreUnreachable } from '../base/failure.ts';
import type { WebhookId } from '../base/ids.ts';
import { createMetrics } from '../base/metrics.ts';
import { fresh } from '../domain/delivery.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import type { Settlement } from '../store/webhooks/deliveries.ts';
import { partition } from '../store/keys.ts';
import { Settler } from './settler.ts';

/** A batch on its way to the store, which answers when the test says so. */
type Batch = {
  readonly partition: number;
  readonly ids: string[];
  readonly answer: (kept: boolean[] | Error) => Promise<void>;
};

const leaseMs = 1_000;
let nowMs: number;
let batches: Batch[];
let settler: Settler;
let saved: string[];
let metrics: ReturnType<typeof createMetrics>;
let lines: string[];
beforeEach(() => {
  nowMs = 0;
  batches = [];
  lines = [];
  saved = [];
  const onSaved = (some: readonly Settlement[]): void => void saved.push(...some.map(({ lease }) => lease.id));
  metrics = createMetrics({ version: '1.0.0', release: 'test', role: 'all' });
  const log = pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) });
  const write = (partition: { number: number }, settlements: readonly Settlement[]): Promise<boolean[]> =>
    new Promise((resolve, reject) => {
      const answer = async (kept: boolean[] | Error): Promise<void> => {
        if (kept instanceof Error) reject(kept);
        else resolve(kept);
        await tick();
      };
      batches.push({ partition: partition.number, ids: settlements.map(({ lease }) => lease.id), answer });
    });
  settler = new Settler({ deliveries: { settle: write }, steadyMs: () => nowMs, log, metrics, onSaved });
});

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const settlement = (id: string, number = 0): Settlement => ({
  lease: {
    queue: partition(number),
    id: id as WebhookId,
    url: 'https://hooks.example.com/' as WebhookUrl,
    token: 'claim',
    expiresAtMs: leaseMs,
    progress: fresh(1),
  },
  result: { kind: 'advance' },
  note: { progress: fresh(1) },
});
const settle = (one: Settlement): Promise<boolean> => new Promise((resolve) => settler.settle(one, resolve));
const settleAll = (...ids: string[]): Promise<boolean[]> => Promise.all(ids.map((id) => settle(settlement(id))));
/** The batch with this number, once it is sent. */
const batchNumber = async (count: number): Promise<Batch | undefined> => {
  await until('the batch is sent', () => batches.length >= count);
  return batches[count - 1];
};

describe('settlements', () => {
  it('of one tick are sent together, and those that arrive meanwhile with the next batch', async () => {
    const first = settleAll('a', 'b', 'c');
    const batch = await batchNumber(1);
    const second = [settleAll('d'), settleAll('e', 'f')];
    await batch?.answer([true, true, true]);
    await (await batchNumber(2))?.answer([true, true, true]);
    expect(batches.map(({ ids }) => ids)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
    await Promise.all([first, ...second]);
    const third = settleAll('g');
    await (await batchNumber(3))?.answer([true]);
    expect(await third).toEqual([true]);
  });

  it('each resolve to whether their lease was still held', async () => {
    const kept = settleAll('held', 'lost', 'also held');
    await (await batchNumber(1))?.answer([true, false, true]);
    expect(await kept).toEqual([true, false, true]);
    expect(saved).toEqual(['held', 'also held']);
  });

  it('of one partition do not wait for those of another', async () => {
    void settle(settlement('a', 1));
    const other = settle(settlement('b', 2));
    await (await batchNumber(2))?.answer([true]);
    expect(await other).toBe(true);
    expect(batches.map((batch) => batch.partition)).toEqual([1, 2]);
  });

  it('are retried while the store is away, before later ones', async () => {
    const kept = settleAll('a', 'b');
    await (await batchNumber(1))?.answer(new StoreUnreachable('away'));
    const later = settleAll('c');
    await (await batchNumber(2))?.answer(new StoreUnreachable('still away'));
    const last = await batchNumber(3);
    expect(last?.ids).toEqual(['a', 'b', 'c']);
    await last?.answer([true, true, true]);
    expect([await kept, await later]).toEqual([[true, true], [true]]);
  });

  it('are given up, logged and counted when the lease expires before the store is back', async () => {
    const kept = settleAll('a', 'b');
    const batch = await batchNumber(1);
    nowMs = leaseMs;
    await batch?.answer(new StoreUnreachable('OOM command not allowed'));
    expect(await kept).toEqual([false, false]);
    expect(batches).toHaveLength(1);
    expect(lines).toEqual([
      'results of deliveries cannot be saved now; retrying until their leases expire',
      'results of deliveries were not saved; they will be repeated',
    ]);
    expect((await metrics.unsaved.get()).values).toMatchObject([{ value: 2 }]);
  });

  it('are logged once however often the store refuses', async () => {
    const kept = settleAll('a');
    for (let i = 1; i <= 3; i += 1) await (await batchNumber(i))?.answer(new StoreUnreachable('MISCONF'));
    await (await batchNumber(4))?.answer([true]);
    expect(await kept).toEqual([true]);
    expect(lines).toHaveLength(1);
  });

  it('are given up at the next refusal after abandon()', async () => {
    const kept = settleAll('a');
    await (await batchNumber(1))?.answer(new StoreUnreachable('away'));
    settler.abandon();
    await (await batchNumber(2))?.answer(new StoreUnreachable('away'));
    expect(await kept).toEqual([false]);
    await settler.idle();
  });

  it('survive a bug: its batch is lost, as a lost lease would be, and the next is written', async () => {
    const kept = settleAll('a');
    await (await batchNumber(1))?.answer(new Error('a bug'));
    expect(await kept).toEqual([false]);
    const next = settleAll('b');
    await (await batchNumber(2))?.answer([true]);
    expect(await next).toEqual([true]);
  });

  it('are idle when all are written, and at once when there are none', async () => {
    await settler.idle();
    void settleAll('a', 'b');
    let isIdle = false;
    const idle = settler.idle().then(() => (isIdle = true));
    const batch = await batchNumber(1);
    await tick();
    expect(isIdle).toBe(false);
    await batch?.answer([true, false]);
    expect(await idle).toBe(true);
  });
});
