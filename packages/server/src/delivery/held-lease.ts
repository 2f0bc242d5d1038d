/**
 * A lease during a run. Each renewal runs alongside the next POST, which does not wait for the store's reply. If the
 * store refuses, the lease is lost.
 */
import type { Lease, Note, Settlement } from '../store/deliveries.ts';
import type { Settle } from './settler.ts';

type Deps = { readonly settle: Settle; readonly steadyMs: () => number; readonly leaseMs: number };

/** A granted lease and its current state. */
export class HeldLease {
  readonly #deps: Deps;
  readonly #lease: Lease;
  #renewal: Promise<boolean> = Promise.resolve(true);

  constructor(deps: Deps, lease: Lease) {
    this.#deps = deps;
    this.#lease = lease;
  }

  /** Resolves when the last renewal was answered, to whether the store agreed. */
  isHeld(): Promise<boolean> {
    return this.#renewal;
  }

  /** Whether the lease is held for at least this long, as far as is known now. */
  lasts(forMs: number): boolean {
    return this.#lease.expiresAtMs - this.#deps.steadyMs() >= forMs;
  }

  /** The same when the last renewal was answered. */
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

  /** Ends the lease. Does not wait until that is saved: its slot is free from now on. */
  end({ result, note }: Omit<Settlement, 'lease'>): void {
    this.#deps.settle({ lease: this.#lease, result, note });
  }
}
