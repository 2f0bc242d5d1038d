/**
 * How many bots and posts a directory is known to have had, by which its loss is noticed. None is ever deleted from a
 * store: those that are hidden or removed are still counted. So a store that has fewer has lost them.
 *
 * What is known is in the memory of each process, and in a note in each partition of webhooks: in a Cluster, other
 * nodes have them. A process that remembers more than an emptied store has writes the notes again, for processes that
 * start later. When the operator accepts the store as it is, everything that was known before is void. See decision
 * 0170.
 */
import type { Log } from '../base/log.ts';

/** Bots and posts, and which acceptance they were counted under: '' before the first. */
export type Size = { readonly entries: number; readonly acceptance: string };

/** Whether a directory of this many entries has lost some of those that it had: all, or more than a tenth. */
export const isLoss = (had: number, has: number): boolean => has < 0.9 * had;

/** What this process knows. */
export class KnownSize {
  /** The most entries that it has seen. */
  entries = 0;
  /** How many of them are lost. */
  lost = 0;
  acceptance = '';
  readonly #log: Log;
  #noted = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Records what the store has now, or had. Returns whether the notes should say more than they do. */
  see(entries: number): boolean {
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
