/**
 * The leases of deliveries in flight, and their results, which are saved in batches. If the store is away or refuses,
 * the settler retries for as long as the lease holds, so that an outage causes few repeated deliveries.
 *
 * A settlement is in one of these states:
 *
 * - PENDING: it waits for its queue's next batch. It is SENT once the batch before has a reply, and after 1 ms.
 * - SENT: it is SAVED or LOST, as the store replies. Without a reply it is PENDING again after 250 ms, or LOST if its
 *   lease has expired or a stop takes too long.
 * - SAVED: the store has it.
 * - LOST: the lease was no longer held, or the store did not reply, which is logged and counted. The delivery is
 *   repeated under the next lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Deliveries, Lease, Note, Settlement } from '../store/webhooks/deliveries.ts';
import type { Queue } from '../store/keys.ts';

type Deps = {
  readonly deliveries: Pick<Deliveries, 'settle'>;
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'unsaved'>;
  /** Called with the settlements of a batch that were saved. */
  readonly onSaved: (settlements: readonly Settlement[]) => void;
};
/** Called when a settlement is saved, with `true`, or with `false` if the lease was lost or nothing could be saved. */
type OnSettled = (isKept: boolean) => void;
type Pending = { readonly settlement: Settlement; readonly onSettled: OnSettled };

/** Saves a settlement, soon. It is called for every delivery, so it takes a callback and makes no promise. */
export type Settle = (settlement: Settlement, onSettled?: OnSettled) => void;

const retryMs = 250;
/** How long a batch collects settlements. No delivery waits for it. */
const gatherMs = 1;

export class Settler {
  readonly #deps: Deps;
  readonly #pending = new Map<number, Pending[]>();
  readonly #busy = new Set<number>();
  #gathering: Promise<void> | undefined;
  #unwritten = 0;
  #isFailing = false;
  #isAbandoned = false;
  #onIdle: () => void = () => undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  readonly settle: Settle = (settlement, onSettled = () => undefined) => {
    const { queue } = settlement.lease;
    const pending = this.#pending.get(queue.number);
    if (pending === undefined) this.#pending.set(queue.number, [{ settlement, onSettled }]);
    else pending.push({ settlement, onSettled });
    this.#unwritten += 1;
    if (!this.#busy.has(queue.number)) void this.#drain(queue);
  };

  /** Resolves when nothing is left to save. */
  async idle(): Promise<void> {
    if (this.#unwritten > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Stops retrying while the store is away. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  async #drain(queue: Queue): Promise<void> {
    this.#busy.add(queue.number);
    try {
      for (;;) {
        await this.#gather();
        const batch = this.#pending.get(queue.number) ?? [];
        if (batch.length === 0) return;
        this.#pending.delete(queue.number);
        await this.#write(queue, batch);
      }
    } finally {
      this.#busy.delete(queue.number);
    }
  }

  /** Waits for the next batch. All queues share one timer, however many have settlements. */
  #gather(): Promise<void> {
    return (this.#gathering ??= sleep(gatherMs).finally(() => (this.#gathering = undefined)));
  }

  async #write(queue: Queue, batch: readonly Pending[]): Promise<void> {
    try {
      const settlements = batch.map(({ settlement }) => settlement);
      const kept = await this.#deps.deliveries.settle(queue, settlements);
      this.#isFailing = false;
      this.#deps.onSaved(settlements.filter((_settlement, i) => kept[i] === true));
      batch.forEach((one, i) => this.#answer(one, kept[i] === true));
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) {
        this.#deps.log.error({ err: error }, 'unexpected error');
        this.#giveUp(batch, 'unexpected error');
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
      this.#pending.set(queue.number, [...held, ...(this.#pending.get(queue.number) ?? [])]);
    }
  }

  /** Logs one line when the trouble begins: the store itself logs a lost connection, but not a refused command. */
  #warnOnce(reason: string): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#deps.log.warn({ reason }, 'results of deliveries cannot be saved now; retrying until their leases expire');
  }

  #giveUp(batch: readonly Pending[], reason: string): void {
    if (batch.length === 0) return;
    this.#deps.metrics.unsaved.inc(batch.length);
    this.#deps.log.warn({ count: batch.length, reason }, 'results of deliveries were not saved; they will be repeated');
    for (const one of batch) this.#answer(one, false);
  }

  #answer({ onSettled }: Pending, isKept: boolean): void {
    onSettled(isKept);
    this.#unwritten -= 1;
    if (this.#unwritten === 0) this.#onIdle();
  }
}

type LeaseDeps = { readonly settle: Settle; readonly steadyMs: () => number; readonly leaseMs: number };

/**
 * A granted lease and its current state. Each renewal runs alongside the next POST, which does not wait for the store's
 * reply. If the store refuses, the lease is lost.
 */
export class HeldLease {
  readonly #deps: LeaseDeps;
  readonly #lease: Lease;
  #renewal: Promise<boolean> = Promise.resolve(true);

  constructor(deps: LeaseDeps, lease: Lease) {
    this.#deps = deps;
    this.#lease = lease;
  }

  /** Resolves once the last renewal has a reply, to whether the store agreed. */
  isHeld(): Promise<boolean> {
    return this.#renewal;
  }

  /** Whether the lease is held for at least this long, as far as is known now. */
  lasts(forMs: number): boolean {
    return this.#lease.expiresAtMs - this.#deps.steadyMs() >= forMs;
  }

  /** The same, once the last renewal has a reply. */
  async lastsOnceRenewed(forMs: number): Promise<boolean> {
    return (await this.#renewal) && this.lasts(forMs);
  }

  /** Saves the progress so far and renews the lease for its full duration. Does not wait for the store. */
  renew(note: Note): void {
    const askedMs = this.#deps.steadyMs();
    this.#renewal = new Promise((resolve) => {
      this.#deps.settle({ lease: this.#lease, result: { kind: 'keep' }, note }, (isKept) => {
        if (isKept) this.#lease.expiresAtMs = askedMs + this.#deps.leaseMs;
        resolve(isKept);
      });
    });
  }

  /** Ends the lease. Does not wait until that is saved: others may start from now on. */
  end({ result, note }: Omit<Settlement, 'lease'>): void {
    this.#deps.settle({ lease: this.#lease, result, note });
  }
}
