/** Entries by rank: those of a sort, to be iterated in its order. */
import { compareRanks, type BotOrder, type Rank } from './bot-orders.ts';
import type { Bits } from './ordinals.ts';
import { Postings } from './postings.ts';

/** Where a page begins: below this ordinal, at this rank. */
export type Start = { readonly ordinal: number; readonly rank: Rank };

/** Rank → ordinals. */
export class RankedPostings {
  readonly #first: BotOrder['first'];
  readonly #postings = new Postings<Rank>();
  /** The ranks that occur, ascending. */
  readonly #ranks: Rank[] = [];

  constructor({ first }: Pick<BotOrder, 'first'>) {
    this.#first = first;
  }

  add(rank: Rank, ordinal: number): void {
    if (this.#postings.add(rank, ordinal) === 'new') this.#ranks.splice(this.#countBelow(rank), 0, rank);
  }

  delete(rank: Rank, ordinal: number): void {
    if (this.#postings.delete(rank, ordinal)) this.#ranks.splice(this.#countBelow(rank), 1);
  }

  /** The entries in `among`, in the order of the sort, from `start` if given, until `use` returns false. */
  each(among: Bits, start: Start | undefined, use: (ordinal: number) => boolean): void {
    const count = this.#ranks.length;
    const skipped = start === undefined ? 0 : this.#countBefore(start.rank);
    for (let i = skipped; i < count; i += 1) {
      const rank = this.#ranks[this.#first === 'lowest' ? i : count - 1 - i] ?? 0;
      const end = rank === start?.rank ? start.ordinal : among.length * 32;
      if (!this.#postings.eachDown(rank, { among, end }, use)) return;
    }
  }

  /** How many ranks come before this one in the order of the sort. */
  #countBefore(rank: Rank): number {
    const below = this.#countBelow(rank);
    if (this.#first === 'lowest') return below;
    return this.#ranks.length - below - (this.#ranks[below] === rank ? 1 : 0);
  }

  #countBelow(rank: Rank): number {
    let [low, high] = [0, this.#ranks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareRanks(this.#ranks[middle] ?? 0, rank) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
