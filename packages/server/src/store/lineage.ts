/**
 * What this process has seen of the store's lineages. A lineage is one life of the store's numbers: it ends when the
 * store may have lost something (a restart, a promotion, an emptied or restored store), and no number of it is ever
 * given again. Scripts decide it; see `lua/include/`.
 */
export class Lineage {
  /** The one that was seen last. */
  id = '';
  /** The highest number that was seen in any. */
  highest = 0;

  see(id: string, number: number): void {
    this.id = id;
    this.highest = Math.max(this.highest, number);
  }
}
