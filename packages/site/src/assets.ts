/** The files that pages request: made at the build, named by their content, compressed once. */
import { guide as parts, release as ofThisSource, table } from './asset-table.js';
import type { Guide } from './views.ts';

/** A file. `path` changes whenever its bytes do. */
export type Asset = {
  readonly name: AssetName;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
  /** At quality 11; `undefined` if compression gains nothing. */
  readonly brotli: Uint8Array | undefined;
};

export type AssetName =
  | 'site.css'
  | 'site.js'
  | 'docs.css'
  | 'docs.js'
  | 'forms.js'
  | 'icon.svg'
  | 'favicon.ico'
  | 'apple-touch-icon.png'
  | 'og.png';

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Every file, without an operator's own accent. */
export const assets: readonly Asset[] = table.map(({ body, brotli, ...rest }) => ({
  ...rest,
  body: bytesOf(body),
  brotli: brotli === undefined ? undefined : bytesOf(brotli),
}));

/** The guide for subscribers: docs/SUBSCRIBING.md. */
export const guide: Guide = parts;

/**
 * Identifies the code that makes the pages: releases that may make other bytes from the same view have different names.
 */
export const release: string = ofThisSource;
