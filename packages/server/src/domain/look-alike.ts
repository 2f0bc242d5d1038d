/**
 * Texts that look alike though their letters differ, such as `Mееting` with a Cyrillic е: they have one skeleton, by
 * UTS #39. Skeletons also join what honest names of one script have, m and rn, l and 1. So they count only for a text
 * that is disguised: one that mixes scripts in a word, or has only look-alikes of Latin letters. See decision 0160.
 */
import { confusables } from './confusables.gen.ts';
import { isAscii, visible } from './folding.ts';
import { wordsOf } from './search.ts';

const character = (code: string): string => String.fromCodePoint(Number.parseInt(code, 16));

/** What each character looks like. */
const looks: ReadonlyMap<string, string> = new Map(
  confusables
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [look = '', characters = ''] = line.split(': ');
      const seen = look.split(' ').map(character).join('');
      return characters.split(' ').map((code): [string, string] => [character(code), seen]);
    }),
);

const lookAlike = new RegExp(
  `[${[...looks.keys()].map((one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join('')}]`,
  'gu',
);

const seen = (text: string): string => text.replace(lookAlike, (one) => looks.get(one) ?? one);

/**
 * Returns the skeletons of a text's words, in order. Case is folded between two passes, since И and и look like
 * different letters, and the i has no case of its own: a capital looks like an l.
 */
export const skeleton = (text: string): string => {
  // Of ASCII, only the I looks like another letter than its lower case, and both end as an l.
  const shown = isAscii(text) ? text : seen(visible(text).normalize('NFKD'));
  return seen(wordsOf(shown).join(' ')).toLowerCase().replaceAll('i', 'l');
};

const lettersOf = (...scripts: string[]): string => scripts.map((name) => `\\p{Script=${name}}`).join('');
const alone = ['Latin', 'Cyrillic', 'Greek'];
const together = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'];

/** Letters of scripts of which a word has one. Those of China, Japan and Korea go together with Latin ones. */
const alphabets = [
  ...alone.map((name) => new RegExp(`[${lettersOf(name)}]`, 'u')),
  new RegExp(`(?![${lettersOf(...alone, ...together, 'Common')}])\\p{L}`, 'u'),
];
const foreign = /(?![\p{Script=Latin}\p{Script=Common}])\p{L}/gu;

/** Whether a text mixes scripts in a word, or its letters of other scripts all look like Latin ones. */
export const isDisguised = (text: string): boolean => {
  if (isAscii(text)) return false;
  const shown = visible(text).normalize('NFKD');
  const words = shown.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.some((word) => alphabets.filter((letter) => letter.test(word)).length > 1)) return true;
  const others = shown.match(foreign);
  return others?.every((letter) => /^[a-z0-9]+$/.test(skeleton(letter))) ?? false;
};
