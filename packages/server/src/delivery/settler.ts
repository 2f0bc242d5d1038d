/**
 * Writes settlements down in batches: those that come while one batch of a partition is on its way go with the next.
 * A store that is away is asked again for as long as the lease holds, so that an outage repeats as few deliveries as can be.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Deliveries, Settlement } from '../store/deliveries.ts';
import type { Partition } from '../store/keys.ts';

type Deps = { readonly deliveries: Pick<Deliveries, 'settle'>; readonly clock: Clock; readonly log: Log };
type Pending = { readonly settlement: Settlement; readonly resolve: (kept: boolean) => void };

/** Resolves when a settlement is written: `true`, or `false` when the lease was lost. Never rejects. */
export type Settle = (settlement: Settlement) => Promise<boolean>;

const retryMs = 250;
/** How long a batch waits for company: no delivery waits for it. */
const gatherMs = 1;

/** A settler for all partitions. */
export const createSettler = ({ deliveries, clock, log }: Deps): Settle => {
  const queues = new Map<number, Pending[]>();
  const busy = new Set<number>();

  const write = async (partition: Partition, batch: readonly Pending[]): Promise<void> => {
    try {
      const kept = await deliveries.settle(
        partition,
        batch.map(({ settlement }) => settlement),
      );
      batch.forEach(({ resolve }, i) => {
        resolve(kept[i] === true);
      });
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) {
        log.error({ err: error }, 'a bug');
        for (const { resolve } of batch) resolve(false);
        return;
      }
      const held = batch.filter(({ settlement, resolve }) => settlement.lease.untilMs > clock() || resolve(false));
      if (held.length > 0) await sleep(retryMs);
      queues.set(partition.number, [...held, ...(queues.get(partition.number) ?? [])]);
    }
  };

  const drain = async (partition: Partition): Promise<void> => {
    if (busy.has(partition.number)) return;
    busy.add(partition.number);
    try {
      for (;;) {
        await sleep(gatherMs);
        const batch = queues.get(partition.number) ?? [];
        if (batch.length === 0) return;
        queues.delete(partition.number);
        await write(partition, batch);
      }
    } finally {
      busy.delete(partition.number);
    }
  };

  return (settlement) =>
    new Promise((resolve) => {
      const { partition } = settlement.lease;
      const queue = queues.get(partition.number);
      if (queue === undefined) queues.set(partition.number, [{ settlement, resolve }]);
      else queue.push({ settlement, resolve });
      void drain(partition);
    });
};
