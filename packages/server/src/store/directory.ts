/**
 * This process's copy of the directory. `fresh()` promises that it matches the store. A caller that yields to the event
 * loop afterwards must call it again, because the copy may change.
 */
import type { Bot } from '@bot-directory/contract';
import type { BotId } from '../base/ids.ts';
import type { Removal } from '../domain/withdrawal.ts';
import type { Collection } from './collection.ts';
import { Copy } from './copy.ts';
import { Freshness } from './freshness.ts';
import type { ListedBots } from './listed-bots.ts';
import type { Store } from './redis.ts';

/** A bot of the copy, and the state for the stamp of its representation. */
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

  /** The lineage of the store that the copy is of. Together with a collection's version it identifies the state. */
  get lineage(): string {
    return this.#freshness.lineage;
  }

  /** When that lineage began: nothing in the copy is dated earlier, because it may have replaced something later. */
  get beganAtMs(): number {
    return this.#freshness.beganAtMs;
  }

  /** When the copy last held everything, by the store's clock. Later changes are dated no earlier. */
  get checkedAtMs(): number {
    return this.#freshness.checkedAtMs;
  }

  /** Whether it is complete for some version of the store: not while it is first read, or changes. */
  get isWhole(): boolean {
    return this.#freshness.isWhole;
  }

  /** Resolves when the copy holds every change that was acknowledged before the call. Rejects with StoreUnreachable. */
  fresh(): Promise<void> {
    return this.#freshness.fresh();
  }

  /** Like `fresh()`, for searches by words: after a start their index is complete a moment later than the list. */
  async freshToSearch(): Promise<void> {
    for (;;) {
      await this.fresh();
      const { searchable } = this.bots;
      if (searchable === undefined) return;
      await searchable;
    }
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
