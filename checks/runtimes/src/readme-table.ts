/** The tables of measurements in README files, so that a test can compare them with what it measures. */

/**
 * Returns the rows of the tables below a heading, up to the end of the text, with cells separated by ` | `; `---` is
 * below the head.
 */
export const tableRows = (readme: string, heading: string): string[] =>
  (readme.split(`\n${heading}\n`)[1] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((text) => text.trim().replace(/^-+$/, '---'))
        .join(' | '),
    );

/** Writes bytes as a table shows them. */
export const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;
