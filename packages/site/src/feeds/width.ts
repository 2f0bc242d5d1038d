/** Estimates of how wide a text is, where nothing can measure it. */

/** Approximate widths of letters in a common sans-serif of 11 pixels; the first row that matches counts. */
const widths: readonly (readonly [letter: RegExp, width: number])[] = [
  [/[\p{Regional_Indicator}\p{Extended_Pictographic}]/u, 14],
  // East Asian letters are as wide as they are tall.
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}]/u, 11],
  [/[\u3000-\u303F\uFF01-\uFF60]/u, 11],
  [/[iljI.,:;!|'’`()[\] ]/u, 3.9],
  [/[ftr/\\-]/u, 4.5],
  [/[mwMW@%—…ЖМФШЩЮжмфшщю]/u, 10.2],
  [/[\p{Script=Ethiopic}\p{Script=Georgian}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Malayalam}]/u, 8],
  [/\p{Script=Arabic}/u, 5],
  [/\p{Script=Hebrew}/u, 6],
  [/\p{Lu}/u, 7.9],
];

const widthOfOne = (letter: string): number => widths.find(([ones]) => ones.test(letter))?.[1] ?? 6.8;

/**
 * Estimates the width of a text in letters of 11 pixels. What readers count as one letter may be several next to each
 * other, as in Devanagari; an emoji of several code points is one.
 */
export const widthOf = (letters: readonly string[]): number =>
  letters
    .flatMap((letter) => (/^[^\p{L}\p{N}]/u.test(letter) ? [letter] : (letter.match(/[^\p{Mn}\p{Me}\p{Cf}]/gu) ?? [])))
    .reduce((sum, letter) => sum + widthOfOne(letter), 0);

/** Cuts a text to the letters, of 11 pixels, that there is room for. */
export const cutToWidth = (letters: readonly string[], room: number): readonly string[] => {
  if (widthOf(letters) <= room) return letters;
  let shown = letters.length;
  while (widthOf(letters.slice(0, shown)) > room - 11) shown -= 1;
  return [...letters.slice(0, shown), '…'];
};
