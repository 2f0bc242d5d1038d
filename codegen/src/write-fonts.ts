/**
 * The fonts of pictures, as files next to the bundle: Noto, those of East Asia cut into slices of what belongs
 * together. Of each it is written down which characters it has, because only those that a picture needs are read. What
 * is not compressed yet is now.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { openSync } from 'fontkit';

/** Latin, Cyrillic, Greek and Devanagari are in one file, as emoji are, whose parts join. */
const families = {
  sans: { from: '@expo-google-fonts/noto-sans', folder: '600SemiBold', files: /^NotoSans_600SemiBold\.ttf$/ },
  emoji: { from: '@fontsource/noto-emoji', folder: 'files', files: /^noto-emoji-emoji-600-normal\.woff2$/ },
  jp: { from: '@fontsource/noto-sans-jp', folder: 'files', files: /^noto-sans-jp-\d+-600-normal\.woff2$/ },
  kr: { from: '@fontsource/noto-sans-kr', folder: 'files', files: /^noto-sans-kr-\d+-600-normal\.woff2$/ },
  sc: { from: '@fontsource/noto-sans-sc', folder: 'files', files: /^noto-sans-sc-\d+-600-normal\.woff2$/ },
} as const;

const require = createRequire(import.meta.url);

/** Compresses a file: about a third of it is left. */
export const pack = (from: string, to: string): void => writeFileSync(to, brotliCompressSync(readFileSync(from)));

/** Writes them into a folder. */
export const writeFonts = (target: string): void => {
  mkdirSync(target, { recursive: true });
  for (const [family, { from, folder, files }] of Object.entries(families)) {
    const root = dirname(require.resolve(`${from}/package.json`));
    const source = join(root, folder);
    const names = readdirSync(source).filter((name) => files.test(name));
    if (names.length === 0) throw new Error(`${from} has no such files`);
    const characters = names.map((name) => {
      const font = openSync(join(source, name));
      if (!('characterSet' in font)) throw new Error(`${name} is no single font`);
      const packed = name.endsWith('.woff2') ? name : `${name}.br`;
      if (packed === name) copyFileSync(join(source, name), join(target, name));
      else pack(join(source, name), join(target, packed));
      return [packed, String.fromCodePoint(...font.characterSet)];
    });
    const license = ['LICENSE_FONT', 'LICENSE'].find((name) => existsSync(join(root, name))) ?? 'LICENSE';
    copyFileSync(join(root, license), join(target, `${family}.LICENSE`));
    writeFileSync(join(target, `${family}.json`), JSON.stringify(Object.fromEntries(characters)));
  }
};
