/**
 * The bots and posts of this process's copy. Changes are collected as they arrive, and become visible together when
 * they settle.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import { botFromHash } from '../domain/bot-fields.ts';
import type { Removal } from '../domain/withdrawal.ts';
import { Collection, OutOfOrder } from './collection.ts';
import { ListedBots } from './listed-bots.ts';
import { postFromHash } from './post-store.ts';
import { readWhole, type Hash, type StoredEntry } from './read-whole.ts';
import type { Store } from './redis.ts';

/** How many changes are processed before others get their turn. */
const sliceSize = 200;
/** How many entries are collected per commit while everything is read: one segment. */
const commitEvery = 256;

/** A copy of the directory with this base URL. */
export class Copy {
  bots = new ListedBots();
  posts = new Collection();
  /** Bots that were removed, by their slugs. */
  removals = new Map<string, Removal>();
  #applied: StoredEntry[] = [];

  constructor(private readonly baseUrl: string) {}

  /** Empties it. */
  reset(): void {
    this.bots = new ListedBots();
    this.posts = new Collection();
    this.removals = new Map();
    this.#applied = [];
  }

  /** Replaces its content by everything in the store. Visible once it settles. */
  async readWhole(store: Store): Promise<void> {
    this.reset();
    // About a third of the work, for which only searches wait.
    this.bots.index.deferWords();
    let taken = 0;
    await readWhole(store, (entry) => {
      this.#take(entry, 0);
      // Nobody reads it yet, and uncommitted entries take twice the memory.
      if ((taken += 1) % commitEvery === 0) this.#commit();
    });
    this.bots.indexWords();
  }

  /** Records a change. */
  apply(change: StoredEntry): void {
    this.#applied.push(change);
  }

  /**
   * Processes the recorded changes and makes them visible. `nowMs` dates changes without a date. Returns false if a
   * change does not fit this copy.
   */
  async settle(nowMs: number): Promise<boolean> {
    // New entries must come in commit order; those of one check do not.
    const changes = this.#applied.sort((a, b) => a.seq - b.seq);
    this.#applied = [];
    for (let i = 0; i < changes.length; i += sliceSize) {
      if (i > 0) await immediately();
      if (!this.#takeAll(changes.slice(i, i + sliceSize), nowMs)) return false;
    }
    this.#commit();
    return true;
  }

  #commit(): void {
    this.bots.commit();
    this.posts.commit();
  }

  #takeAll(changes: readonly StoredEntry[], nowMs: number): boolean {
    try {
      for (const change of changes) this.#take(change, nowMs);
      return true;
    } catch (error) {
      if (error instanceof OutOfOrder) return false;
      throw error;
    }
  }

  #take(entry: StoredEntry, nowMs: number): void {
    if (entry.id.startsWith('post_')) this.#takePost(entry, nowMs);
    else this.#takeBot(entry, nowMs);
  }

  #takeBot({ id, seq, version, isListed, hash }: StoredEntry, nowMs: number): void {
    const { bot, changedAtMs } = botFromHash(hash, this.baseUrl);
    if (hash.get('state') === 'removed') this.removals.set(bot.slug, removalFrom(hash));
    else this.removals.delete(bot.slug);
    if (!isListed || hash.size === 0)
      return this.bots.removeBot(id, { seq, version, changedAtMs: changedAtMs || nowMs });
    this.bots.putBot(bot, { id, seq, version, changedAtMs });
  }

  #takePost({ id, seq, version, isListed, hash }: StoredEntry, nowMs: number): void {
    const { post, changedAtMs } = postFromHash(hash);
    if (!isListed || hash.size === 0) this.posts.remove(id, { seq, version, changedAtMs: changedAtMs || nowMs });
    else this.posts.put({ id, seq, version, changedAtMs, json: JSON.stringify(post) });
  }
}

const removalFrom = (hash: Hash): Removal => ({
  reason: hash.get('reason') ?? '',
  atMs: Number(hash.get('withdrawn_at') ?? 0),
});
