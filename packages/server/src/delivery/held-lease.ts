/**
 * A lease while a run holds it. It is renewed behind the next POST, which goes out before the store has said yes; and it
 * is lost when the store says no.
 */
import type { Lease, LeaseResult, Note } from '../store/deliveries.ts';
import type { Settle } from './settler.ts';

type Deps = { readonly settle: Settle; readonly steadyMs: () => number; readonly leaseMs: number };

/** A lease that was granted, and what has become of it. */
export class HeldLease {
  readonly #deps: Deps;
  readonly #lease: Lease;
  #renewal: Promise<boolean> = Promise.resolve(true);

  constructor(deps: Deps, lease: Lease) {
    this.#deps = deps;
    this.#lease = lease;
  }

  /** Whether the store agreed to the last renewal. Resolves when it has said. */
  isHeld(): Promise<boolean> {
    return this.#renewal;
  }

  /** Whether it is held for so long at least. */
  async lasts(forMs: number): Promise<boolean> {
    const isLongEnough = (): boolean => this.#lease.expiresAtMs - this.#deps.steadyMs() >= forMs;
    return isLongEnough() || ((await this.isHeld()) && isLongEnough());
  }

  /** Writes down what was done so far and asks for the whole time again. Does not wait for it. */
  renew(note: Note): void {
    const askedMs = this.#deps.steadyMs();
    this.#renewal = this.#deps.settle({ lease: this.#lease, result: { kind: 'keep' }, note }).then((isKept) => {
      if (isKept) this.#lease.expiresAtMs = askedMs + this.#deps.leaseMs;
      return isKept;
    });
  }

  /** Gives it up. Does not wait until that is written down: its slot is free for others from now on. */
  end(result: LeaseResult, note: Note): void {
    void this.#deps.settle({ lease: this.#lease, result, note });
  }
}
