/** Markdown. */

/** A table. The first column is text, and so is the first row. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** A whole number as people read it. */
export const count = (value: number): string => Math.round(value).toLocaleString('en');
