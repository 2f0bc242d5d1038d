/** What a measurement prints. */

/** A number as people read it. */
export const count = (value: number): string => Math.round(value).toLocaleString('en');

/** A ratio. */
export const ratio = (value: number): string => (value < 0.1 ? value.toFixed(3) : value.toFixed(2));

/** A row of a table: its name, and its cells to the right. */
export const row = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join('')}`;
