/**
 * What an HTML page says about itself, as its machine-readable parts write it: JSON-LD blocks, meta elements, title.
 * Which part is believed is left to the reader. The page is streamed through the parser and no tree is built: building
 * and querying a tree of one hostile mebibyte of nested elements takes minutes.
 */
import { Parser } from 'htmlparser2';

/** The texts as they stand. `meta` is keyed by lower-case `property` or `name`; the first of a kind counts. */
export type PageMetadata = {
  readonly jsonLd: readonly string[];
  readonly meta: ReadonlyMap<string, string>;
  readonly title: string;
};

/** As in browsers. The parser's cost grows with the depth, so a deeper page is read this far only. */
const deepestNesting = 512;

/** Reads any text whatever; never throws. */
export function readPageMetadata(html: string): PageMetadata {
  const texts: Record<'jsonLd' | 'title', string[]> = { jsonLd: [], title: [] };
  const meta = new Map<string, string>();
  let depth = 0;
  let open: string[] | undefined;
  let pieces: string[] = [];

  const parser = new Parser({
    onopentag(name, { property, name: metaName, content, type }) {
      depth += 1;
      if (depth > deepestNesting) parser.pause();
      const key = (property ?? metaName)?.toLowerCase();
      if (name === 'meta' && key !== undefined && content !== undefined && !meta.has(key)) meta.set(key, content);
      if (name === 'title') open = texts.title;
      if (name === 'script' && type?.trim().toLowerCase() === 'application/ld+json') open = texts.jsonLd;
    },
    ontext(text) {
      if (open !== undefined) pieces.push(text);
    },
    onclosetag() {
      depth -= 1;
      open?.push(pieces.join(''));
      open = undefined;
      pieces = [];
    },
  });
  parser.end(html);
  return { jsonLd: texts.jsonLd, meta, title: texts.title[0] ?? '' };
}
