/** The order in which origins with leases that wait take turns. */

/** `inFlight`: its number of deliveries in flight. */
type Domain = { readonly inFlight: number };
type Queued<Origin> = { level: number; readonly origins: Set<Origin> };

/**
 * A queue of origins that is fair to domains: those with the fewest deliveries in flight come first, and a domain's
 * origins take turns. It only keeps the order; the caller decides what may start.
 */
export class FairQueue<Origin extends { readonly domain: Domain }> {
  readonly #entries = new Map<Domain, Queued<Origin>>();
  /** Domains by their number of deliveries in flight. */
  readonly #levels: Set<Domain>[] = [];

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Adds an origin behind the others of its domain; does nothing if it is already queued. */
  add(origin: Origin): void {
    const { domain } = origin;
    let entry = this.#entries.get(domain);
    if (entry === undefined) {
      if (this.#entries.size === 1) for (const [sole] of this.#entries) this.#file(sole);
      entry = { level: domain.inFlight, origins: new Set() };
      this.#entries.set(domain, entry);
      this.#level(domain.inFlight).add(domain);
    }
    entry.origins.add(origin);
  }

  delete(origin: Origin): void {
    const entry = this.#entries.get(origin.domain);
    if (entry?.origins.delete(origin) !== true || entry.origins.size > 0) return;
    this.#entries.delete(origin.domain);
    this.#levels[entry.level]?.delete(origin.domain);
  }

  /** Moves a domain whose number of deliveries in flight has changed. While there is no other, it is first anyway. */
  moved(domain: Domain): void {
    if (this.#entries.size > 1) this.#file(domain);
  }

  #file(domain: Domain): void {
    const entry = this.#entries.get(domain);
    if (entry === undefined || entry.level === domain.inFlight) return;
    this.#levels[entry.level]?.delete(domain);
    entry.level = domain.inFlight;
    this.#level(domain.inFlight).add(domain);
  }

  /** The first origin that may start. It then moves behind the others of its domain. */
  next(mayStart: (origin: Origin) => boolean): Origin | undefined {
    if (this.isEmpty) return undefined;
    for (const domains of this.#levels) {
      if (domains.size === 0) continue;
      for (const domain of domains) {
        const origins = this.#entries.get(domain)?.origins ?? new Set<Origin>();
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

  #level(running: number): Set<Domain> {
    while (this.#levels.length <= running) this.#levels.push(new Set());
    return this.#levels[running] ?? new Set();
  }
}
