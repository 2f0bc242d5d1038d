/**
 * What this process knows of its store, by which it notices that the store lost something: the highest version, and how
 * many bots and posts the directory had. None is ever deleted from a store: those that are hidden or removed are still
 * counted. So a store that has fewer has lost them. When the operator accepts the store as it is, what was counted
 * before is void. The store has notes of it, for processes that remember less: see decision 0170.
 *
 * An epoch is a period of the store: it ends when the store may have lost something (a restart, a promotion, an emptied
 * or restored store), and none of its versions is ever used again. Scripts decide it; see `store/include/`.
 */
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';

/** Bots and posts, and which acceptance they were counted under: '' before the first. */
export type Size = { readonly entries: number; readonly acceptance: string };

/** Whether a directory with this many entries has lost some of those that it had: all, or more than a tenth. */
export const isLoss = (had: number, has: number): boolean => has < 0.9 * had;

export class Known {
  /** The highest version. Scripts get it from here: see `include/caller.lua`. */
  highest = 0;
  /** The most bots and posts, and the acceptance under which they were counted. */
  entries = 0;
  acceptance = '';
  /** How many of them are lost. */
  lost = 0;
  /** Has the store admitted again before the next request, as after another connection: it may hold other data. */
  readonly distrust: () => void;
  readonly #log: Log;
  #epoch: string | undefined;
  #noted = 0;

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

  /** Records what the store has now, or had. Returns whether the notes should say more than they do. */
  count(entries: number): boolean {
    this.entries = Math.max(this.entries, entries);
    if (!isLoss(this.entries, this.#noted)) return false;
    this.#noted = this.entries;
    return true;
  }

  /** Compares it with what the store has now. */
  compare({ entries: has, acceptance }: Size): void {
    if (acceptance !== '' && acceptance !== this.acceptance) {
      [this.entries, this.#noted] = [0, 0];
      this.acceptance = acceptance;
    }
    this.entries = Math.max(this.entries, has);
    const had = this.entries;
    const lost = isLoss(had, has) ? had - has : 0;
    // An empty store is reported as one that cannot be used.
    if (lost > this.lost && has > 0) this.#log.error({ had, has }, 'the directory has lost bots or posts');
    this.lost = lost;
  }
}
