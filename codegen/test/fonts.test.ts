/** The server's fonts are what `pnpm fonts` makes. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fontFiles, fontsFolder } from '../src/fonts.ts';

it('has the committed fonts, and no others', () => {
  const made = fontFiles();
  expect(readdirSync(fontsFolder).sort()).toEqual([...made.keys()].sort());
  // Another Node may compress in another way.
  const committed = (name: string): Buffer => {
    const content = readFileSync(new URL(name, fontsFolder));
    return name.endsWith('.br') ? brotliDecompressSync(content) : content;
  };
  expect([...made].filter(([name, content]) => !content.equals(committed(name))).map(([name]) => name)).toEqual([]);
});
