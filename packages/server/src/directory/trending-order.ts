/** Bots by their installs of the last days. The order changes with each install, and with each day. */
import { recentInstalls } from '../domain/recent-installs.ts';
import { RankedPostings, type Start } from './order.ts';
import type { Bits } from './ordinals.ts';

/** The order of the sort `trending`. */
export class TrendingOrder {
  /** By ordinal: the installs by day, as they are stored. Old days count again if the clock goes back. */
  readonly #stored = new Map<number, string>();
  readonly #postings = new RankedPostings();
  #today = 0;

  /** The day that its ranks are of. */
  get today(): number {
    return this.#today;
  }

  set today(day: number) {
    if (day === this.#today) return;
    const before = Array.from(this.#stored.keys(), (ordinal) => [ordinal, this.rankOf(ordinal)] as const);
    this.#today = day;
    for (const [ordinal, rank] of before) this.#move(ordinal, rank);
  }

  /** A bot's installs of the last days. */
  rankOf(ordinal: number): number {
    return recentInstalls(this.#stored.get(ordinal) ?? '', this.#today);
  }

  /** Adds a bot, or replaces its installs. */
  set(ordinal: number, stored: string): void {
    const before = this.rankOf(ordinal);
    if (stored === '') this.#stored.delete(ordinal);
    else this.#stored.set(ordinal, stored);
    this.#move(ordinal, before);
  }

  delete(ordinal: number): void {
    this.#postings.delete(this.rankOf(ordinal), ordinal);
    this.#stored.delete(ordinal);
  }

  /** The bots in `among`, most installs first, from `start` if given, until `use` returns false. */
  each(among: Bits, start: Start | undefined, use: (ordinal: number) => boolean): void {
    this.#postings.each(among, start, use);
  }

  #move(ordinal: number, before: number): void {
    const rank = this.rankOf(ordinal);
    if (rank !== before) this.#postings.delete(before, ordinal);
    this.#postings.add(rank, ordinal);
  }
}
