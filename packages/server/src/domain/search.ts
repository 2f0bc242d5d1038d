/** Words and how they match: without regard to case or accents, from the beginning of a word. */

// Scripts written without spaces between words: a match may begin anywhere.
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Where the first of them begins: Thai. Nearly all words end before it, and need no regular expression. */
const firstSpaceless = 0x0e00;

const isBelow = (word: string, code: number): boolean => {
  for (let i = 0; i < word.length; i += 1) if (word.charCodeAt(i) >= code) return false;
  return true;
};

const ascii = /^\p{ASCII}*$/u;

/** The words of a text, in order. */
export const wordsOf = (text: string): readonly string[] =>
  ascii.test(text)
    ? (text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
    : (text
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []);

/** The words of a query, each once. */
export const searchWords = (query: string): string[] => [...new Set(wordsOf(query))].sort();

/** Whether a word may match anywhere in another, not only at its beginning. */
export const isSpaceless = (word: string): boolean => !isBelow(word, firstSpaceless) && spaceless.test(word);

/** How much of a word comes before its first character of a script without spaces. */
export const spacedLength = (word: string): number => {
  if (isBelow(word, firstSpaceless)) return word.length;
  const at = word.search(spaceless);
  return at === -1 ? word.length : at;
};

/** Whether one of the words of a text matches a word of a query. This is the definition of `q`, without an index. */
export const findsWord = (words: readonly string[], wanted: string): boolean =>
  isSpaceless(wanted) ? words.some((own) => own.includes(wanted)) : words.some((own) => own.startsWith(wanted));

/** A text to search for phrases: every word preceded by a space. */
export const searchText = (parts: readonly string[]): string => ` ${parts.flatMap(wordsOf).join(' ')}`;

/**
 * What to find in a search text (with a space added at its end) to match a phrase: whole words in this order; if the
 * phrase ends in `*`, the last is only the beginning of a word. `undefined` if it has no words.
 */
export const searchPhrase = (phrase: string): string | undefined => {
  const words = wordsOf(phrase);
  if (words.length === 0) return undefined;
  const begin = isSpaceless(words[0] ?? '') ? '' : ' ';
  const isOpen = phrase.trimEnd().endsWith('*') || isSpaceless(words.at(-1) ?? '');
  return `${begin}${words.join(' ')}${isOpen ? '' : ' '}`;
};
