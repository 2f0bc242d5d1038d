/**
 * Cleans outside text that people will read on a page, in a terminal or in other programs: the result is well-formed
 * Unicode, one line or several. Escaping is left to the code that outputs it.
 */
/**
 * Controls, lone surrogates, what no font can show (private use, noncharacters, the object replacement character), and
 * format characters that hide, reorder or join text; those that emoji and Persian need are kept. Code points that this
 * version of Unicode has not assigned may be new emoji.
 */
const unwanted =
  /(?!\s)\p{Cc}|\p{Cs}|\p{Co}|\p{Noncharacter_Code_Point}|[\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFFF9-\uFFFC]/gu;

/** U+2800 is a Braille cell without dots. */
const visible = /[^\s\u2800\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/u;

/** More joiners in a row than the one that has an effect. */
const joiners = /([\u200C\u200D])[\u200C\u200D]+/gu;

/** Four marks on a letter are enough for Vietnamese, Thai, Hindi and Hebrew. More would cover the lines around it. */
const stackedMarks = /((?:[\u200C\u200D]?\p{M}){4})(?:[\u200C\u200D]?\p{M})+/gu;

/** Most texts: the expressions above find nothing in them. */
const plain = /^[\t\n\v\f\r\x20-\x7e]*$/;

const cleaned = (raw: string): string =>
  plain.test(raw) ? raw : raw.replace(unwanted, '').replace(joiners, '$1').replace(stackedMarks, '$1');

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Longer than any that people write: a family of four in colours has 41 units. */
const longestCharacter = 64;

/**
 * Cuts a text to `longest` UTF-16 units, between characters as people see them: a flag, a family or a letter with its
 * marks stays whole. One that is longer than the text may be is cut between code points.
 */
export const cutAt = (text: string, longest: number): string => {
  if (text.length <= longest) return text.trimEnd();
  const { index = 0 } = characters.segment(text.slice(0, longest + longestCharacter)).containing(longest) ?? {};
  const cut = text.slice(0, index === 0 ? longest : index);
  return cut.replace(/\p{Cs}$/u, '').trimEnd();
};

const orNothing = (text: string): string => (visible.test(text) ? text : '');

/**
 * One trimmed line of at most `longest` UTF-16 units, cut between characters; `''` if nothing in it is visible.
 * Cleaning a clean text changes nothing.
 */
export const displayText = (raw: string, longest: number): string =>
  orNothing(cutAt(cleaned(raw).replace(/\s+/g, ' ').trim(), longest));

/**
 * Cleans a text in the same way, but keeps its line breaks, with at most one empty line in a row. A longer text is cut
 * after a word, and ends in `…`.
 */
export const displayLines = (raw: string, longest: number): string => {
  const lines = cleaned(raw.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n'))
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim());
  const whole = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return orNothing(whole.length <= longest ? whole : `${cutAfterWord(whole, longest - 1)}…`);
};

/** Cuts after a word; between characters if the words are very long, or not spaced. */
const cutAfterWord = (text: string, longest: number): string => {
  const cut = cutAt(text, longest);
  if (/\s/.test(text.charAt(cut.length))) return cut;
  const end = cut.search(/\s\S*$/);
  return end < longest / 2 ? cut : cut.slice(0, end).trimEnd();
};
