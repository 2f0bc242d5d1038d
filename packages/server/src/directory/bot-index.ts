/**
 * Finds and orders the bots of a list query. It uses sets that are updated as bots are added, changed and removed, so a
 * query costs what its parameters select, not the size of the directory. Bots are identified by ordinals.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Bot, BotSort, CategoryCount, IntegrationCount } from '@bot-directory/contract';
import { recentInstalls, type StoredBot } from '../domain/bot.ts';
import { mostRelevant } from '../domain/search.ts';
import type { Listing } from './listing.ts';
import { RankedOrder, ranksPerRelevance, type Start, type Unshown } from './order.ts';
import { countBits, eachBitDown, hasBit, intersect, ordinalsDown, Postings, setBit, type Bits } from './ordinals.ts';
import { BotWords } from './word-index.ts';

/** What ranks and finds a bot that the API does not return. */
export type Ranking = Pick<StoredBot, 'updatedAtMs' | 'recentInstalls' | 'templateId'>;

type Kind = 'categories' | 'integrations' | 'authors';

/** What bots can share, by which they are found. Authors are in lower case. */
const kinds: readonly (readonly [Kind, (bot: Bot) => readonly string[]])[] = [
  ['categories', ({ categories }) => categories],
  ['integrations', ({ integrations }) => integrations],
  ['authors', ({ author }) => (author === null ? [] : [author.toLowerCase()])],
];

/** Up to this many bots are sorted. The first of more are found quickly by iterating all bots in their order. */
const mostSorted = 1_000;

