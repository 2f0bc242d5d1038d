/**
 * What this process has seen of the store's numbers. A lineage is one life of the store: it ends when the store may have
 * lost something (a restart, a promotion, an emptied or restored store), and no number of it is ever given again. Scripts
 * decide it; see `lua/include/`. Who knows of a higher number than the store does tells it by this.
 */
export class Lineage {
  /** The highest number that was seen. */
  highest = 0;

  see(number: number): void {
    this.highest = Math.max(this.highest, number);
  }
}
