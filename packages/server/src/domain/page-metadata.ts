/**
 * What an HTML page says about itself in its machine-readable parts: JSON-LD blocks, meta elements, title. The caller
 * decides which part to trust. The page is streamed through the parser without building a tree: for one hostile
 * mebibyte of nested elements, building and querying a tree takes minutes.
 */
import { Parser } from 'htmlparser2';

/** The texts, unchanged. `meta` is keyed by lower-case `property` or `name`; the first of each counts. */
export type PageMetadata = {
  readonly jsonLd: readonly string[];
  readonly meta: ReadonlyMap<string, string>;
  readonly title: string;
};

/** As in browsers. The parser's cost grows with depth, so deeper content is ignored. */
const deepestNesting = 512;

/** Reads any text; never throws. */
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
