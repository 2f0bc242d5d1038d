/**
 * The store's clock as this process knows it: what a reply said, and what has passed since by a clock that nobody sets.
 * So all processes of one store agree on the time of day, whatever their own clocks say.
 */
export class StoreClock {
  #aheadMs: number | undefined;

  /** Notes the time of the store, in milliseconds, from a reply that has just come. */
  see(timeMs: number): void {
    this.#aheadMs = timeMs - performance.now();
  }

  /** The time there now; `undefined` before the first reply. */
  get nowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : Math.floor(performance.now() + this.#aheadMs);
  }
}
