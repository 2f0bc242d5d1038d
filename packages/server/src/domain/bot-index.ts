/**
 * Which bots a query of the list finds, and in what order: worked out from sets that are kept as bots come, change and
 * go, so that a query costs what its parameters select and not what the directory holds. Bots are known by ordinals.
 */
import type { Bot, CategoryCount, IntegrationCount } from '@bot-directory/contract';
import type { Listing, Sort } from './listing.ts';
import { countBelow, eachBitDown, type Bits } from './ordinals.ts';
import { Postings } from './postings.ts';
import { wordsOf } from './search.ts';
import { WordIndex } from './word-index.ts';

/** Where a page begins: below this ordinal, and by installs at this many. */
export type Start = { readonly ordinal: number; readonly installs: number };

/** An index of bots. */
export class BotIndex {
  readonly #categories = new Postings<string>();
  readonly #integrations = new Postings<string>();
  readonly #authors = new Postings<string>();
  readonly #words = new WordIndex();
  readonly #installs = new Postings<number>();
  /** The install counts that bots have, ascending. */
  readonly #installCounts: number[] = [];

  add(ordinal: number, bot: Bot): void {
    for (const name of bot.categories) this.#categories.add(name, ordinal);
    for (const slug of bot.integrations) this.#integrations.add(slug, ordinal);
    if (bot.author !== null) this.#authors.add(bot.author.toLowerCase(), ordinal);
    this.#words.add(wordsOf(botText(bot)), ordinal);
    if (this.#installs.add(bot.install_count, ordinal) === 'new')
      this.#installCounts.splice(countBelow(this.#installCounts, bot.install_count), 0, bot.install_count);
  }

  /** Replaces a bot by what it is now; `undefined` takes it out. */
  change(ordinal: number, before: Bot, after: Bot | undefined): void {
    for (const name of before.categories)
      if (after?.categories.includes(name) !== true) this.#categories.delete(name, ordinal);
    for (const slug of before.integrations)
      if (after?.integrations.includes(slug) !== true) this.#integrations.delete(slug, ordinal);
    if (before.author !== null && after?.author !== before.author)
      this.#authors.delete(before.author.toLowerCase(), ordinal);
    if (after?.install_count !== before.install_count) this.#deleteInstalls(ordinal, before.install_count);
    const [textBefore, textAfter] = [botText(before), after === undefined ? '' : botText(after)];
    if (textBefore !== textAfter) this.#words.delete(wordsOf(textBefore), wordsOf(textAfter), ordinal);
    if (after !== undefined) this.add(ordinal, after);
  }

  /**
   * Takes out of `bits` the bots that a listing's filters do not let through. Gives the words that those which stay must
   * yet be read for.
   */
  select({ categories, integrations, author, words }: Listing, bits: Bits): string[] {
    if (categories.length > 0) {
      const any = new Uint32Array(bits.length);
      for (const name of categories) this.#categories.addTo(any, name);
      for (let i = 0; i < bits.length; i += 1) bits[i] = (bits[i] ?? 0) & (any[i] ?? 0);
    }
    for (const slug of integrations) this.#integrations.keepIn(bits, slug);
    if (author !== undefined) this.#authors.keepIn(bits, author.toLowerCase());
    return words.filter((word) => this.#words.keepIn(bits, word) === 'unread');
  }

  /** The selected bots in the order of the list, until `use` returns false. `start`: from below there. */
  each(among: Bits, { sort, start }: { sort: Sort; start: Start | undefined }, use: Use): void {
    const all = among.length * 32;
    const walks: Readonly<Record<Sort, () => void>> = {
      newest: () => eachBitDown(among, start?.ordinal ?? all, use),
      installs: () => this.#eachByInstalls(among, start ?? { ordinal: all, installs: Infinity }, use),
    };
    walks[sort]();
  }

  #eachByInstalls(among: Bits, start: Start, use: Use): void {
    for (let i = this.#installCounts.length - 1; i >= 0; i -= 1) {
      const installs = this.#installCounts[i] ?? 0;
      if (installs > start.installs) continue;
      const end = installs === start.installs ? start.ordinal : among.length * 32;
      if (!this.#installs.eachDown(installs, { among, end }, use)) return;
    }
  }

  /** Every category that a bot may be in, in the configured order. */
  countCategories(categories: readonly string[]): CategoryCount[] {
    return categories.map((name) => ({ name, count: this.#categories.count(name) }));
  }

  /** Every integration in use, the most used first, equals by name. */
  countIntegrations(): IntegrationCount[] {
    return [...this.#integrations.keys()]
      .map((slug) => ({ slug, count: this.#integrations.count(slug) }))
      .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
  }

  #deleteInstalls(ordinal: number, installs: number): void {
    if (this.#installs.delete(installs, ordinal))
      this.#installCounts.splice(countBelow(this.#installCounts, installs), 1);
  }
}

type Use = (ordinal: number) => boolean;

/** The text that `q` is matched against. */
export const botText = (bot: Bot): string =>
  [bot.name, bot.description, bot.author ?? '', ...bot.integrations, ...bot.categories].join(' ');
