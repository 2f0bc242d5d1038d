/** A bot's cover: the first letter, digit or emoji of its name, in one of eight tones that its slug chooses. */
import { graphemesOf } from './words.ts';

const tones = 8;

/** Returns the character on the cover; a dot for a name that consists of symbols. */
export const letterOf = (name: string): string => {
  for (const segment of graphemesOf(name)) {
    if (/^[\p{L}\p{N}]/u.test(segment)) return segment.toLocaleUpperCase('en');
    if (/^[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(segment)) return segment;
  }
  return '•';
};

/** Returns a number from 0 to 7, always the same for a slug. */
export const toneOf = (slug: string): number => {
  // FNV-1a, then mixed: similar slugs differ only in their last letters.
  let hash = 0x811c9dc5;
  for (let i = 0; i < slug.length; i += 1) hash = Math.imul(hash ^ slug.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % tones;
};

/** Decoration: the name is next to it. */
export const Tile = ({ name, slug, isBig = false }: { name: string; slug: string; isBig?: boolean }) => (
  <span class={`tile tone-${toneOf(slug)}${isBig ? ' tile-big' : ''}`} aria-hidden="true">
    {letterOf(name)}
  </span>
);
