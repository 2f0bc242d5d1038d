/**
 * Finds and orders the bots of a list query. It uses sets that are updated as bots are added, changed and removed, so a
 * query costs what its parameters select, not the size of the directory. Bots are identified by ordinals.
 */
import type { Bot, BotSort, CategoryCount, IntegrationCount } from '@bot-directory/contract';
import type { StoredBot } from '../domain/bot.ts';
import { botText, findableWords, mostRelevant, relevanceFields, wholeName } from '../domain/search.ts';
import type { Listing } from './listing.ts';
import { ranksPerRelevance, type Start, type Unshown } from './order.ts';
import { countBits, eachBitDown, Postings, type Bits } from './ordinals.ts';
import { RankedPostings, TrendingOrder, UpdateOrder } from './sorted-bots.ts';
import { WordIndex } from './word-index.ts';

/** What is stored of a bot, and not shown, but ranks it. */
export type Ranking = Pick<StoredBot, 'updatedAtMs' | 'recentInstalls'>;

/**
 * What indexes bots in a row, without their words, from which it is restored: faster than from the bots. A bot has the
 * same index everywhere.
 */
export type Indexing = {
  readonly installs: Float64Array;
  readonly updatedAtMs: Float64Array;
  readonly recentInstalls: readonly string[];
  /** What bots share, as JSON, with the indexes of those that do: parsing this takes less time than copying objects. */
  readonly sharing: string;
};

type Kind = 'categories' | 'integrations' | 'authors';
type Sharing = readonly (readonly [Kind, readonly (readonly [label: string, indexes: readonly number[]])[]])[];

/** By what bots are found that share it. Authors are in lower case. */
const kinds: readonly (readonly [Kind, (bot: Bot) => readonly string[]])[] = [
  ['categories', ({ categories }) => categories],
  ['integrations', ({ integrations }) => integrations],
  ['authors', ({ author }) => (author === null ? [] : [author.toLowerCase()])],
];

/** Up to this many bots are sorted; of more, the first ones are found quickly among all bots in their order. */
const mostSorted = 1_000;

