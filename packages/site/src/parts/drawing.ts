/**
 * What is on the cover of a bot, or the face of an author: a pattern in one tone on the light one of another, and the
 * first letter of the name. A slug or handle chooses the drawing, which stays when a bot is renamed.
 */
import { graphemesOf } from './words.ts';

/** How many tones there are; the styles have the colours. */
const tones = 8;

/** Returns the character on the cover; a dot for a name that consists of symbols. */
export const letterOf = (name: string): string => {
  for (const segment of graphemesOf(name)) {
    if (/^[\p{L}\p{N}]/u.test(segment)) return segment.toLocaleUpperCase('en');
    if (/^[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(segment)) return segment;
  }
  return '•';
};

const disc = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0z`;

/** Stripes, arcs, dots, steps, waves, corners, rings and a weave, in a square of 8. What overlaps is cut out. */
const patterns: readonly string[] = [
  'M0 0h2v8H0zM4 0h2v8H4z',
  'M0 8a8 8 0 0 1 8-8v3a5 5 0 0 0-5 5zM6 8a2 2 0 0 1 2-2v2z',
  disc(2, 2, 1.3) + disc(6, 2, 1.3) + disc(2, 6, 1.3) + disc(6, 6, 1.3),
  'M0 2h2v2h2v2h2v2H0zM4 0h4v4H6V2H4z',
  'M0 2q2-2 4 0t4 0v2q-2 2-4 0t-4 0zM0 7q2-2 4 0t4 0v1H0z',
  'M0 0h8L0 8zM8 8H5l3-3z',
  disc(8, 0, 7) + disc(8, 0, 5) + disc(8, 0, 3),
  'M0 0h4v4H0zM4 4h4v4H4zM5 1h2v2H5zM1 5h2v2H1z',
];

/** What a cover shows, besides its letter. `turn` is in degrees. */
export type Drawing = { readonly ground: number; readonly ink: number; readonly shape: string; readonly turn: number };

/** Returns the drawing of a slug or handle, always the same. Both tones are from 0 to 7, and never equal. */
export const drawingOf = (of: string): Drawing => {
  // FNV-1a, then mixed as MurmurHash3 does: similar slugs differ only in their last letters.
  let hash = 0x811c9dc5;
  for (let i = 0; i < of.length; i += 1) hash = Math.imul(hash ^ of.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  const part = (from: number, of: number): number => ((hash ^ (hash >>> 16)) >>> from) % of;
  const ground = part(0, tones);
  return {
    ground,
    ink: (ground + 1 + part(3, tones - 1)) % tones,
    shape: patterns[part(11, patterns.length)] ?? '',
    turn: 90 * part(20, 4),
  };
};
