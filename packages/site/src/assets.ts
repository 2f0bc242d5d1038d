/** The files that pages ask for: made at the build, named by what is in them, compressed once. */
import { release as ofThisSource, table } from 'site:assets';

/** A file. `path` changes whenever its bytes do. */
export type Asset = {
  readonly name: AssetName;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  /** At quality 11; `undefined` where compressing gains nothing. */
  readonly brotli: Uint8Array | undefined;
};

export type AssetName = 'site.css' | 'site.js' | 'icon.svg' | 'favicon.ico' | 'og.png';

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Every file, as it is without an operator's own accent. */
export const assets: readonly Asset[] = table.map(({ body, brotli, ...rest }) => ({
  ...rest,
  body: bytesOf(body),
  brotli: brotli === undefined ? undefined : bytesOf(brotli),
}));

/** Names what the pages are made by: two releases that may write other bytes of the same view have other names. */
export const release: string = ofThisSource;
