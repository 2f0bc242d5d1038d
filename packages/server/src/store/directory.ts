/**
 * This process's copy of the directory. `fresh()` promises that it is the store's; a caller that gives up its tick of the
 * event loop afterwards must ask again, for the copy goes on.
 */
import type { Bot } from '@bot-directory/contract';
import type { BotId } from '../base/ids.ts';
import type { Removal } from '../domain/withdrawal.ts';
import type { Collection } from './collection.ts';
import { Copy } from './copy.ts';
import { Freshness } from './freshness.ts';
import type { ListedBots } from './listed-bots.ts';
import type { Store } from './redis.ts';

/** A bot of the copy, and what a representation of it says of itself. */
export type DirectoryBot = {
  readonly id: BotId;
  readonly bot: Bot;
  readonly version: number;
  readonly changedAtMs: number;
};

type Deps = { readonly store: Store | undefined; readonly baseUrl: string };

/** The copy. Without a store it is empty, and always fresh. */
export class Directory {
  readonly #copy: Copy;
  readonly #freshness: Freshness;

  constructor({ store, baseUrl }: Deps) {
    this.#copy = new Copy(baseUrl);
    this.#freshness = new Freshness(store, this.#copy);
  }

  get bots(): ListedBots {
    return this.#copy.bots;
  }

  get posts(): Collection {
    return this.#copy.posts;
  }

  /** Distinguishes one life of the store from another: with a collection's version, its identity. */
  get lineage(): string {
    return this.#freshness.lineage;
  }

  /** When that life began: nothing of the copy is dated earlier, for it may have replaced something later. */
  get beganAtMs(): number {
    return this.#freshness.beganAtMs;
  }

  /** When the copy last held all there was, by the store's clock. What changes later is dated no earlier. */
  get checkedAtMs(): number {
    return this.#freshness.checkedAtMs;
  }

  /** Whether it is all of some version of the store: not while it is read for the first time, or changes. */
  get isWhole(): boolean {
    return this.#freshness.isWhole;
  }

  /** Resolves when the copy holds all that was acknowledged before the call; rejects with StoreUnreachable. */
  fresh(): Promise<void> {
    return this.#freshness.fresh();
  }

  /** Why and when the bot under a slug was removed; `undefined` if it was not. */
  removal(slug: string): Removal | undefined {
    return this.#copy.removals.get(slug);
  }

  /** The bot under a slug. */
  bySlug(slug: string): DirectoryBot | undefined {
    const ordinal = this.bots.ordinalOfSlug(slug);
    if (ordinal === undefined) return undefined;
    const bot = this.bots.bot(ordinal);
    return { id: bot.id as BotId, bot, ...this.bots.stateOf(ordinal) };
  }
}
