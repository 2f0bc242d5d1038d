/** `pnpm fonts`: writes the fonts of pictures into the server, compressed: about a third of a file is left. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { fontFiles, fontsFolder } from './fonts.ts';

rmSync(fontsFolder, { recursive: true, force: true });
mkdirSync(fontsFolder);
for (const [name, content] of fontFiles())
  writeFileSync(new URL(name, fontsFolder), name.endsWith('.br') ? brotliCompressSync(content) : content);
