/**
 * The bots of the copy: their collection, the index that answers queries, and their slugs. A bot is held as JSON and as
 * ordinals in the index; it is parsed from JSON when needed.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Bot, BotSort } from '@bot-directory/contract';
import { statusOf } from '../domain/links.ts';
import { botText, corrections, findableWords, findsWord, searchWords, wordsOf } from '../domain/search.ts';
import { BotIndex, type Ranking } from './bot-index.ts';
import type { Listing } from './listing.ts';
import { compareCursors, ranks, unranked, type Cursor } from './order.ts';
import { countBits, eachBitDown, ordinalsDown, Postings, setBit, type Bits } from './ordinals.ts';
import {
  Collection,
  placeIn,
  selectEntries,
  type Entry,
  type Place,
  type Removal,
  type Selected,
} from './collection.ts';
import type { Segments } from './segments.ts';
import { ownText } from './word-index.ts';
import { WrittenNames } from './written-names.ts';

/** How long bots are read in one go before others get their turn, in milliseconds. */
const sliceMs = 5;

/** How many possible meanings of a misspelt query are tried. */
const mostCorrections = 5;

/** Of this many bots, or fewer, it says little how many have a word. */
const fewBots = 50;
/** Words of this length or more say as much. */
const longWord = 5;
/** How long an ending may be, and how short what is left without it. */
const longestEnding = 3;
const shortestStem = 4;

/** Words that some bot has together, and the others. */
type Together = { readonly found: readonly string[]; readonly leftOut: readonly string[] };

/** A query that may have been meant, and how many bots it selects. */
export type Correction = { readonly q: string; readonly total: number };

/** All bots of a directory. */
export class ListedBots extends Collection {
  readonly index = new BotIndex();
  readonly written = new WrittenNames();
  readonly #slugs = new Map<string, number>();
  /** By the status id of the post that announces a bot. */
  readonly #announcements = new Postings();

  /** The ordinal of the bot under a slug. */
  ordinalOfSlug(slug: string): number | undefined {
    return this.#slugs.get(slug);
  }

  /** The bot with an ordinal, as readers see it. */
  bot(ordinal: number): Bot {
    return this.segments.parsed(ordinal) as Bot;
  }

  /** The newest bots, newest first. */
  newest(limit: number): Bot[] {
    return botsOf(this.page({ limit, after: undefined }));
  }

  /**
   * The state that a list in this order depends on. A trending list also changes with the day, and has no
   * Last-Modified, because the store's clock may go back.
   */
  stateInOrder(sort: BotSort): { readonly version: number | string; readonly changedAtMs: number | undefined } {
    return sort === 'trending' ? { version: `${this.version}.${this.index.today}`, changedAtMs: undefined } : this;
  }

  /** Adds or replaces a bot. */
  putBot(bot: Bot, entry: Omit<Entry, 'json'> & Ranking): void {
    const known = this.ordinalAt(entry.position);
    const before = known === undefined ? undefined : this.#latest(known);
    const { position, version, changedAtMs } = entry;
    const ordinal = this.put({ position, version, changedAtMs, json: JSON.stringify(bot) });
    if (before === undefined) this.index.add(ordinal, bot, entry);
    else this.index.change(ordinal, before, bot, entry);
    const status = statusIn(bot);
    if (before !== undefined) this.#forget(ordinal, before);
    this.#slugs.set(bot.slug, ordinal);
    if (status !== undefined) this.#announcements.add(ownText(status), ordinal);
  }

  /** Removes a bot from the list, the counts and the index; its slug finds nothing. */
  removeBot(change: Removal): void {
    const known = this.ordinalAt(change.position);
    const before = known === undefined ? undefined : this.#latest(known);
    this.remove(change);
    if (known === undefined || before === undefined) return;
    this.index.remove(known, before);
    this.#forget(known, before);
  }

