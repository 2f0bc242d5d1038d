/** A bot's cover: the first letter, digit or emoji of its name, in one of eight tones that its slug chooses. */
import { graphemesOf } from './words.ts';

const tones = 8;

/** What stands on the cover; a name of symbols alone gets a dot. */
export const letterOf = (name: string): string => {
  for (const segment of graphemesOf(name)) {
    if (/^[\p{L}\p{N}]/u.test(segment)) return segment.toLocaleUpperCase('en');
    if (/^[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(segment)) return segment;
  }
  return '•';
};

/** A number from 0 to 7 that a slug always has. */
export const toneOf = (slug: string): number => {
  // FNV-1a, then mixed: neighbouring slugs differ in their last letters alone.
  let hash = 0x811c9dc5;
  for (let i = 0; i < slug.length; i += 1) hash = Math.imul(hash ^ slug.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % tones;
};

/** Decoration: the name stands beside it. */
export const Tile = ({ name, slug, isBig = false }: { name: string; slug: string; isBig?: boolean }) => (
  <span class={`tile tone-${toneOf(slug)}${isBig ? ' tile-big' : ''}`} aria-hidden="true">
    {letterOf(name)}
  </span>
);
