/** Words and how they are found: without regard to case or accents, from the beginning of a word. */

// Scripts written without spaces between words: there a word may begin anywhere.
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const fold = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** The text that words are looked up in: every word with a space before it. */
export const searchText = (parts: readonly string[]): string => ` ${parts.flatMap(fold).join(' ')}`;

/** What to look for in a search text, one for each word: `text.includes(word)` for all of them. */
export const searchWords = (query: string): string[] =>
  [...new Set(fold(query))].map((word) => (spaceless.test(word) ? word : ` ${word}`)).sort();

/**
 * What to look for in a search text (with a space added at its end) to find a phrase: whole words in this order, of which
 * the last is only the beginning of one when it ends in `*`. `undefined` when there is no word in it.
 */
export const searchPhrase = (phrase: string): string | undefined => {
  const words = fold(phrase);
  if (words.length === 0) return undefined;
  const begin = spaceless.test(words[0] ?? '') ? '' : ' ';
  const isOpen = phrase.trimEnd().endsWith('*') || spaceless.test(words.at(-1) ?? '');
  return `${begin}${words.join(' ')}${isOpen ? '' : ' '}`;
};
