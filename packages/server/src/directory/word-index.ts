/**
 * The words of all bots, by which searches find and rank them. A word is found by its beginning. Each first character
 * has an index entry, because very many words begin with it. So has each pair of first characters, except those of
 * common words, of which there are few. Longer beginnings are searched among the words with the same first two. In
 * scripts without spaces a word matches anywhere, by its pairs of characters.
 */
import type { Bot } from '@bot-directory/contract';
import { skeleton } from '../domain/look-alike.ts';
import { isSpaceless, searchWords, spacedLength, wholeName, wordsByRelevance } from '../domain/search.ts';
import { KeyTable, TextColumn } from './columns.ts';
import { eachBitDown, intersect, Postings, setBit, unite, type Bits } from './ordinals.ts';

const pairLength = 2;
/** From this length on, V8 stores a part of a text as a reference to the whole text. */
const slicedLength = 13;
/** A word of more entries is common. */
const fewEntries = 16;

/** An index of words. An entry has each word at a level, and at all lower ones: see `Postings`. */
class WordIndex {
  readonly #words = new Postings<string>();
  readonly #initials = new Postings<string>();
  /** The first two characters of words → entries. Of a common word only the first entries are here, up to the limit. */
  readonly #beginnings = new Postings<string>();
  /** The first two characters of common words → those words. */
  readonly #common = new Map<string, Set<string>>();
  /** Single characters and pairs from words in scripts without spaces. */
  readonly #pairs = new Postings<string>();
  /** The first two characters of words → those words. */
  readonly #byBeginning = new Map<string, string[]>();

  /** Adds words of an entry. Those of higher levels are best added first. */
  add(words: Iterable<string>, ordinal: number, level: number): void {
    for (const word of words) {
      const spaced = spacedLength(word);
      if (spaced < word.length) for (const pair of allPairsOf(word)) this.#pairs.add(pair, ordinal, level);
      if (spaced > 0) this.#addSpaced(spaced === word.length ? word : word.slice(0, spaced), ordinal, level);
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

  /** Removes words of an entry, at all levels, with what else they are found by. */
  delete(words: Iterable<string>, ordinal: number): void {
    for (const word of words) {
      const spaced = spacedLength(word);
      if (spaced < word.length) for (const pair of allPairsOf(word)) this.#pairs.delete(pair, ordinal);
      const own = word.slice(0, spaced);
      if (spaced > 0) this.#initials.delete(own.charAt(0), ordinal);
      if (spaced > 0) this.#beginnings.delete(own.slice(0, pairLength), ordinal);
      if (spaced > 0 && this.#words.delete(own, ordinal)) this.#forget(own);
    }
  }

  /**
   * Removes from `from` the entries without the wanted word at this level. In scripts without spaces only pairs are
   * indexed: if the word is longer, the remaining entries are `unread` and must still be checked.
   */
  keepIn(from: Bits, wanted: string, level = 0): 'exact' | 'unread' {
    if (isSpaceless(wanted)) {
      for (const pair of wanted.length === 1 ? [wanted] : pairsOf(wanted)) this.#pairs.keepIn(from, pair, level);
      return wanted.length > pairLength ? 'unread' : 'exact';
    }
    if (wanted.length === 1) this.#initials.keepIn(from, wanted, level);
    else {
      const found = new Uint32Array(from.length);
      if (wanted.length === pairLength) this.#beginnings.addTo(found, wanted, level);
      for (const word of this.#wordsWith(wanted)) this.#words.addTo(found, word, level);
      intersect(from, found);
    }
    return 'exact';
  }

  /** The words that begin with two characters or more; with just two, only the common ones. */
  #wordsWith(beginning: string): Iterable<string> {
    if (beginning.length === pairLength) return this.#common.get(beginning) ?? [];
    const siblings = this.#byBeginning.get(beginning.slice(0, pairLength)) ?? [];
    return siblings.filter((word) => word.startsWith(beginning));
  }

  #addSpaced(word: string, ordinal: number, level: number): void {
    const outcome = this.#words.add(word, ordinal, level);
    if (outcome === 'known') return;
    if (outcome === 'new') this.#remember(word, ordinal, level);
    this.#initials.add(word.charAt(0), ordinal, level);
    const beginning = word.slice(0, pairLength);
    const count = this.#words.count(word);
    if (count <= fewEntries) this.#beginnings.add(beginning, ordinal, level);
    else if (count === fewEntries + 1) {
      const siblings = this.#common.get(beginning);
      if (siblings === undefined) this.#common.set(beginning, new Set([ownText(word)]));
      else siblings.add(ownText(word));
    }
  }

  #remember(word: string, ordinal: number, level: number): void {
    const own = ownText(word);
    if (word.length >= slicedLength) {
      this.#words.delete(word, ordinal);
      this.#words.add(own, ordinal, level);
    }
    const beginning = own.slice(0, pairLength);
    const siblings = this.#byBeginning.get(beginning);
    if (siblings === undefined) this.#byBeginning.set(beginning, [own]);
    else siblings.push(own);
  }

  #forget(word: string): void {
    const beginning = word.slice(0, pairLength);
    this.#common.get(beginning)?.delete(word);
    const siblings = this.#byBeginning.get(beginning) ?? [];
    const at = siblings.indexOf(word);
    const last = siblings.pop();
    if (last !== undefined && last !== word) siblings[at] = last;
    if (siblings.length === 0) this.#byBeginning.delete(beginning);
  }
}

