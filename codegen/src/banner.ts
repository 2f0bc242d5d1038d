/** Makes the header of a generated file. */
export const banner = (text: string): string =>
  `/**\n * ${text}\n * Written by \`npm run generate\`; do not edit.\n */\n`;

const begin = '<!-- Written by `npm run generate`. -->';
const end = '<!-- End of what is generated. -->';

/** Replaces what is between the two marks of a page with `text`. */
export const withGenerated = (page: string, text: string): string => {
  const [before, rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new TypeError('the page has no place for what is generated');
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
};
