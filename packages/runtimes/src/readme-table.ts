/** The tables of README files that say what was measured, so that a test can compare the two. */

/** The rows of the tables below a heading, up to the end of the text, cells between ` | `; `---` below the head. */
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

/** Bytes as a table says them. */
export const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;
