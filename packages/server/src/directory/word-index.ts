/**
 * The words of all bots, by which searches find and rank them. A word is found by its beginning; in scripts without
 * spaces it matches anywhere.
 */
import type { Bot } from '@bot-directory/contract';
import { isDisguised, skeleton } from '../domain/look-alike.ts';
import { isSpaceless, pairLength, pairsOf, textsByRelevance, wholeName, type IndexedText } from '../domain/search.ts';
import { intersect, Postings, unite, type Bits } from './ordinals.ts';

/** One for each character of ASCII. */
const groups = 128;
/** From this length on, V8 stores a part of a text as a reference to the whole text. */
const slicedLength = 13;

/** Words of a part of each entry. */
class WordIndex {
  /** The words by their first characters, so that few are compared with the beginning of one. */
  readonly #words = Array.from({ length: groups }, () => new Postings());
  /** Characters and pairs of characters in scripts without spaces. */
  readonly #pairs = new Postings();

  add({ words, pairs }: IndexedText, ordinal: number): void {
    for (const word of words) this.#wordsLike(word).add(ownText(word), ordinal);
    for (const pair of pairs) this.#pairs.add(pair, ordinal);
  }

  delete({ words, pairs }: IndexedText, ordinal: number): void {
    for (const word of words) this.#wordsLike(word).delete(word, ordinal);
    for (const pair of pairs) this.#pairs.delete(pair, ordinal);
  }

  /** How many entries have a word, whole. */
  count(word: string): number {
    return this.#wordsLike(word).count(word);
  }

  /** The entries in `among` that have a word, whole, newest first, until `use` returns false. */
  eachDown(word: string, among: Bits, use: (ordinal: number) => boolean): void {
    this.#wordsLike(word).eachDown(word, among, use);
  }

  /** Adds the entries with a wanted word to `into`; if it `mustBeRead`, perhaps others too. */
  addTo(into: Bits, wanted: string): void {
    if (isSpaceless(wanted)) {
      const [first = '', ...others] = wanted.length <= pairLength ? [wanted] : pairsOf(wanted);
      const found = this.#pairs.toBits(first, into.length);
      for (const pair of others) this.#pairs.keepIn(found, pair);
      unite(into, found);
    } else this.#wordsLike(wanted).addBeginning(into, wanted);
  }

  /** The words that may begin as one does. */
  #wordsLike(word: string): Postings {
    return this.#words[word.charCodeAt(0) % groups] ?? new Postings();
  }
}

/** Whether entries that are found must be read: in scripts without spaces only pairs are indexed. */
const mustBeRead = (wanted: string): boolean => wanted.length > pairLength && isSpaceless(wanted);

/** The words of bots, and their names. */
export class BotWords {
  /** By relevance: see `textsByRelevance`. The words at the beginning of names are among the words of names too. */
  readonly #words = [new WordIndex(), new WordIndex(), new WordIndex(), new WordIndex()] as const;
  /** By whole names: see `wholeName`. */
  readonly #names = new Postings();
  /** By what names and handles look like, to find others that look the same. */
  readonly #looks = { name: new Postings(), disguise: new Postings(), author: new Postings() };

  add(ordinal: number, bot: Bot): void {
    for (const [relevance, text] of textsByRelevance(bot)) this.#words[relevance].add(text, ordinal);
    this.#names.add(wholeName(bot.name), ordinal);
    for (const [look, text] of looksOf(bot)) this.#looks[look].add(skeleton(text), ordinal);
  }

  delete(ordinal: number, bot: Bot): void {
    for (const [relevance, text] of textsByRelevance(bot)) this.#words[relevance].delete(text, ordinal);
    this.#names.delete(wholeName(bot.name), ordinal);
    for (const [look, text] of looksOf(bot)) this.#looks[look].delete(skeleton(text), ordinal);
  }

  /** How often bots have a word, whole, in a part. */
  count(word: string): number {
    return this.#words.reduce((sum, index) => sum + index.count(word), 0);
  }

  /** How many bots have a word, whole, in their description. */
  countDescribed(word: string): number {
    return this.#words[0].count(word);
  }

  /** The bots in `among` that have a word, whole, in their description, newest first, until `use` returns false. */
  eachDescribed(word: string, among: Bits, use: (ordinal: number) => boolean): void {
    this.#words[0].eachDown(word, among, use);
  }

  /** Removes from `bits` the bots without these words. Returns the words for which the others must still be read. */
  select(words: readonly string[], bits: Bits): string[] {
    bits.set(this.#withAll(words, 0, bits));
    return words.filter(mustBeRead);
  }

  /** Separates the bots in `among`, which have all words, by their relevance, the most relevant first. */
  *byRelevance(among: Bits, words: readonly string[]): Generator<Bits> {
    const rest = among.slice();
    const names = this.#withAll(words, 2, rest);
    const begins = new Uint32Array(among.length);
    for (const word of words) unite(begins, this.#withAll([word], 3, names));
    const wholes = begins.slice();
    this.#names.keepIn(wholes, words.join(' '));
    for (const bits of [wholes, begins, names]) yield takenFrom(rest, bits);
    yield takenFrom(rest, this.#withAll(words, 1, rest));
    yield rest;
  }

  /** The first bots in `among` whose name has the words of this one, oldest first. */
  namesakes(name: string, among: Bits, most: number): number[] {
    return this.#names.first(wholeName(name), among, most);
  }

  /** The first bots in `among` with something that looks like a text, oldest first. */
  lookLike(look: Look, text: string, among: Bits, most: number): number[] {
    return this.#looks[look].first(skeleton(text), among, most);
  }

  /** The bots in `among` that have all words, each at this relevance or a higher one. */
  #withAll(words: readonly string[], relevance: 0 | 1 | 2 | 3, among: Bits): Bits {
    const kept = among.slice();
    for (const word of words) {
      const found = new Uint32Array(among.length);
      for (const index of this.#words.slice(relevance, Math.max(relevance + 1, 3))) index.addTo(found, word);
      intersect(kept, found);
    }
    return kept;
  }
}

/** What looks like something: a name in disguise or another, or an author's handle. */
export type Look = 'name' | 'disguise' | 'author';

const looksOf = ({ name, author }: Bot): [Look, string][] => [
  [isDisguised(name) ? 'disguise' : 'name', name],
  ...(author === null ? [] : [['author', author] as [Look, string]]),
];

/** Moves the members of `bits` that are in `rest` out of it; `bits` keeps no others. */
const takenFrom = (rest: Bits, bits: Bits): Bits => {
  intersect(bits, rest);
  for (let i = 0; i < rest.length; i += 1) rest[i] = (rest[i] ?? 0) & ~(bits[i] ?? 0);
  return bits;
};

/** A text that keeps no other alive. */
export const ownText = (text: string): string => (text.length < slicedLength ? text : Buffer.from(text).toString());
