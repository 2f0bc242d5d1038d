/** Words and how they match: as `folding.ts` compares them, from the beginning of a word. */
import { limits, type Bot } from '@bot-directory/contract';
import { accepted, refused, type Parsed } from '../base/parsed.ts';
import { folded, isAscii, visible } from './folding.ts';

// Scripts written without spaces between words, and Korean, which joins nouns and endings: a match may begin anywhere.
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}가-힣\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const foldedText = (text: string): string => (isAscii(text) ? text.toLowerCase() : folded(visible(text)));

const wordOfAscii = /[a-z0-9]+/g;
const anyWord = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

const plainWords = (text: string): readonly string[] => text.match(isAscii(text) ? wordOfAscii : anyWord) ?? [];

/** How a text is folded. */
type Fold = (text: string) => string;

/** The words of a text, in order. */
export const wordsOf = (text: string, fold: Fold = foldedText): readonly string[] => plainWords(fold(text));

/** Names whose signs are a part of them, as in C++, C# and .NET. */
const signedNames =
  /(?<![\p{L}\p{M}\p{N}.])\.\p{L}[\p{L}\p{M}\p{N}]*|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*[+#]{1,2}(?![\p{L}\p{N}+#])/gu;

/** A faster test, since nearly no text has such a name. */
const maybeSigned = /[+#]|(?<![\w.])\.[^\s\d]/;

const namesIn = (whole: string): readonly string[] => (maybeSigned.test(whole) ? (whole.match(signedNames) ?? []) : []);

/** What a text is found by: its words, and names with their signs. */
export const findableWords = (text: string): readonly string[] => findableIn(foldedText(text));

const findableIn = (whole: string, words = plainWords(whole)): readonly string[] => {
  const names = namesIn(whole);
  return names.length === 0 ? words : [...words, ...names];
};

/** What a bot is found by. */
export type BotTexts = Pick<Bot, 'name' | 'description' | 'author' | 'integrations' | 'categories'>;

/** The text that `q` is matched against. */
export const botText = ({ name, description, author, integrations, categories }: BotTexts): string =>
  [name, description, author ?? '', ...integrations, ...integrations.flatMap(otherSpellings), ...categories].join(' ');

/** `c-plus-plus` is also found as `c++`, and `c-sharp` as `c#`. */
const otherSpellings = (slug: string): string[] =>
  /-(?:plus|sharp)/.test(slug) ? [slug.replaceAll('-plus', '+').replaceAll('-sharp', '#')] : [];

/** The words of a query, each once. A name with signs finds that name alone. */
export const searchWords = (query: string): string[] => {
  const whole = foldedText(query);
  const names = namesIn(whole);
  const rest = names.length === 0 ? whole : whole.replace(signedNames, ' ');
  return [...new Set([...names, ...plainWords(rest)])].sort();
};

/** Words, and names with their signs. */
const wordOrName = new RegExp(`${signedNames.source}|[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*`, 'gu');

/** The words of a sentence in its order, each once: as many as a search takes, and those beyond. */
export const sentenceOf = (text: string): { readonly words: readonly string[]; readonly beyond: readonly string[] } => {
  const words = [...new Set(foldedText(text.slice(0, limits.queryLength)).match(wordOrName))];
  return { words: words.slice(0, limits.queryWords), beyond: words.slice(limits.queryWords) };
};

/** A text as it is, or its first words if a search does not take more. */
export const firstWords = (text: string): string => {
  const { words, beyond } = sentenceOf(text);
  const isWhole = text.length <= limits.queryLength && beyond.length === 0;
  return isWhole || words.length === 0 ? text : words.join(' ');
};

/** The parts of words in scripts without spaces, which may be sentences, and other words whole; each once. */
export const partsOf = (words: readonly string[]): string[] => {
  const parts = words.flatMap((word) =>
    isSpaceless(word) ? Array.from(segmenter.segment(word), ({ segment }) => segment) : [word],
  );
  return [...new Set(parts)];
};

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a query that a caller sends. */
export const parseSearch = (raw: string): Parsed<readonly string[]> => {
  if (raw.length > limits.queryLength) return refused(`must have at most ${limits.queryLength} characters`);
  const words = searchWords(raw);
  if (words.length > limits.queryWords) return refused(`must have at most ${limits.queryWords} different words`);
  return words.length > 0 || raw.trim() === '' ? accepted(words) : refused('must have a letter or a digit');
};

/** Whether a word may match anywhere in another, not only at its beginning. */
export const isSpaceless = (word: string): boolean => !isAscii(word) && spaceless.test(word);

/** What an index has of a text: words, up to a first character of a script without spaces, and `pairsOf` them. */
export type IndexedText = { readonly words: readonly string[]; readonly pairs: readonly string[] };

const indexed = (text: string): IndexedText => {
  const whole = foldedText(text);
  // Nearly all are ASCII, and a start splits the texts of all bots: it is tested once, not in each step.
  if (isAscii(whole)) return { words: findableIn(whole, whole.match(wordOfAscii) ?? []), pairs: [] };
  const words = findableIn(whole);
  // To test the whole is faster than each word.
  if (!isSpaceless(whole)) return { words, pairs: [] };
  const beginnings = words.map((word) => word.split(spaceless, 1)[0] ?? '');
  return { words: beginnings.filter((word) => word !== ''), pairs: words.flatMap(pairsOf) };
};

/** Up to so many characters of a script without spaces are found without reading the text. */
export const pairLength = 2;

/** The single characters and the pairs of a word that have a character of a script without spaces. */
export const pairsOf = (word: string): string[] =>
  Array.from({ length: word.length }, (_, i) => [word.charAt(i), word.slice(i, i + pairLength)])
    .flat()
    .filter(isSpaceless);

/** Whether one of the words of a text matches a word of a query. This is the definition of `q`, without an index. */
export const findsWord = (words: readonly string[], wanted: string): boolean =>
  isSpaceless(wanted) ? words.some((own) => own.includes(wanted)) : words.some((own) => own.startsWith(wanted));

/** The highest relevance. */
export const mostRelevant = 4;

const beginOf = (name: string): string => /\S+/.exec(name)?.[0] ?? '';

/** The texts by which a bot is found, each with its relevance, the highest first. A word may be in several. */
export const textsByRelevance = ({ name, description, author, integrations, categories }: BotTexts) =>
  [
    [3, indexed(beginOf(name))],
    [2, indexed(name)],
    [1, indexed([author ?? '', ...integrations].join(' '))],
    [0, indexed([description, ...integrations.flatMap(otherSpellings), ...categories].join(' '))],
  ] as const;

/** Returns the query for a name: equal for names with the same words. */
export const wholeName = (name: string): string => searchWords(name).join(' ');

/**
 * Returns how relevant a bot is that all words of a query match: its name is the query (4), begins with a word of it
 * (3), has all of them (2), or has them together with the author and the integrations (1). 0: they are in another text.
 */
export const relevanceOf = ({ name, author, integrations }: BotTexts, words: readonly string[]): number => {
  const own = findableWords(name);
  const labels = findableWords([author ?? '', ...integrations].join(' '));
  if (!words.every((word) => findsWord(own, word) || findsWord(labels, word))) return 0;
  if (!words.every((word) => findsWord(own, word))) return 1;
  const begin = findableWords(beginOf(name));
  if (!words.some((word) => findsWord(begin, word))) return 2;
  return wholeName(name) === words.join(' ') ? mostRelevant : 3;
};

/** The shortest word that may have a typing error. */
const shortestMistyped = 4;

const isRightToGuess = (word: string): boolean =>
  word.length >= shortestMistyped && /\p{L}/u.test(word) && !isSpaceless(word);

/** What may stand in a word instead of a wrong letter: those of its script, digits, and what joins words of a name. */
const alphabetFor = (word: string): string => {
  const latin = 'abcdefghijklmnopqrstuvwxyz0123456789-_';
  if (isAscii(word)) return latin;
  const blocks = new Set(Array.from(word, (letter) => letter.charCodeAt(0) >>> 7));
  const block = (first: number): string => String.fromCharCode(...Array.from({ length: 128 }, (_, i) => first + i));
  return [...blocks].map((number) => (number === 0 ? latin : block(number << 7))).join('');
};

/** Every text that differs from a word by one letter too many, missing, wrong or swapped with the next. */
function* oneTypoFrom(word: string): Generator<string> {
  const alphabet = alphabetFor(word);
  for (let i = 0; i <= word.length; i += 1) {
    const before = word.slice(0, i);
    const after = word.slice(i);
    if (after !== '') yield before + after.slice(1);
    if (after.length > 1) yield `${before}${after.charAt(1)}${after.charAt(0)}${after.slice(2)}`;
    for (const letter of alphabet) {
      yield before + letter + after;
      if (after !== '') yield before + letter + after.slice(1);
    }
  }
}

/** How many names are offered instead of one that is not there. */
const mostAlike = 6;

/** The names that are one typing error away from one, or that begin as it does; upper and lower case are the same. */
export const namesLike = (name: string, names: readonly string[]): string[] => {
  const wanted = name.toLowerCase();
  const typos = new Set(oneTypoFrom(wanted));
  const isLike = (one: string): boolean =>
    typos.has(one) || one.startsWith(wanted) || (one.length >= shortestMistyped && wanted.startsWith(one));
  return names.filter((one) => isLike(one.toLowerCase())).slice(0, mostAlike);
};

/**
 * What a query may have meant, if it has one typing error: a space or hyphen too many or missing, or else a letter too
 * many, missing, wrong or swapped, most common words first. `countOf` is how many texts have a word.
 */
export const corrections = (query: string, countOf: (word: string) => number): string[] => {
  const words = wordsOf(query);
  const spaced = new Map<string, number>();
  const spelt = new Map<string, number>();
  const offer = (into: Map<string, number>, [at, length]: [number, number], text: string, count: number): void => {
    if (count > 0) into.set([...words.slice(0, at), text, ...words.slice(at + length)].join(' '), count);
  };
  // As many as a query may have; of one that repeats words, some are enough.
  for (const [i, word] of words.slice(0, limits.queryWords).entries()) {
    const joined = `${word}${words[i + 1] ?? ''}`;
    if (i + 1 < words.length) offer(spaced, [i, 2], joined, countOf(joined));
    if (!isRightToGuess(word)) continue;
    for (const text of oneTypoFrom(word)) if (text !== word) offer(spelt, [i, 1], text, countOf(text));
    for (let at = 1; at < word.length; at += 1) {
      const one = word.slice(0, at);
      const other = word.slice(at);
      offer(spaced, [i, 1], `${one}-${other}`, Math.min(countOf(one), countOf(other)));
    }
  }
  return [spaced, spelt].flatMap((found) =>
    [...found].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([text]) => text),
  );
};

/**
 * How the operator's phrases match a text: whole words in this order; if the phrase ends in `*`, the last is only the
 * beginning of a word. A phrase without words matches nothing.
 */
export const phraseMatcher = (parts: readonly string[], fold: Fold = foldedText): ((phrase: string) => boolean) => {
  // Every word between two spaces.
  const text = ` ${parts.flatMap((part) => wordsOf(part, fold)).join(' ')} `;
  return (phrase) => {
    const found = searchPhrase(phrase, fold);
    return found !== undefined && text.includes(found);
  };
};

/** What `phraseMatcher` looks for: the words, with a space where one has to begin or end; `undefined` without words. */
export const searchPhrase = (phrase: string, fold: Fold = foldedText): string | undefined => {
  const words = wordsOf(phrase, fold);
  if (words.length === 0) return undefined;
  const begin = isSpaceless(words[0] ?? '') ? '' : ' ';
  const isOpen = phrase.trimEnd().endsWith('*') || isSpaceless(words.at(-1) ?? '');
  return `${begin}${words.join(' ')}${isOpen ? '' : ' '}`;
};
