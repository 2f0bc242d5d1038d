/**
 * The store's clock as this process knows it: the time in a reply, plus the time since then by a monotonic clock. All
 * processes of one store thus agree on the time of day, whatever their own clocks say.
 */
export class StoreClock {
  #aheadMs: number | undefined;

  /** Records the store's time, in milliseconds, from a reply that has just arrived. */
  see(timeMs: number): void {
    this.#aheadMs = timeMs - performance.now();
  }

  /** The store's time now; `undefined` before the first reply. */
  get nowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : Math.floor(performance.now() + this.#aheadMs);
  }
}
