/**
 * The bots and posts of this process's copy. Changes are collected as they arrive, and become visible together when
 * they settle.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Bot, Post } from '@bot-directory/contract';
import { botFromHash, type BotForm, type BotRemoval } from '../domain/bot.ts';
import { handleOf, statusOf } from '../domain/links.ts';
import { postFromHash } from '../store/posts/post-store.ts';
import type { Store } from '../redis/redis.ts';
import { Collection, OutOfOrder, type Entry, type Removal } from './collection.ts';
import { ListedBots } from './listed-bots.ts';
import { Postings } from './ordinals.ts';
import { readWhole, type Hash, type StoredEntry } from './read-whole.ts';

/** How many changes are processed before others get their turn. */
const sliceSize = 200;

/** A copy of the directory. `form`: what its bots depend on. */
export class Copy {
  bots = new ListedBots();
  posts = new ListedPosts();
  /** Bots that were removed, by their slugs. */
  removals = new Map<string, BotRemoval>();
  #recorded: StoredEntry[] = [];

  constructor(private readonly form: BotForm) {}

  /** Empties it. */
  reset(): void {
    this.bots = new ListedBots();
    this.posts = new ListedPosts();
    this.removals = new Map();
    this.#recorded = [];
  }

  /** Replaces its content by everything in the store. Visible once it settles. */
  async readWhole(store: Store): Promise<void> {
    this.reset();
    for await (const page of readWhole(store)) {
      for (const entry of page) if (entry.hash.size > 0) this.#apply(entry, 0);
      // Nobody reads it yet, and uncommitted entries take twice the memory.
      this.#commit();
    }
  }

  /** Records a change. */
  record(change: StoredEntry): void {
    this.#recorded.push(change);
  }

  /**
   * Processes the recorded changes and makes them visible. `nowMs` dates changes without a date. Returns false if a
   * change does not fit this copy.
   */
  async settle(nowMs: number): Promise<boolean> {
    // New entries must be added by position, and those of one check arrive in another order.
    const changes = this.#recorded.sort((a, b) => a.position - b.position);
    this.#recorded = [];
    for (let i = 0; i < changes.length; i += sliceSize) {
      if (i > 0) await immediately();
      if (!this.#applyAll(changes.slice(i, i + sliceSize), nowMs)) return false;
    }
    await this.bots.index.sort();
    this.#commit();
    return true;
  }

  #commit(): void {
    this.bots.commit();
    this.posts.commit();
  }

  #applyAll(changes: readonly StoredEntry[], nowMs: number): boolean {
    try {
      for (const change of changes) this.#apply(change, nowMs);
      return true;
    } catch (error) {
      if (error instanceof OutOfOrder) return false;
      throw error;
    }
  }

  #apply(entry: StoredEntry, nowMs: number): void {
    if (entry.id.startsWith('post_')) this.#applyPost(entry, nowMs);
    else this.#applyBot(entry, nowMs);
  }

  #applyBot({ position, version, isListed, hash }: StoredEntry, nowMs: number): void {
    const { bot, changedAtMs, updatedAtMs, recentInstalls, written, templateId } = botFromHash(hash, this.form);
    this.bots.written.set(position, isListed ? written : '');
    if (hash.get('state') === 'removed') this.removals.set(bot.slug, removalFrom(hash));
    else this.removals.delete(bot.slug);
    if (!isListed || hash.size === 0)
      return this.bots.removeBot({ position, version, changedAtMs: changedAtMs || nowMs });
    this.bots.putBot(bot, { position, version, changedAtMs, updatedAtMs, recentInstalls, templateId });
  }

  #applyPost({ position, version, isListed, hash }: StoredEntry, nowMs: number): void {
    const { post, changedAtMs } = postFromHash(hash);
    if (!isListed || hash.size === 0) this.posts.removePost({ position, version, changedAtMs: changedAtMs || nowMs });
    else this.posts.putPost(post, { position, version, changedAtMs });
  }
}

/** How many posts a bot is shown with. */
const mostPosts = 3;

/** The posts of the copy, which are found by their status and by their author. */
export class ListedPosts extends Collection {
  readonly #statuses = new Postings();
  readonly #authors = new Postings();

  /** Adds or replaces a post. */
  putPost(post: Post, entry: Omit<Entry, 'json'>): void {
    const ordinal = this.put({ ...entry, json: JSON.stringify(post) });
    this.#statuses.add(statusOf(post.url), ordinal);
    this.#authors.add(handleOf(post.url), ordinal);
  }

  /** Removes a post. */
  removePost(removal: Removal): void {
    const ordinal = this.ordinalAt(removal.position);
    if (ordinal !== undefined) {
      const { url } = JSON.parse(this.latestJson(ordinal)) as Post;
      this.#statuses.delete(statusOf(url), ordinal);
      this.#authors.delete(handleOf(url), ordinal);
    }
    this.remove(removal);
  }

  /** How many posts an author has; `author` begins with `@`. */
  countBy(author: string): number {
    return this.#authors.count(author.slice(1).toLowerCase());
  }

  /** The ordinals of up to three posts about a bot: the one that announces it, then its author's, newest first. */
  about({ source_url: announcement, author }: Bot): number[] {
    const found = new Set<number>();
    const among = this.listed();
    const use = (ordinal: number): boolean => found.add(ordinal).size < mostPosts;
    if (announcement !== null) this.#statuses.eachDown(statusOf(announcement), among, use);
    const handle = author?.slice(1).toLowerCase();
    if (handle !== undefined) this.#authors.eachDown(handle, among, use);
    return [...found];
  }
}

const removalFrom = (hash: Hash): BotRemoval => ({
  reason: hash.get('reason') ?? '',
  atMs: Number(hash.get('withdrawn_at') ?? 0),
});
