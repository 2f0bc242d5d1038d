/**
 * The bots of the copy: their collection, the index that answers queries, and their slugs. A bot is kept as JSON and as
 * ordinals in the index; it is parsed from JSON when needed.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Bot } from '@bot-directory/contract';
import { BotIndex, botText } from '../domain/bot-index.ts';
import { botOrders, unranked, type Rank } from '../domain/bot-orders.ts';
import { compare, type Listing, type Position } from '../domain/listing.ts';
import { countBits, eachBitDown, type Bits } from '../domain/ordinals.ts';
import { findsWord, wordsOf } from '../domain/search.ts';
import { Collection, type Entry, type Removal } from './collection.ts';
import { selectEntries, type Selected } from './selected.ts';
import type { Segments } from './segments.ts';

/** How long bots are parsed in one go before others get their turn, in milliseconds. */
const sliceMs = 5;

/** Counts the time since the last pause. */
const untilPause = () => {
  let startedAtMs = performance.now();
  return {
    isDue: (): boolean => performance.now() - startedAtMs > sliceMs,
    pause: async (): Promise<void> => {
      await immediately();
      startedAtMs = performance.now();
    },
  };
};

/** All bots of a directory. */
export class ListedBots extends Collection {
  readonly index = new BotIndex();
  readonly #slugs = new Map<string, number>();
  #indexing: Promise<void> | undefined;

  /** Resolves when a search is quick; `undefined` if it is. */
  get searchable(): Promise<void> | undefined {
    return this.#indexing;
  }

  /** The ordinal of the bot under a slug. */
  ordinalOfSlug(slug: string): number | undefined {
    return this.#slugs.get(slug);
  }

  /** The bot with an ordinal, as readers see it. */
  bot(ordinal: number): Bot {
    return parsed(this.segments, ordinal);
  }

  /** The newest bots, newest first. */
  newest(limit: number): Bot[] {
    return [...this.page({ limit, after: undefined }).ordinals].map((ordinal) => this.bot(ordinal));
  }

  /** Adds or replaces a bot. */
  putBot(bot: Bot, entry: Omit<Entry, 'json'>): void {
    const known = this.ordinalOf(bot.id);
    const before = known === undefined ? undefined : this.#latest(known);
    const ordinal = this.put({ ...entry, json: JSON.stringify(bot) });
    if (before === undefined) this.index.add(ordinal, bot);
    else this.index.change(ordinal, before, bot);
    this.#slugs.set(bot.slug, ordinal);
  }

  /** Removes a bot from the list, the counts and the index; its slug leads nowhere. */
  removeBot(id: string, change: Removal): void {
    const known = this.ordinalOf(id);
    const before = known === undefined ? undefined : this.#latest(known);
    this.remove(id, change);
    if (known === undefined || before === undefined) return;
    this.index.change(known, before, undefined);
    this.#slugs.delete(before.slug);
  }

  /** Indexes the words that were deferred, with pauses for other work. */
  indexWords(): void {
    this.#indexing = this.#addWords().finally(() => (this.#indexing = undefined));
  }

  async #addWords(): Promise<void> {
    const slice = untilPause();
    for (const ordinal of this.ordinals()) {
      this.index.addWords(ordinal, this.#latest(ordinal));
      if (slice.isDue()) await slice.pause();
    }
    this.index.completeWords();
  }

  #latest(ordinal: number): Bot {
    return JSON.parse(this.latestJson(ordinal)) as Bot;
  }

  /** Selects what a listing asks for, as of now: later changes do not affect the result. */
  async select(listing: Listing): Promise<Selected> {
    const bits = this.listed();
    const unread = this.index.select(listing, bits);
    const { segments } = this;
    const order = botOrders[listing.sort];
    const rankOf = (bot: () => Bot): Rank => order?.rankOf(bot()) ?? unranked;
    const position = (ordinal: number): Position => ({
      seq: this.seqOf(ordinal),
      rank: rankOf(() => parsed(segments, ordinal)),
    });
    if (unread.length > 0) {
      const found = await readThrough(bits, { words: unread, segments, rankOf });
      const ordered = found
        .map(({ ordinal, rank }) => ({ ordinal, position: { seq: this.seqOf(ordinal), rank } }))
        .sort((a, b) => compare(b.position, a.position, listing.sort));
      const { after } = listing;
      const from = after === undefined ? 0 : ordered.findIndex((one) => compare(one.position, after, listing.sort) < 0);
      const rest = from === -1 ? [] : ordered.slice(from).map(({ ordinal }) => ordinal);
      return selectEntries({ rest, total: found.length, listing, position, segments });
    }
    const { after, limit, sort } = listing;
    const most = limit === undefined ? Infinity : limit + 1;
    const rest: number[] = [];
    const start = after === undefined ? undefined : { ordinal: this.ordinalFrom(after.seq), rank: after.rank };
    this.index.each(bits, { sort, start }, (ordinal) => rest.push(ordinal) < most);
    return selectEntries({ rest, total: countBits(bits), listing, position, segments });
  }
}

const parsed = (segments: Segments, ordinal: number): Bot => JSON.parse(segments.json(ordinal).toString()) as Bot;

/** Those of `bits` whose text has all the words. Each bot is read, with pauses for other work. */
const readThrough = async (
  bits: Bits,
  { words, segments, rankOf }: { words: readonly string[]; segments: Segments; rankOf: (bot: () => Bot) => Rank },
): Promise<{ ordinal: number; rank: Rank }[]> => {
  const candidates: number[] = [];
  eachBitDown(bits, bits.length * 32, (ordinal) => candidates.push(ordinal) > 0);
  const found: { ordinal: number; rank: Rank }[] = [];
  const slice = untilPause();
  for (const ordinal of candidates) {
    if (slice.isDue()) await slice.pause();
    const bot = parsed(segments, ordinal);
    const own = wordsOf(botText(bot));
    if (words.every((word) => findsWord(own, word))) found.push({ ordinal, rank: rankOf(() => bot) });
  }
  return found;
};
