/**
 * What this process knows of its store, by which it notices that the store lost something: the highest version, and how
 * many bots and posts the directory had. None is ever deleted from a store: those that are hidden or removed are still
 * counted. So a store that has fewer has lost them. When the operator accepts the store as it is, what was counted
 * before is void. The store has a note of it, for processes that remember less: see decision 0170.
 *
 * An epoch is a period of the store: it ends when the store may have lost something (a restart, a promotion, an emptied
 * or restored store), and none of its versions is ever used again. Scripts decide it; see `store/include/`.
 */
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';

/** How many bots and posts a store has and, as far as its note says, had. */
export type Size = {
  readonly has: number;
  /** Identifies the last time that the operator accepted the size: '' before the first. */
  readonly acceptance: string;
  /** What the note says; `undefined` if it cannot be read. */
  readonly noted: number | undefined;
};

/** Whether a directory with this many entries has lost some of those that it had: all, or more than a tenth. */
export const isLoss = (had: number, has: number): boolean => has < 0.9 * had;

export class Known {
  /** The highest version. Scripts get it from here: see `include/caller.lua`. */
  highest = 0;
  /** The most bots and posts, and the acceptance under which they were counted. */
  had = 0;
  acceptance = '';
  /** How many of them are lost. */
  lost = 0;
  /** Has the store admitted again before the next request, as after another connection: it may hold other data. */
  readonly distrust: () => void;
  readonly #log: Log;
  #epoch: string | undefined;
  /** What the note says; while that is unknown, nothing should be written over it. */
  #noted = Infinity;

  constructor(log: Log, distrust: () => void) {
    this.#log = log;
    this.distrust = distrust;
  }

  /** Throws if a store has no version but this process has seen one, as `caller.lua` does: for keys in other slots. */
  refuseEmptied(version: string | null | undefined): void {
    if ((version ?? '') !== '' || this.highest === 0) return;
    this.distrust();
    throw new StoreUnreachable('the directory is gone');
  }

  /** Records the epoch and the number in a reply. Returns false if the epoch is another than before. */
  see(epoch: string, number: number): boolean {
    const isSame = this.#epoch === undefined || this.#epoch === epoch;
    this.#epoch = epoch;
    this.highest = Math.max(this.highest, number);
    if (!isSame) this.distrust();
    return isSame;
  }

  /** Records how many entries the store has or had. Returns whether the note should say more than it does. */
  count(entries: number): boolean {
    this.had = Math.max(this.had, entries);
    if (!isLoss(this.had, this.#noted)) return false;
    this.#noted = this.had;
    return true;
  }

  /** Compares what it knows with what the store has now. */
  compare({ has, acceptance, noted }: Size): void {
    if (acceptance !== '' && acceptance !== this.acceptance) {
      this.had = 0;
      this.acceptance = acceptance;
    }
    this.#noted = noted ?? Infinity;
    this.had = Math.max(this.had, has, noted ?? 0);
    const lost = isLoss(this.had, has) ? this.had - has : 0;
    // An empty store is reported as one that cannot be used.
    if (lost > this.lost && has > 0) this.#log.error({ had: this.had, has }, 'the directory has lost bots or posts');
    this.lost = lost;
  }
}
