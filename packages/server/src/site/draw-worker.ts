/**
 * A thread that draws pictures: SVG comes in, PNG goes out. It reads only the fonts that have the characters of a
 * picture. A character that none has would be drawn as a box: then there is no picture.
 */
import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { Drawing, Drawn } from './pictures.ts';

/** Reads a file next to the bundle, of which this is an entry. */
const file = async (path: string): Promise<Buffer> => {
  const bytes = await readFile(new URL(path, import.meta.url));
  return path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
};

const kept = <Value>(read: (name: string) => Promise<Value>): ((name: string) => Promise<Value>) => {
  const known = new Map<string, Promise<Value>>();
  return (name) => {
    const found = known.get(name) ?? read(name);
    known.set(name, found);
    return found;
  };
};

/** Character → the file of a family that has it. */
const filesOf = kept(async (family) => {
  const slices = JSON.parse((await file(`fonts/${family}.json`)).toString()) as Record<string, string>;
  return new Map(Object.entries(slices).flatMap(([name, all]) => Array.from(all, (one) => [one, name] as const)));
});
const fontOf = kept((name) => file(`fonts/${name}`));
const started = kept(async (wasm) => initWasm(await file(wasm)));

/** Characters of East Asia look as in Japan next to kana, as in Korea next to hangul, and otherwise as in China. */
const familiesFor = (text: string): readonly string[] => {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return ['sans', 'emoji', 'jp', 'sc', 'kr'];
  return ['sans', 'emoji', ...(/\p{Script=Hangul}/u.test(text) ? ['kr', 'sc', 'jp'] : ['sc', 'jp', 'kr'])];
};

/** Finds the files that have the characters of a text, and the characters that no file has. */
const fontsFor = async (text: string): Promise<{ files: string[]; missing: string[] }> => {
  const files = new Set<string>();
  let missing = [...new Set(text)];
  for (const family of familiesFor(text)) {
    if (missing.length === 0) break;
    const known = await filesOf(family);
    missing = missing.filter((character) => {
      const name = known.get(character);
      if (name !== undefined) files.add(name);
      return name === undefined;
    });
  }
  return { files: [...files], missing };
};

/** Spaces, controls and marks that nobody sees. */
const invisible = /^[\p{C}\p{Z}\uFE0E\uFE0F]$/u;

const draw = async (svg: string): Promise<Uint8Array | undefined> => {
  await started('resvg.wasm.br');
  const { files, missing } = await fontsFor(svg);
  if (missing.some((character) => !invisible.test(character))) return undefined;
  // A missing character would be a box, and so would all that follow it.
  const shown = missing.reduce((text, character) => text.replaceAll(character, ' '), svg);
  const fontBuffers = await Promise.all(files.map(fontOf));
  const drawing = new Resvg(shown, { font: { fontBuffers, defaultFontFamily: 'Noto Sans SemiBold' } });
  const picture = drawing.render();
  const png = picture.asPng();
  picture.free();
  drawing.free();
  return png;
};

parentPort?.on('message', ({ svg }: Drawing) => {
  const say = (png: Uint8Array | undefined): void => parentPort?.postMessage({ png } satisfies Drawn);
  draw(svg).then(say, () => say(undefined));
});
