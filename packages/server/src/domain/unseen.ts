/**
 * Characters that nobody sees, and that Windows and chats add when a text is copied. A refusal names them, since the
 * text looks right; forms drop them at the ends.
 */
import { type Parsed, refused } from '../base/parsed.ts';

/** Code point → its name in Unicode. Not the joiners, which emoji and Persian need. */
const names: ReadonlyMap<number, string> = new Map([
  [0xad, 'SOFT HYPHEN'],
  [0x61c, 'ARABIC LETTER MARK'],
  [0x200b, 'ZERO WIDTH SPACE'],
  [0x200e, 'LEFT-TO-RIGHT MARK'],
  [0x200f, 'RIGHT-TO-LEFT MARK'],
  [0x202a, 'LEFT-TO-RIGHT EMBEDDING'],
  [0x202b, 'RIGHT-TO-LEFT EMBEDDING'],
  [0x202c, 'POP DIRECTIONAL FORMATTING'],
  [0x202d, 'LEFT-TO-RIGHT OVERRIDE'],
  [0x202e, 'RIGHT-TO-LEFT OVERRIDE'],
  [0x2060, 'WORD JOINER'],
  [0x2066, 'LEFT-TO-RIGHT ISOLATE'],
  [0x2067, 'RIGHT-TO-LEFT ISOLATE'],
  [0x2068, 'FIRST STRONG ISOLATE'],
  [0x2069, 'POP DIRECTIONAL ISOLATE'],
  [0xfeff, 'ZERO WIDTH NO-BREAK SPACE'],
]);

const unseen = String.fromCodePoint(...names.keys());
const first = new RegExp(`[${unseen}]`, 'u');
const ends = new RegExp(`^[\\s${unseen}]+|(?<![\\s${unseen}])[\\s${unseen}]+$`, 'gu');

/** The refusal of a text that holds one of them: it names the first, and its place. */
export const refusedUnseen = (raw: string): Parsed<never> | undefined => {
  const index = raw.search(first);
  if (index === -1) return undefined;
  const codePoint = raw.codePointAt(index) ?? 0;
  const code = codePoint.toString(16).toUpperCase().padStart(4, '0');
  return refused(`Character ${index + 1} cannot be seen: it is U+${code} ${names.get(codePoint)}. Remove it.`);
};

/** The text without white space and without any of them at its ends. */
export const withoutUnseenEnds = (text: string): string => text.replace(ends, '');