  #forget(ordinal: number, bot: Bot): void {
    const status = statusIn(bot);
    this.#slugs.delete(bot.slug);
    if (status !== undefined) this.#announcements.delete(status, ordinal);
  }

  #latest(ordinal: number): Bot {
    return JSON.parse(this.latestJson(ordinal)) as Bot;
  }

  /** Selects the page of a listing, as of now: later changes do not affect the result. */
  async select(listing: Listing): Promise<Selected> {
    const bits = this.listed();
    const unread = this.index.select(listing, bits);
    const { segments } = this;
    const cursorAt = this.#cursorsOf(listing);
    if (unread.length > 0) {
      const found = await readThrough(bits, { words: unread, segments, cursorAt });
      found.sort((a, b) => compareCursors(b.cursor, a.cursor));
      const { after } = listing;
      const from = after === undefined ? 0 : found.findIndex((one) => compareCursors(one.cursor, after) < 0);
      const rest = from === -1 ? [] : found.slice(from).map(({ ordinal }) => ordinal);
      return selectEntries({ rest, total: found.length, listing, cursorAt, segments });
    }
    const { after, limit, sort, words } = listing;
    const most = limit === undefined ? Infinity : limit + 1;
    const rest: number[] = [];
    const start = after === undefined ? undefined : { ordinal: this.ordinalFrom(after.position), rank: after.rank };
    this.index.each(bits, { sort, start, words }, (ordinal) => rest.push(ordinal) < most);
    return selectEntries({ rest, total: countBits(bits), listing, cursorAt, segments });
  }

  /** Where the page of a listing stands among all that it selects. */
  async placeAmong(listing: Listing): Promise<Place> {
    if (listing.after === undefined) return { before: 0, previous: undefined };
    const { ordinals } = await this.select({ ...listing, limit: undefined, after: undefined });
    return placeIn(ordinals, listing, this.#cursorsOf(listing));
  }

  #cursorsOf({ sort, words }: Listing): (ordinal: number, bot?: Bot) => Cursor {
    const { segments } = this;
    const rankOf = ranks[sort];
    return (ordinal, bot) => ({
      position: this.positionOf(ordinal),
      rank: rankOf?.(bot ?? (segments.parsed(ordinal) as Bot), words, this.index.unshown(ordinal)) ?? unranked,
    });
  }

  /** Returns the query with one typing error corrected: the likeliest that selects more than the listing's `total`. */
  correctionOf(listing: Listing, q: string, total: number): Correction | undefined {
    // A name with signs is not a word that may be misspelt.
    if (searchWords(q).some((word) => !wordsOf(q).includes(word))) return undefined;
    for (const text of corrections(q, (word) => this.index.words.count(word)).slice(0, mostCorrections)) {
      const bits = this.listed();
      const unread = this.index.select({ ...listing, words: searchWords(text) }, bits);
      if (unread.length === 0 && countBits(bits) > total) return { q: text, total: countBits(bits) };
    }
    return undefined;
  }

  /**
   * Which of at most twelve words some bot that a listing selects has together, so that they say most: a long word says
   * more than a short one, and a rare one more than one that many bots have. A word that no bot has is shortened first.
   */
  async wordsTogether(listing: Listing, words: readonly string[]): Promise<Together> {
    const all = await this.#selected({ ...listing, words: [] });
    const masks = new Uint16Array(32 * all.length);
    const tried: { readonly word: string; readonly worth: number }[] = [];
    for (const [i, word] of words.entries()) {
      const { beginning, bits } = await this.#havingBeginning(listing, word);
      eachBitDown(bits, (ordinal) => (masks[ordinal] = (masks[ordinal] ?? 0) | (1 << i)) > 0);
      const share = countBits(bits) / (countBits(all) + fewBots);
      tried.push({ word: beginning, worth: (Math.min(word.length, longWord) * (1 - share)) ** 2 });
      await immediately();
    }
    const isIn = (mask: number, i: number): boolean => (mask & (1 << i)) > 0;
    const worthOf = (mask: number): number => tried.reduce((sum, { worth }, i) => sum + (isIn(mask, i) ? worth : 0), 0);
    const [best = 0] = [...new Set(masks)].sort((a, b) => worthOf(b) - worthOf(a));
    return {
      found: tried.flatMap(({ word }, i) => (isIn(best, i) ? [word] : [])),
      leftOut: words.filter((_, i) => !isIn(best, i)),
    };
  }

  /** The selected bots that have a word, or else the longest beginning of it, as if it were inflected. */
  async #havingBeginning(listing: Listing, word: string) {
    const shortest = Math.max(word.length - longestEnding, shortestStem);
    for (let beginning = word; ; beginning = beginning.slice(0, -1)) {
      const bits = await this.#selected({ ...listing, words: [beginning] });
      if (countBits(bits) > 0 || beginning.length <= shortest) return { beginning, bits };
    }
  }

  /** The bots that a post announces, newest first. */
  announcedBy(postUrl: string): Bot[] {
    const found: Bot[] = [];
    this.#announcements.eachDown(statusOf(postUrl), this.listed(), (ordinal) => found.push(this.bot(ordinal)) > 0);
    return found;
  }

  /** Counts the bots that a listing selects by category, whichever categories it names, and by integration. */
  async countFacets(listing: Listing, categories: readonly string[]) {
    const selected = await this.#selected(listing);
    const inAny = listing.categories.length === 0 ? selected : await this.#selected({ ...listing, categories: [] });
    return {
      categories: this.index.countCategories(categories, inAny),
      integrations: this.index.countIntegrations(selected),
    };
  }

  async #selected(listing: Listing): Promise<Bits> {
    const bits = this.listed();
    const words = this.index.select(listing, bits);
    if (words.length === 0) return bits;
    const cursorAt = (): Cursor => ({ position: 0, rank: unranked });
    const found = new Uint32Array(bits.length);
    for (const { ordinal } of await readThrough(bits, { words, segments: this.segments, cursorAt }))
      setBit(found, ordinal);
    return found;
  }
}

/** The status id of the post that announces a bot. */
const statusIn = ({ source_url: url }: Bot): string | undefined => (url === null ? undefined : statusOf(url));

/** The bots of a selection. */
export const botsOf = ({ ordinals, segments }: Selected): Bot[] =>
  Array.from(ordinals, (ordinal) => segments.parsed(ordinal) as Bot);

type Found = { readonly ordinal: number; readonly cursor: Cursor };

/** Finds those of `bits` whose text has all the words. It reads each bot, with pauses for other work. */
const readThrough = async (
  bits: Bits,
  {
    words,
    segments,
    cursorAt,
  }: { words: readonly string[]; segments: Segments; cursorAt: (ordinal: number, bot: Bot) => Cursor },
): Promise<Found[]> => {
  const found: Found[] = [];
  let startedAtMs = performance.now();
  for (const ordinal of ordinalsDown(bits)) {
    if (performance.now() - startedAtMs > sliceMs) {
      await immediately();
      startedAtMs = performance.now();
    }
    const bot = segments.parsed(ordinal) as Bot;
    const own = findableWords(botText(bot));
    if (words.every((word) => findsWord(own, word))) found.push({ ordinal, cursor: cursorAt(ordinal, bot) });
  }
  return found;
};
