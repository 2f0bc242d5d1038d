/**
 * The words of all bots, and the entries that contain them. A word is found by its beginning: one or two characters are
 * keys of their own, because very many words begin with them; longer beginnings are searched among the words with the
 * same first two characters. In scripts without spaces a word matches anywhere, by its pairs of characters.
 */
import { isSpaceless, spacedLength } from '../domain/search.ts';
import { Postings, type Bits } from './ordinals.ts';

const pairLength = 2;
/** From this length on, V8 stores a part of a text as a reference to the whole text. */
const slicedLength = 13;

/** An index of words. */
export class WordIndex {
  readonly #words = new Postings<string>();
  readonly #beginnings = new Postings<string>();
  /** Single characters and pairs from words in scripts without spaces. */
  readonly #pairs = new Postings<string>();
  /** The first two characters of words → those words. */
  readonly #byBeginning = new Map<string, string[]>();

  add(words: Iterable<string>, ordinal: number): void {
    for (const word of words) {
      const spaced = spacedLength(word);
      if (spaced < word.length)
        for (const pair of [...word.split(''), ...pairsOf(word)]) this.#pairs.add(pair, ordinal);
      if (spaced > 0) this.#addSpaced(spaced === word.length ? word : word.slice(0, spaced), ordinal);
    }
  }

  /** How many entries have a word, whole. */
  count(word: string): number {
    return this.#words.count(word);
  }

  /** The entries in `among` that have a word, whole, newest first, until `use` returns false. */
  eachDown(word: string, among: Bits, use: (ordinal: number) => boolean): void {
    this.#words.eachDown(word, { among }, use);
  }

  /** Removes the words that an entry no longer has. */
  delete(before: Iterable<string>, after: Iterable<string>, ordinal: number): void {
    const [old, now] = [keysOf(before), keysOf(after)];
    for (const pair of old.pairs) if (!now.pairs.has(pair)) this.#pairs.delete(pair, ordinal);
    for (const beginning of old.beginnings)
      if (!now.beginnings.has(beginning)) this.#beginnings.delete(beginning, ordinal);
    for (const word of old.words) if (!now.words.has(word) && this.#words.delete(word, ordinal)) this.#forget(word);
  }

  /**
   * Removes from `from` the entries without the wanted word. In scripts without spaces only pairs are indexed: if the
   * word is longer, the remaining entries are `unread` and must still be checked.
   */
  keepIn(from: Bits, wanted: string): 'exact' | 'unread' {
    if (isSpaceless(wanted)) {
      for (const pair of wanted.length === 1 ? [wanted] : pairsOf(wanted)) this.#pairs.keepIn(from, pair);
      return wanted.length > pairLength ? 'unread' : 'exact';
    }
    if (wanted.length <= pairLength) this.#beginnings.keepIn(from, wanted);
    else {
      const found = new Uint32Array(from.length);
      for (const word of this.#byBeginning.get(wanted.slice(0, pairLength)) ?? [])
        if (word.startsWith(wanted)) this.#words.addTo(found, word);
      for (let i = 0; i < from.length; i += 1) from[i] = (from[i] ?? 0) & (found[i] ?? 0);
    }
    return 'exact';
  }

  #addSpaced(word: string, ordinal: number): void {
    const outcome = this.#words.add(word, ordinal);
    if (outcome === 'known') return;
    if (outcome === 'new') this.#remember(word, ordinal);
    for (const beginning of beginningsOf(word)) this.#beginnings.add(beginning, ordinal);
  }

  #remember(word: string, ordinal: number): void {
    const own = word.length < slicedLength ? word : Buffer.from(word).toString();
    if (word.length >= slicedLength) {
      this.#words.delete(word, ordinal);
      this.#words.add(own, ordinal);
    }
    const beginning = own.slice(0, pairLength);
    const siblings = this.#byBeginning.get(beginning);
    if (siblings === undefined) this.#byBeginning.set(beginning, [own]);
    else siblings.push(own);
  }

  #forget(word: string): void {
    const beginning = word.slice(0, pairLength);
    const siblings = this.#byBeginning.get(beginning) ?? [];
    const at = siblings.indexOf(word);
    const last = siblings.pop();
    if (last !== undefined && last !== word) siblings[at] = last;
    if (siblings.length === 0) this.#byBeginning.delete(beginning);
  }
}

/** All keys by which a text's words are found. */
const keysOf = (texts: Iterable<string>) => {
  const [words, beginnings, pairs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const text of texts) {
    const spaced = spacedLength(text);
    if (spaced < text.length) for (const pair of [...text.split(''), ...pairsOf(text)]) pairs.add(pair);
    if (spaced === 0) continue;
    words.add(text.slice(0, spaced));
    for (const beginning of beginningsOf(text.slice(0, spaced))) beginnings.add(beginning);
  }
  return { words, beginnings, pairs };
};

/** The first character, and the first two. */
const beginningsOf = (word: string): string[] =>
  word.length === 1 ? [word] : [word.charAt(0), word.slice(0, pairLength)];

const pairsOf = (word: string): string[] =>
  Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + pairLength));
