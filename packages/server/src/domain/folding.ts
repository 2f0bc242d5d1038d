/**
 * How texts are compared: without regard to case, accents, compatibility forms or invisible characters. The table below
 * says which marks are accents. All others are kept, because without them a word is another word: the vowels of Hindi
 * and Thai, the voice marks of Japanese, the breve of й.
 */

/** Marks of no script of their own. They are accents, except on Cyrillic letters, which have rows of their own. */
const general = '\\u0300-\\u036F\\u1AB0-\\u1AFF\\u1DC0-\\u1DFF\\u20D0-\\u20FF\\uFE20-\\uFE2F';

/** The marks that are accents, in decomposed text. */
const accents = [
  // Latin, Greek, Armenian, …: café, Ελλάδα. Signs such as a keycap too.
  `(?<!\\p{Script=Cyrillic})[${general}]`,
  // Stress, and the dots of ё, which most writers omit. Others make a letter: й, ї, ў, ѓ, ќ.
  '(?<=[аеиоуыэюяєіѣ])[\\u0300\\u0301\\u030F\\u0311]',
  '(?<=е)\\u0308',
  '[\\u0483-\\u0489\\uA66F-\\uA67D]',
  // Points of Hebrew.
  '[\\u0591-\\u05BD\\u05BF\\u05C1\\u05C2\\u05C4\\u05C5\\u05C7]',
  // Vowels of Arabic, which schoolbooks and the Quran have, and the hamza and madda of alef, which writers omit.
  '[\\u0610-\\u061A\\u064B-\\u0652\\u0656-\\u065F\\u0670\\u06D6-\\u06DC\\u06DF-\\u06E4\\u06E7\\u06E8\\u06EA-\\u06ED]',
  '(?<=ا\\p{M}*)[\\u0653-\\u0655]',
  // The hamza of the heh and yeh of Persian and Urdu.
  '(?<=[ةهہیىے]\\p{M}*|\\u06D5\\p{M}*\\u0654\\p{M}*)\\u0654',
  // Points of Syriac.
  '[\\u0711\\u0730-\\u074A]',
  // Tones of the Vedas.
  '[\\u0951\\u0952\\u1CD0-\\u1CE8]',
];

const accent = new RegExp(accents.join('|'), 'gu');

/** Characters that show nothing, such as joiners, and the tatweel, which only lengthens a word of Arabic. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;

const ascii = /^\p{ASCII}*$/u;

/** Whether a text has only characters of ASCII, so that nothing but its case is to be folded. */
export const isAscii = (text: string): boolean => ascii.test(text);

/** Letters that Arabic, Persian and Urdu write in two ways, as Lucene's normalizers join them. */
const arabic = ['ةه', 'ۀه', 'ہه', 'ىي', 'یي', 'ےي', 'کك'].map((pair) => [pair.charAt(0), pair.charAt(1)] as const);

/** The letters of katakana that hiragana has too, and their marks of repetition. */
const katakana = [...Array.from({ length: 0x56 }, (_, i) => 0x30a1 + i), 0x30fd, 0x30fe].map(
  (code) => [String.fromCharCode(code), String.fromCharCode(code - 0x60)] as const,
);

/** Letters that NFKD leaves whole, as passports of their languages transliterate them; the final sigma; those above. */
const letters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ŋ', 'ng'],
  ['ı', 'i'],
  ['ĸ', 'k'],
  ['ƒ', 'f'],
  ['ς', 'σ'],
  ...arabic,
  ...katakana,
]);

const spelled = new RegExp(`[${[...letters.keys()].join('')}]`, 'g');

/**
 * Compatibility forms unfolded, accents dropped, lower case: `İstanbul Ｆｕｌｌ` → `istanbul full`. Some forms unfold to
 * characters that show nothing.
 */
export const unaccented = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : visible(text.normalize('NFKD').toLowerCase()).replace(accent, '').normalize('NFC');

/** Slugs and searches fold alike: no accents, letters spelled out, lower case: `Łódź Straße` → `lodz strasse`. */
export const folded = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : unaccented(text).replace(spelled, (letter) => letters.get(letter) ?? letter);

/** Drops characters that show nothing: `in<U+200D>box` → `inbox`. */
export const visible = (text: string): string => (isAscii(text) ? text : text.replace(invisible, ''));
