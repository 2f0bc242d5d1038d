/** The header of a generated file. */
export const banner = (text: string): string =>
  `/**\n * ${text}\n * Written by \`npm run generate\`; do not edit.\n */\n`;
