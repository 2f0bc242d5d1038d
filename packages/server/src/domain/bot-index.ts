/**
 * Finds and orders the bots of a list query. It uses sets that are updated as bots are added, changed and removed, so a
 * query costs what its parameters select, not the size of the directory. Bots are identified by ordinals.
 */
import type { Bot, BotSort, CategoryCount, IntegrationCount } from '@bot-directory/contract';
import { botOrders, type BotOrder } from './bot-orders.ts';
import type { Listing } from './listing.ts';
import { eachBitDown, type Bits } from './ordinals.ts';
import { Postings } from './postings.ts';
import { RankedPostings, type Start } from './ranked-postings.ts';
import { wordsOf } from './search.ts';
import { WordIndex } from './word-index.ts';

type Ranked = { readonly order: BotOrder; readonly postings: RankedPostings };

/** An index of bots. */
export class BotIndex {
  readonly #categories = new Postings<string>();
  readonly #integrations = new Postings<string>();
  readonly #authors = new Postings<string>();
  readonly #words = new WordIndex();
  /** The words of bots from this ordinal on are left out. */
  #wordless = Infinity;
  /** The postings of every sort that ranks. */
  readonly #ranked = new Map<string, Ranked>(
    Object.entries(botOrders).flatMap(([sort, order]) =>
      order === undefined ? [] : [[sort, { order, postings: new RankedPostings(order) }]],
    ),
  );

  /** From now on words are left out, until `addWords` was called for each bot in the order of ordinals. */
  deferWords(): void {
    this.#wordless = 0;
  }

  /** Indexes the words of a bot, and those of later changes to it. */
  addWords(ordinal: number, bot: Bot): void {
    this.#wordless = ordinal + 1;
    this.#words.add(wordsOf(botText(bot)), ordinal);
  }

  /** No bot's words are left out any more. */
  completeWords(): void {
    this.#wordless = Infinity;
  }

  add(ordinal: number, bot: Bot): void {
    for (const name of bot.categories) this.#categories.add(name, ordinal);
    for (const slug of bot.integrations) this.#integrations.add(slug, ordinal);
    if (bot.author !== null) this.#authors.add(bot.author.toLowerCase(), ordinal);
    if (ordinal < this.#wordless) this.#words.add(wordsOf(botText(bot)), ordinal);
    for (const { order, postings } of this.#ranked.values()) postings.add(order.rankOf(bot), ordinal);
  }

  /** Replaces a bot by its new state; `undefined` removes it. */
  change(ordinal: number, before: Bot, after: Bot | undefined): void {
    for (const name of before.categories)
      if (after?.categories.includes(name) !== true) this.#categories.delete(name, ordinal);
    for (const slug of before.integrations)
      if (after?.integrations.includes(slug) !== true) this.#integrations.delete(slug, ordinal);
    if (before.author !== null && after?.author !== before.author)
      this.#authors.delete(before.author.toLowerCase(), ordinal);
    for (const { order, postings } of this.#ranked.values())
      if (after === undefined || order.rankOf(after) !== order.rankOf(before))
        postings.delete(order.rankOf(before), ordinal);
    const [textBefore, textAfter] = [botText(before), after === undefined ? '' : botText(after)];
    if (textBefore !== textAfter && ordinal < this.#wordless)
      this.#words.delete(wordsOf(textBefore), wordsOf(textAfter), ordinal);
    if (after !== undefined) this.add(ordinal, after);
  }

  /**
   * Removes from `bits` the bots that the listing's filters exclude. Returns the words for which the remaining bots
   * must still be read.
   */
  select({ categories, integrations, author, words }: Listing, bits: Bits): string[] {
    if (categories.length > 0) {
      const any = new Uint32Array(bits.length);
      for (const name of categories) this.#categories.addTo(any, name);
      for (let i = 0; i < bits.length; i += 1) bits[i] = (bits[i] ?? 0) & (any[i] ?? 0);
    }
    for (const slug of integrations) this.#integrations.keepIn(bits, slug);
    if (author !== undefined) this.#authors.keepIn(bits, author.toLowerCase());
    if (this.#wordless !== Infinity) return [...words];
    return words.filter((word) => this.#words.keepIn(bits, word) === 'unread');
  }

  /** The selected bots in the order of the list, until `use` returns false. With `start`, only those below it. */
  each(among: Bits, { sort, start }: { sort: BotSort; start: Start | undefined }, use: Use): void {
    const ranked = this.#ranked.get(sort);
    if (ranked === undefined) eachBitDown(among, start?.ordinal ?? among.length * 32, use);
    else ranked.postings.each(among, start, use);
  }

  /** Every category, in the configured order. */
  countCategories(categories: readonly string[]): CategoryCount[] {
    return categories.map((name) => ({ name, count: this.#categories.count(name) }));
  }

  /** Every integration in use, most used first, ties by name. */
  countIntegrations(): IntegrationCount[] {
    return [...this.#integrations.keys()]
      .map((slug) => ({ slug, count: this.#integrations.count(slug) }))
      .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
  }
}

type Use = (ordinal: number) => boolean;

/** The text that `q` is matched against. */
export const botText = (bot: Bot): string =>
  [bot.name, bot.description, bot.author ?? '', ...bot.integrations, ...bot.categories].join(' ');