/** An index of bots. */
export class BotIndex {
  readonly #sharing = { categories: new Postings(), integrations: new Postings(), authors: new Postings() };
  /** The words of each bot. */
  readonly words = new BotWords();
  readonly #installs = new RankedOrder();
  readonly #updates = new RankedOrder();
  readonly #trending = new RankedOrder();
  /** The installs by day, as they are stored. Old days count again if the clock goes back, and stay. */
  readonly #recent = new Map<number, string>();
  #today = 0;
  /** By ordinal, and the other way round. A template is that of one bot. */
  readonly #templateIds: string[] = [];
  readonly #byTemplate = new Map<string, number>();
  readonly #orders: Readonly<Record<Exclude<BotSort, 'relevance'>, { each: Iterate }>> = {
    newest: { each: (among, start, use) => eachBitDown(among, use, start?.ordinal) },
    updated: this.#updates,
    trending: this.#trending,
    installs: this.#installs,
  };

  /** Sorts the orders that are not sorted, with pauses for other work. */
  async sort(): Promise<void> {
    for (const order of [this.#installs, this.#updates, this.#trending]) {
      if (order.isSorted) continue;
      await immediately();
      order.sort();
    }
  }

  add(ordinal: number, bot: Bot, ranking: Ranking): void {
    this.#rank(ordinal, bot.install_count, ranking);
    this.#addText(ordinal, bot);
  }

  #rank(ordinal: number, installs: number, { updatedAtMs, recentInstalls: stored, templateId }: Ranking): void {
    this.#installs.set(ordinal, installs);
    this.#updates.set(ordinal, updatedAtMs);
    this.#trending.set(ordinal, recentInstalls(stored, this.#today));
    if (stored === '') this.#recent.delete(ordinal);
    else this.#recent.set(ordinal, stored);
    this.#templateIds[ordinal] = templateId;
    this.#byTemplate.set(templateId, ordinal);
  }

  #addText(ordinal: number, bot: Bot): void {
    for (const [kind, labelsIn] of kinds) for (const label of labelsIn(bot)) this.#sharing[kind].add(label, ordinal);
    this.words.add(ordinal, bot);
  }

  #deleteText(ordinal: number, bot: Bot): void {
    for (const [kind, labelsIn] of kinds) for (const label of labelsIn(bot)) this.#sharing[kind].delete(label, ordinal);
    this.words.delete(ordinal, bot);
  }

  remove(ordinal: number, bot: Bot): void {
    for (const order of [this.#installs, this.#updates, this.#trending]) order.delete(ordinal);
    this.#recent.delete(ordinal);
    this.#byTemplate.delete(this.#templateIds[ordinal] ?? '');
    this.#deleteText(ordinal, bot);
  }

  /** Replaces a bot by its new state. */
  change(ordinal: number, before: Bot, after: Bot, ranking: Ranking): void {
    this.#rank(ordinal, after.install_count, ranking);
    if (textOf(before) === textOf(after)) return;
    this.#deleteText(ordinal, before);
    this.#addText(ordinal, after);
  }

  /** Returns what lists don't show of a bot. */
  unshown(ordinal: number): Unshown {
    return {
      updatedAtMs: this.#updates.rankOf(ordinal),
      recentInstalls: this.#trending.rankOf(ordinal),
      templateId: this.#templateIds[ordinal] ?? '',
    };
  }

  /** The day by which bots are trending: see `recentInstalls`. */
  get today(): number {
    return this.#today;
  }

  set today(day: number) {
    if (day === this.#today) return;
    this.#today = day;
    this.#trending.setAll(Array.from(this.#recent, ([ordinal, stored]) => [ordinal, recentInstalls(stored, day)]));
  }

  /** Whether any bot was installed in the last days. */
  get isTrending(): boolean {
    return this.#trending.greatest > 0;
  }

  /**
   * Removes from `bits` the bots that the listing's filters exclude. Returns the words for which the remaining bots
   * must still be read.
   */
  select({ categories, integrations, author, updatedSinceMs, template, words }: Listing, bits: Bits): string[] {
    if (template !== undefined) keepOnly(bits, this.#byTemplate.get(template.templateId));
    if (categories.length > 0) this.keepInCategories(bits, categories);
    for (const slug of integrations) this.#sharing.integrations.keepIn(bits, slug);
    if (author !== undefined) this.#sharing.authors.keepIn(bits, author.toLowerCase());
    if (updatedSinceMs !== undefined) this.#keepUpdatedSince(bits, updatedSinceMs);
    return this.words.select(words, bits);
  }

  #keepUpdatedSince(bits: Bits, sinceMs: number): void {
    const kept = new Uint32Array(bits.length);
    this.#updates.each(bits, undefined, (ordinal) => {
      if (this.#updates.rankOf(ordinal) < sinceMs) return false;
      setBit(kept, ordinal);
      return true;
    });
    bits.set(kept);
  }

  /** Removes from `bits` the bots that are in none of these categories. */
  keepInCategories(bits: Bits, categories: readonly string[]): void {
    const any = new Uint32Array(bits.length);
    for (const name of categories) this.#sharing.categories.addTo(any, name);
    intersect(bits, any);
  }

  /** The bots that share an integration or the author with one, and those that share a category. */
  alike({ integrations, author, categories }: Bot, length: number): Bits[] {
    const close = new Uint32Array(length);
    const wide = new Uint32Array(length);
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
    if (sort === 'relevance') this.#eachByRelevance(among, { start, words }, use);
    else this.#orders[sort].each(among, start, use);
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
    for (const bits of this.words.byRelevance(among, words)) {
      if (last >= 0) return;
      relevance -= 1;
      if (relevance > first) continue;
      const rank = (start?.rank ?? 0) % ranksPerRelevance;
      this.#eachByInstalls(bits, relevance === first && start !== undefined ? { ...start, rank } : undefined, useNext);
    }
  }

  #eachByInstalls(among: Bits, start: Start | undefined, use: Use): void {
    if (countBits(among) > mostSorted) return this.#installs.each(among, start, use);
    const installsOf = (ordinal: number): number => this.#installs.rankOf(ordinal);
    const found = ordinalsDown(among).sort((a, b) => installsOf(b) - installsOf(a) || b - a);
    const isBelow = (ordinal: number): boolean =>
      start === undefined ||
      installsOf(ordinal) < start.rank ||
      (installsOf(ordinal) === start.rank && ordinal < start.ordinal);
    found.filter(isBelow).every(use);
  }

  /** Every category, in the configured order; with `among`, how many of these bots are in it. */
  countCategories(categories: readonly string[], among?: Bits): CategoryCount[] {
    return categories.map((name) => ({ name, count: countOf(this.#sharing.categories, name, among) }));
  }

  /** The categories of bots that are not among these, as when one has another name now, with how many bots. */
  categoriesBeyond(categories: readonly string[]): Readonly<Record<string, number>> {
    const others = [...this.#sharing.categories.keys()].filter((name) => !categories.includes(name)).sort();
    const counts = others.map((name) => [name, this.#sharing.categories.count(name)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Every integration in use, most used first, ties by name; with `among`, of these bots. */
  countIntegrations(among?: Bits): IntegrationCount[] {
    return [...this.#sharing.integrations.keys()]
      .map((slug) => ({ slug, count: countOf(this.#sharing.integrations, slug, among) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1));
  }

  /** Whether an author has bots. `handle` is in lower case, without `@`. */
  hasAuthor(handle: string): boolean {
    return this.#sharing.authors.count(`@${handle}`) > 0;
  }

  /** Whether a bot of an author is in `among` that is older than another. */
  hasOlder(author: string, ordinal: number, among: Bits): boolean {
    const [first = ordinal] = this.#sharing.authors.first(author.toLowerCase(), among, 1);
    return first < ordinal;
  }

  /** The handle of every author, in lower case. */
  authors(): string[] {
    return [...this.#sharing.authors.keys()];
  }

  /** How many of the bots in `among` an author has, with how many installs, and the ordinal of the first. */
  madeBy(author: string, among: Bits): { bots: number; installs: number; first: number | undefined } {
    const made = { bots: 0, installs: 0, first: undefined as number | undefined };
    this.#sharing.authors.eachDown(author.toLowerCase(), among, (ordinal) => {
      made.bots += 1;
      made.installs += this.#installs.rankOf(ordinal);
      made.first = ordinal;
      return true;
    });
    return made;
  }
}

/** Removes all others. */
const keepOnly = (bits: Bits, ordinal: number | undefined): void => {
  const isIn = ordinal !== undefined && hasBit(bits, ordinal);
  bits.fill(0);
  if (isIn) setBit(bits, ordinal);
};

const countOf = (postings: Postings, key: string, among: Bits | undefined): number =>
  among === undefined ? postings.count(key) : postings.countIn(key, among);

type Use = (ordinal: number) => boolean;

/** Iterates the bots in `among` in an order, from `start` if given, until `use` returns false. */
type Iterate = (among: Bits, start: Start | undefined, use: Use) => void;

type Order = { readonly sort: BotSort; readonly start: Start | undefined; readonly words?: readonly string[] };

/** What a bot is found by, except its rank. */
const textOf = ({ name, description, author, integrations, categories }: Bot): string =>
  JSON.stringify([name, description, author, integrations, categories]);