/** An index of bots. */
export class BotIndex {
  readonly #sharing = {
    categories: new Postings<string>(),
    integrations: new Postings<string>(),
    authors: new Postings<string>(),
  };
  readonly #words = new WordIndex();
  /** What relevance looks at: whole names, how they begin, their words, and those of authors and integrations. */
  readonly #wholes = new Postings<string>();
  readonly #begins = new WordIndex();
  readonly #names = new WordIndex();
  readonly #labels = new WordIndex();
  readonly #installs: number[] = [];
  readonly #byInstalls = new RankedPostings();
  readonly #updates = new UpdateOrder();
  readonly #trending = new TrendingOrder();
  /** The words of bots from this ordinal on are left out. */
  #wordless = Infinity;

  /** From now on words are left out, until `addWords` was called for each bot in the order of ordinals. */
  deferWords(): void {
    this.#wordless = 0;
  }

  /** Indexes the words of a bot, and those of later changes to it. */
  addWords(ordinal: number, bot: Bot): void {
    this.#wordless = ordinal + 1;
    this.#addText(ordinal, bot);
  }

  /** No bot's words are left out any more. */
  completeWords(): void {
    this.#wordless = Infinity;
  }

  add(ordinal: number, bot: Bot, ranking: Ranking): void {
    for (const [kind, labelsIn] of kinds) for (const label of labelsIn(bot)) this.#sharing[kind].add(label, ordinal);
    this.#rank(ordinal, bot.install_count, ranking);
    if (ordinal < this.#wordless) this.#addText(ordinal, bot);
  }

  #rank(ordinal: number, installs: number, { updatedAtMs, recentInstalls }: Ranking): void {
    this.#installs[ordinal] = installs;
    this.#byInstalls.add(installs, ordinal);
    this.#updates.set(ordinal, updatedAtMs);
    this.#trending.set(ordinal, recentInstalls);
  }

  /** What indexes bots in a row, `undefined` where none is listed. */
  indexingOf(first: number, bots: readonly (Bot | undefined)[]): Indexing {
    const rankings = bots.map((_, i) => this.#rankingOf(first + i));
    const sharing: Sharing = kinds.map(([kind, labelsIn]) => {
      const byLabel = new Map<string, number[]>();
      for (const [i, bot] of bots.entries())
        for (const label of bot === undefined ? [] : labelsIn(bot)) {
          const indexes = byLabel.get(label);
          if (indexes === undefined) byLabel.set(label, [i]);
          else indexes.push(i);
        }
      return [kind, [...byLabel]] as const;
    });
    return {
      installs: Float64Array.from(bots, (bot) => bot?.install_count ?? NaN),
      updatedAtMs: Float64Array.from(rankings, (ranking) => ranking.updatedAtMs),
      recentInstalls: rankings.map((ranking) => ranking.recentInstalls),
      sharing: JSON.stringify(sharing),
    };
  }

  /** Adds bots from an ordinal on. Their words are left out. */
  restore(first: number, { installs, updatedAtMs, recentInstalls, sharing }: Indexing): void {
    for (const [kind, byLabel] of JSON.parse(sharing) as Sharing)
      for (const [label, indexes] of byLabel) for (const i of indexes) this.#sharing[kind].add(label, first + i);
    for (let i = 0; i < installs.length; i += 1) {
      const count = installs[i] ?? NaN;
      if (Number.isNaN(count)) continue;
      const ranking = { updatedAtMs: updatedAtMs[i] ?? 0, recentInstalls: recentInstalls[i] ?? '' };
      this.#rank(first + i, count, ranking);
    }
  }

  /** Replaces a bot by its new state; `undefined` removes it. */
  change(ordinal: number, before: Bot, after?: Bot, ranking: Ranking = { updatedAtMs: 0, recentInstalls: '' }): void {
    for (const [kind, labelsIn] of kinds) {
      const kept = after === undefined ? [] : labelsIn(after);
      for (const label of labelsIn(before)) if (!kept.includes(label)) this.#sharing[kind].delete(label, ordinal);
    }
    if (after?.install_count !== before.install_count) this.#byInstalls.delete(before.install_count, ordinal);
    if (ordinal < this.#wordless) this.#deleteText(ordinal, before, after);
    if (after !== undefined) return this.add(ordinal, after, ranking);
    this.#updates.delete(ordinal);
    this.#trending.delete(ordinal);
  }

  /** What ranks a bot that it does not show. */
  unshown(ordinal: number): Unshown {
    return { updatedAtMs: this.#updates.atMs(ordinal), recentInstalls: this.#trending.rankOf(ordinal) };
  }

  #rankingOf(ordinal: number): Ranking {
    return { updatedAtMs: this.#updates.atMs(ordinal), recentInstalls: this.#trending.storedOf(ordinal) };
  }

  /** The day by which bots are trending: see `recentInstalls`. */
  get today(): number {
    return this.#trending.today;
  }

  set today(day: number) {
    this.#trending.today = day;
  }

  #addText(ordinal: number, bot: Bot): void {
    const { whole, begin, name, labels } = relevanceFields(bot);
    this.#words.add(findableWords(botText(bot)), ordinal);
    this.#wholes.add(whole, ordinal);
    this.#begins.add(begin, ordinal);
    this.#names.add(name, ordinal);
    this.#labels.add(labels, ordinal);
  }

  /** Removes what the bot before was found by, and the one after is not. */
  #deleteText(ordinal: number, before: Bot, after: Bot | undefined): void {
    const [text, textAfter] = [botText(before), after === undefined ? '' : botText(after)];
    if (text !== textAfter) this.#words.delete(findableWords(text), findableWords(textAfter), ordinal);
    if (after !== undefined && labelsOf(before) === labelsOf(after)) return;
    const [old, now] = [relevanceFields(before), after === undefined ? undefined : relevanceFields(after)];
    if (old.whole !== now?.whole) this.#wholes.delete(old.whole, ordinal);
    this.#begins.delete(old.begin, now?.begin ?? [], ordinal);
    this.#names.delete(old.name, now?.name ?? [], ordinal);
    this.#labels.delete(old.labels, now?.labels ?? [], ordinal);
  }

  /** How many bots have a word, whole. */
  countWord(word: string): number {
    return this.#words.count(word);
  }

  /** The bots in `among` that have a word, whole, newest first, until `use` returns false. */
  eachWithWord(word: string, among: Bits, use: Use): void {
    this.#words.eachDown(word, among, use);
  }

  /**
   * Removes from `bits` the bots that the listing's filters exclude. Returns the words for which the remaining bots
   * must still be read.
   */
  select({ categories, integrations, author, updatedSinceMs, words }: Listing, bits: Bits): string[] {
    if (categories.length > 0) this.keepInCategories(bits, categories);
    for (const slug of integrations) this.#sharing.integrations.keepIn(bits, slug);
    if (author !== undefined) this.#sharing.authors.keepIn(bits, author.toLowerCase());
    if (updatedSinceMs !== undefined) this.#updates.keepSince(bits, updatedSinceMs);
    if (this.#wordless !== Infinity) return [...words];
    return words.filter((word) => this.#words.keepIn(bits, word) === 'unread');
  }

  /** Removes from `bits` the bots that are in none of these categories. */
  keepInCategories(bits: Bits, categories: readonly string[]): void {
    const any = new Uint32Array(bits.length);
    for (const name of categories) this.#sharing.categories.addTo(any, name);
    for (let i = 0; i < bits.length; i += 1) bits[i] = (bits[i] ?? 0) & (any[i] ?? 0);
  }

  /** The bots that share an integration or the author with one, and those that share a category. */
  alike({ integrations, author, categories }: Bot, length: number): Bits[] {
    const [close, wide] = [new Uint32Array(length), new Uint32Array(length)];
    for (const slug of integrations) this.#sharing.integrations.addTo(close, slug);
    if (author !== null) this.#sharing.authors.addTo(close, author.toLowerCase());
    for (const name of categories) this.#sharing.categories.addTo(wide, name);
    return [close, wide];
  }

  /**
   * The selected bots in the order of the list, until `use` returns false. With `start`, only those below it. All have
   * the words.
   */
  each(among: Bits, { sort, start, words = [] }: Order, use: Use): void {
    if (sort === 'relevance') return this.#eachByRelevance(among, { start, words }, use);
    if (sort === 'updated') return this.#updates.each(among, start, use);
    if (sort === 'trending') return this.#trending.each(among, start, use);
    if (sort === 'installs') return this.#byInstalls.each(among, start, use);
    eachBitDown(among, use, start?.ordinal);
  }

  #eachByRelevance(among: Bits, { start, words }: Required<Omit<Order, 'sort'>>, use: Use): void {
    let last = -1;
    const useNext = (ordinal: number): boolean => {
      if (use(ordinal)) return true;
      last = ordinal;
      return false;
    };
    const first = start === undefined ? mostRelevant : Math.floor(start.rank / ranksPerRelevance);
    let relevance = mostRelevant + 1;
    for (const bits of this.#byRelevance(among, words)) {
      if (last >= 0) return;
      relevance -= 1;
      if (relevance > first) continue;
      const rank = (start?.rank ?? 0) % ranksPerRelevance;
      this.#eachByInstalls(bits, relevance === first && start !== undefined ? { ...start, rank } : undefined, useNext);
    }
  }

  #eachByInstalls(among: Bits, start: Start | undefined, use: Use): void {
    if (countBits(among) > mostSorted) return this.#byInstalls.each(among, start, use);
    const installsOf = (ordinal: number): number => this.#installs[ordinal] ?? 0;
    const found: number[] = [];
    eachBitDown(among, (ordinal) => found.push(ordinal) > 0);
    found.sort((a, b) => installsOf(b) - installsOf(a) || b - a);
    const isBelow = (ordinal: number): boolean =>
      start === undefined ||
      installsOf(ordinal) < start.rank ||
      (installsOf(ordinal) === start.rank && ordinal < start.ordinal);
    found.filter(isBelow).every(use);
  }

  /** The bots in `among`, which have all words, apart by their relevance, the most relevant first. */
  *#byRelevance(among: Bits, words: readonly string[]): Generator<Bits> {
    const rest = among.slice();
    const names = keptIn(rest, words, this.#names);
    const begins = new Uint32Array(among.length);
    for (const word of words) {
      const one = keptIn(names, [word], this.#begins);
      for (let i = 0; i < begins.length; i += 1) begins[i] = (begins[i] ?? 0) | (one[i] ?? 0);
    }
    const wholes = begins.slice();
    this.#wholes.keepIn(wholes, words.join(' '));
    for (const bits of [wholes, begins, names]) yield takenFrom(rest, bits);
    yield takenFrom(rest, keptIn(rest, words, this.#labels));
    yield rest;
  }

  /** Every category, in the configured order; with `among`, how many of these bots are in it. */
  countCategories(categories: readonly string[], among?: Bits): CategoryCount[] {
    return categories.map((name) => ({ name, count: countOf(this.#sharing.categories, name, among) }));
  }

  /** Every integration in use, most used first, ties by name; with `among`, of these bots. */
  countIntegrations(among?: Bits): IntegrationCount[] {
    return [...this.#sharing.integrations.keys()]
      .map((slug) => ({ slug, count: countOf(this.#sharing.integrations, slug, among) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
  }

  /** The bots in `among` below `end` whose name has the words of this one, newest first. */
  namesakes(name: string, among: Bits, end: number): number[] {
    const found: number[] = [];
    this.#wholes.eachDown(wholeName(name), { among, end }, (ordinal) => found.push(ordinal) > 0);
    return found;
  }

  /** Whether an author has bots. `handle` is in lower case, without `@`. */
  hasAuthor(handle: string): boolean {
    return this.#sharing.authors.count(`@${handle}`) > 0;
  }

  /** The handle of every author, in lower case. */
  authors(): string[] {
    return [...this.#sharing.authors.keys()];
  }
}

const countOf = (postings: Postings<string>, key: string, among: Bits | undefined): number =>
  among === undefined ? postings.count(key) : postings.countIn(key, among);

type Use = (ordinal: number) => boolean;

type Order = { readonly sort: BotSort; readonly start: Start | undefined; readonly words?: readonly string[] };

/** Moves the members of `bits` that are in `rest` out of it; `bits` keeps no others. */
const takenFrom = (rest: Bits, bits: Bits): Bits => {
  for (let i = 0; i < rest.length; i += 1) {
    bits[i] = (bits[i] ?? 0) & (rest[i] ?? 0);
    rest[i] = (rest[i] ?? 0) & ~(bits[i] ?? 0);
  }
  return bits;
};

const keptIn = (bits: Bits, words: readonly string[], index: WordIndex): Bits => {
  const kept = bits.slice();
  for (const word of words) index.keepIn(kept, word);
  return kept;
};

/** The text that says how relevant a bot is. */
const labelsOf = ({ name, author, integrations }: Bot): string => [name, author ?? '', ...integrations].join('\n');
