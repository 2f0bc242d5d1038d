/** The order in which origins with leases that wait take turns. */
import type { Origin, Owner } from './origins.ts';

type Queued = { level: number; readonly origins: Set<Origin> };

/**
 * A queue of origins that is fair to owners: those with the fewest deliveries under way come first, and an owner's
 * origins take turns. It only keeps the order; the caller decides what may start.
 */
export class FairQueue {
  readonly #entries = new Map<Owner, Queued>();
  /** Owners by their number of deliveries under way. */
  readonly #levels: Set<Owner>[] = [];

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Adds an origin behind the others of its owner; does nothing if it is already queued. */
  add(origin: Origin): void {
    const { owner } = origin;
    let entry = this.#entries.get(owner);
    if (entry === undefined) {
      if (this.#entries.size === 1) for (const [sole] of this.#entries) this.#file(sole);
      entry = { level: owner.running, origins: new Set() };
      this.#entries.set(owner, entry);
      this.#level(owner.running).add(owner);
    }
    entry.origins.add(origin);
  }

  delete(origin: Origin): void {
    const entry = this.#entries.get(origin.owner);
    if (entry?.origins.delete(origin) !== true || entry.origins.size > 0) return;
    this.#entries.delete(origin.owner);
    this.#levels[entry.level]?.delete(origin.owner);
  }

  /** Moves an owner whose number of deliveries under way has changed. While there is no other, it is first anyway. */
  moved(owner: Owner): void {
    if (this.#entries.size > 1) this.#file(owner);
  }

  #file(owner: Owner): void {
    const entry = this.#entries.get(owner);
    if (entry === undefined || entry.level === owner.running) return;
    this.#levels[entry.level]?.delete(owner);
    entry.level = owner.running;
    this.#level(owner.running).add(owner);
  }

  /** The first origin that may start. It then moves behind the others of its owner. */
  next(mayStart: (origin: Origin) => boolean): Origin | undefined {
    if (this.isEmpty) return undefined;
    for (const owners of this.#levels) {
      if (owners.size === 0) continue;
      for (const owner of owners) {
        const origins = this.#entries.get(owner)?.origins ?? new Set<Origin>();
        for (const origin of origins) {
          if (!mayStart(origin)) continue;
          if (origins.size > 1) {
            origins.delete(origin);
            origins.add(origin);
          }
          return origin;
        }
      }
    }
    return undefined;
  }

  #level(running: number): Set<Owner> {
    while (this.#levels.length <= running) this.#levels.push(new Set());
    return this.#levels[running] ?? new Set();
  }
}
