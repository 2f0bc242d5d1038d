/**
 * Writes settlements down in batches: those that come while one batch of a partition is on its way go with the next. A
 * store that is away, or that refuses, is asked again for as long as the lease holds, so that an outage repeats as few
 * deliveries as can be; what could not be saved in the end is logged and counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Deliveries, Settlement } from '../store/deliveries.ts';
import type { Partition } from '../store/keys.ts';

type Deps = {
  readonly deliveries: Pick<Deliveries, 'settle'>;
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'unsaved'>;
};
type Pending = { readonly settlement: Settlement; readonly resolve: (isKept: boolean) => void };

/** Resolves when a settlement is written: `true`, or `false` when the lease was lost. Never rejects. */
export type Settle = (settlement: Settlement) => Promise<boolean>;

const retryMs = 250;
/** How long a batch waits for company: no delivery waits for it. */
const gatherMs = 1;

/** Settles for all partitions. */
export class Settler {
  readonly #deps: Deps;
  readonly #queues = new Map<number, Pending[]>();
  readonly #busy = new Set<number>();
  #gathering: Promise<void> | undefined;
  #unwritten = 0;
  #isFailing = false;
  #isAbandoned = false;
  #onIdle: () => void = () => undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Writes a settlement down. */
  readonly settle: Settle = (settlement) =>
    new Promise<boolean>((resolve) => {
      const { partition } = settlement.lease;
      const queue = this.#queues.get(partition.number);
      if (queue === undefined) this.#queues.set(partition.number, [{ settlement, resolve }]);
      else queue.push({ settlement, resolve });
      this.#unwritten += 1;
      if (!this.#busy.has(partition.number)) void this.#drain(partition);
    });

  /** Resolves when nothing is left to be written. */
  async idle(): Promise<void> {
    if (this.#unwritten > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Asks a store that is away no more. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  async #drain(partition: Partition): Promise<void> {
    this.#busy.add(partition.number);
    try {
      for (;;) {
        await this.#gather();
        const batch = this.#queues.get(partition.number) ?? [];
        if (batch.length === 0) return;
        this.#queues.delete(partition.number);
        await this.#write(partition, batch);
      }
    } finally {
      this.#busy.delete(partition.number);
    }
  }

  /** All partitions that have something wait for the same tick, so that their scripts leave in one write. */
  #gather(): Promise<void> {
    return (this.#gathering ??= sleep(gatherMs).finally(() => (this.#gathering = undefined)));
  }

  async #write(partition: Partition, batch: readonly Pending[]): Promise<void> {
    try {
      const kept = await this.#deps.deliveries.settle(
        partition,
        batch.map(({ settlement }) => settlement),
      );
      this.#isFailing = false;
      batch.forEach((one, i) => this.#answer(one, kept[i] === true));
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) {
        this.#deps.log.error({ err: error }, 'a bug');
        this.#giveUp(batch, 'a bug');
        return;
      }
      this.#warnOnce(error.message);
      const now = this.#deps.steadyMs();
      const isHeld = ({ settlement }: Pending): boolean => settlement.lease.expiresAtMs > now && !this.#isAbandoned;
      const held = batch.filter(isHeld);
      this.#giveUp(
        batch.filter((one) => !isHeld(one)),
        error.message,
      );
      if (held.length > 0) await sleep(retryMs);
      this.#queues.set(partition.number, [...held, ...(this.#queues.get(partition.number) ?? [])]);
    }
  }

  /** One line when it begins: the store's own lines tell of a connection that is lost, not of a command that is refused. */
  #warnOnce(reason: string): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#deps.log.warn({ reason }, 'what came of deliveries cannot be saved now; trying until their leases run out');
  }

  #giveUp(batch: readonly Pending[], reason: string): void {
    if (batch.length === 0) return;
    this.#deps.metrics.unsaved.inc(batch.length);
    this.#deps.log.warn({ count: batch.length, reason }, 'what came of deliveries was not saved; they come again');
    for (const one of batch) this.#answer(one, false);
  }

  #answer({ resolve }: Pending, isKept: boolean): void {
    resolve(isKept);
    this.#unwritten -= 1;
    if (this.#unwritten === 0) this.#onIdle();
  }
}