/** The words of bots, at the levels of their relevance, and their names. */
export class BotWords {
  readonly #words = new WordIndex();
  /** Whole names: see `wholeName`. */
  readonly #names = new TextColumn();
  /** What names and handles look like, to find others that look the same. */
  readonly #looks = { name: new KeyTable(), author: new KeyTable() };
  /** The words of bots from this ordinal on are left out. */
  #wordless = Infinity;

  /** From now on words are left out, until `addNext` was called for each bot in the order of ordinals. */
  defer(): void {
    this.#wordless = 0;
  }

  /** Indexes the words of a bot, and those of later changes to it. */
  addNext(ordinal: number, bot: Bot): void {
    this.#wordless = ordinal + 1;
    this.add(ordinal, bot);
  }

  /** No bot's words are left out any more. */
  complete(): void {
    this.#wordless = Infinity;
  }

  add(ordinal: number, bot: Bot): void {
    if (ordinal >= this.#wordless) return;
    for (const [relevance, words] of wordsByRelevance(bot)) this.#words.add(words, ordinal, relevance);
    this.#names.set(ordinal, wholeName(bot.name));
    for (const [part, text] of shownParts(bot)) this.#looks[part].add(ordinal, skeleton(text));
  }

  delete(ordinal: number, bot: Bot): void {
    if (ordinal >= this.#wordless) return;
    for (const [, words] of wordsByRelevance(bot)) this.#words.delete(words, ordinal);
    for (const [part] of shownParts(bot)) this.#looks[part].delete(ordinal);
  }

  /** How many bots have a word, whole. */
  count(word: string): number {
    return this.#words.count(word);
  }

  /** The bots in `among` that have a word, whole, newest first, until `use` returns false. */
  eachWith(word: string, among: Bits, use: (ordinal: number) => boolean): void {
    this.#words.eachDown(word, among, use);
  }

  /** Removes from `bits` the bots without these words. Returns the words for which the others must still be read. */
  select(words: readonly string[], bits: Bits): string[] {
    if (this.#wordless !== Infinity) return [...words];
    return words.filter((word) => this.#words.keepIn(bits, word) === 'unread');
  }

  /** Separates the bots in `among`, which have all words, by their relevance, the most relevant first. */
  *byRelevance(among: Bits, words: readonly string[]): Generator<Bits> {
    const rest = among.slice();
    const names = this.#withAll(words, 2, rest);
    const begins = new Uint32Array(among.length);
    for (const word of words) unite(begins, this.#withAll([word], 3, names));
    const wholes = new Uint32Array(among.length);
    const isWhole = this.#names.equals(words.join(' '));
    eachBitDown(begins, (ordinal) => {
      if (isWhole(ordinal)) setBit(wholes, ordinal);
      return true;
    });
    for (const bits of [wholes, begins, names]) yield takenFrom(rest, bits);
    yield takenFrom(rest, this.#withAll(words, 1, rest));
    yield rest;
  }

  /** The bots in `among` below `end` whose name has the words of this one, newest first. */
  namesakes(name: string, among: Bits, end: number): number[] {
    const found: number[] = [];
    const isWhole = this.#names.equals(wholeName(name));
    const alike = this.#withAll(searchWords(name), 2, among);
    eachBitDown(alike, (ordinal) => !isWhole(ordinal) || found.push(ordinal) > 0, end);
    return found;
  }

  /** Returns the bots whose name or handle may look like a text, in no order, listed or not. */
  lookLike(part: ShownPart, text: string): number[] {
    return this.#looks[part].mayHave(skeleton(text));
  }

  /** The bots in `among` that have all words, at this relevance or a higher one. */
  #withAll(words: readonly string[], relevance: number, among: Bits): Bits {
    const kept = among.slice();
    for (const word of words) this.#words.keepIn(kept, word, relevance);
    return kept;
  }
}

type ShownPart = 'name' | 'author';

const shownParts = ({ name, author }: Bot): [ShownPart, string][] => [
  ['name', name],
  ...(author === null ? [] : [['author', author] as [ShownPart, string]]),
];

/** Moves the members of `bits` that are in `rest` out of it; `bits` keeps no others. */
const takenFrom = (rest: Bits, bits: Bits): Bits => {
  intersect(bits, rest);
  for (let i = 0; i < rest.length; i += 1) rest[i] = (rest[i] ?? 0) & ~(bits[i] ?? 0);
  return bits;
};

const pairsOf = (word: string): string[] =>
  Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + pairLength));

const allPairsOf = (word: string): string[] => [...word.split(''), ...pairsOf(word)];

/** A word that keeps no other text alive. */
const ownText = (word: string): string => (word.length < slicedLength ? word : Buffer.from(word).toString());
