/**
 * The fonts of pictures: Noto, those of East Asia cut into slices of what belongs together. Of each it is written down
 * which characters it has, because only those that a picture needs are read.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openSync } from 'fontkit';

/** Latin, Cyrillic, Greek and Devanagari are in one file, as emoji are, whose parts join. */
const families = {
  sans: { from: '@expo-google-fonts/noto-sans', folder: '600SemiBold', files: /^NotoSans_600SemiBold\.ttf$/ },
  emoji: { from: '@fontsource/noto-emoji', folder: 'files', files: /^noto-emoji-emoji-600-normal\.woff2$/ },
  jp: { from: '@fontsource/noto-sans-jp', folder: 'files', files: /^noto-sans-jp-\d+-600-normal\.woff2$/ },
  kr: { from: '@fontsource/noto-sans-kr', folder: 'files', files: /^noto-sans-kr-\d+-600-normal\.woff2$/ },
  sc: { from: '@fontsource/noto-sans-sc', folder: 'files', files: /^noto-sans-sc-\d+-600-normal\.woff2$/ },
} as const;

/** Where the server has them. */
export const fontsFolder = new URL('../../packages/server/fonts/', import.meta.url);

const require = createRequire(import.meta.url);

/** Returns the files by their names. One that ends in `.br` is not compressed yet. */
export const fontFiles = (): Map<string, Buffer> => {
  const made = new Map<string, Buffer>();
  for (const [family, { from, folder, files }] of Object.entries(families)) {
    const root = dirname(require.resolve(`${from}/package.json`));
    const names = readdirSync(join(root, folder)).filter((name) => files.test(name));
    if (names.length === 0) throw new Error(`${from} has no such files`);
    const characters = names.map((name) => {
      const path = join(root, folder, name);
      const font = openSync(path);
      if (!('characterSet' in font)) throw new Error(`${name} is no single font`);
      const packed = name.endsWith('.woff2') ? name : `${name}.br`;
      made.set(packed, readFileSync(path));
      return [packed, String.fromCodePoint(...font.characterSet)];
    });
    const license = ['LICENSE_FONT', 'LICENSE'].find((name) => existsSync(join(root, name))) ?? 'LICENSE';
    made.set(`${family}.LICENSE`, readFileSync(join(root, license)));
    made.set(`${family}.json`, Buffer.from(JSON.stringify(Object.fromEntries(characters))));
  }
  return made;
};
