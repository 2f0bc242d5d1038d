/**
 * What this process has seen of the store's version numbers. A lineage is one life of the store: it ends when the store
 * may have lost something (a restart, a promotion, an emptied or restored store), and none of its numbers is ever used
 * again. Scripts decide it; see `lua/include/`. A process that has seen a higher number than the store has passes it to
 * the scripts from here.
 */
export class Lineage {
  /** The highest number seen. */
  highest = 0;

  see(number: number): void {
    this.highest = Math.max(this.highest, number);
  }
}
