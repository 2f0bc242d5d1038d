/**
 * This process's copy of the directory, which follows the store. `fresh()` promises that the copy has every change that
 * was acknowledged before the call. One check in flight serves every caller that was waiting when it was sent, so the
 * store gets few checks however many requests arrive. A caller that yields to the event loop afterwards must call it
 * again, because the copy may change.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Bot } from '@bot-directory/contract';
import type { BotId } from '../base/ids.ts';
import { botMissing, dayOf, type BotForm, type BotRemoval } from '../domain/bot.ts';
import { keys } from '../store/keys.ts';
import { noteSize } from '../store/admission/note.ts';
import { type Store, toMap } from '../redis/redis.ts';
import { Copy, type ListedPosts } from './copy.ts';
import type { ListedBots } from './listed-bots.ts';
import { imitation, type Imitation } from './look-alikes.ts';

export type { Collection, Selected } from './collection.ts';
export { botsOf } from './listed-bots.ts';
export { namesakes, related, type Imitation } from './look-alikes.ts';
export { searchBots, type Search } from './search-bots.ts';

/** A bot of the copy. */
export type DirectoryBot = { readonly id: BotId; readonly bot: Bot };

type Deps = { readonly store: Store | undefined; readonly form: BotForm };

/** How late an install count may reach the copy, in milliseconds. */
const installLagMs = 1_000;

type Reply = [
  epoch: string,
  reached: string,
  latest: string,
  time: string,
  began: string,
  changes: [id: string, version: string, position: string | null, hash: string[], former: string | null][],
];

/** The copy. Without a store it is empty, and always fresh. */
export class Directory {
  /** The epoch of the store that the copy is of. Together with a collection's version it identifies the state. */
  epoch = '';
  /**
   * When that epoch began, by the store's clock; at the latest when this process first saw it. Nothing in the copy is
   * dated earlier, because it may have replaced something later.
   */
  beganAtMs = 0;
  /** When the copy last held everything, by the store's clock. Later changes are dated no earlier. */
  checkedAtMs = 0;
  /** Whether it is complete for some version of the store: not while it is first read, or changes. */
  isWhole: boolean;
  /** Whether it ever was. */
  hasBeenWhole = false;
  readonly #store: Store | undefined;
  readonly #copy: Copy;
  #version = 0;
  #refreshedAtMs = -Infinity;
  /** The callers whose check has not been sent yet. */
  #waiting: Waiters | undefined;
  #isChecking = false;

  constructor({ store, form }: Deps) {
    this.#store = store;
    this.#copy = new Copy(form);
    this.isWhole = store === undefined;
  }

  get bots(): ListedBots {
    return this.#copy.bots;
  }

  get posts(): ListedPosts {
    return this.#copy.posts;
  }

  /** Why and when the bot under a slug was removed; `undefined` if it was not. */
  removal(slug: string): BotRemoval | undefined {
    return this.#copy.removals.get(slug);
  }

  /** The ordinal of the bot under a slug. Failures: bot_not_found, bot_gone. */
  ordinalOf(slug: string): number {
    const ordinal = this.bots.ordinalOfSlug(slug);
    if (ordinal === undefined) throw botMissing(this.removal(slug));
    return ordinal;
  }

  /** The bot under a slug. */
  bySlug(slug: string): DirectoryBot | undefined {
    const ordinal = this.bots.ordinalOfSlug(slug);
    if (ordinal === undefined) return undefined;
    const bot = this.bots.bot(ordinal);
    return { id: bot.id as BotId, bot };
  }

  /** What the bot under `slug` imitates of an older one, and the slug of that. */
  imitationBy(slug: string): Imitation<string> | undefined {
    const ordinal = this.bots.ordinalOfSlug(slug);
    const found = ordinal === undefined ? undefined : imitation(this.bots, ordinal);
    return found && { part: found.part, of: this.bots.bot(found.of).slug };
  }

  /** Resolves when the copy holds every change that was acknowledged before the call. Rejects with StoreUnreachable. */
  fresh(): Promise<void> {
    if (this.#store === undefined) return Promise.resolve();
    if (this.#waiting === undefined) {
      this.#waiting = waitersOf();
      if (!this.#isChecking) void this.#checkAll(this.#store);
    }
    return this.#waiting.promise;
  }

  /** Runs one check after the other, as long as anyone waits. */
  async #checkAll(store: Store): Promise<void> {
    this.#isChecking = true;
    // All requests of this tick of the event loop join before it is sent.
    await immediately();
    while (this.#waiting !== undefined) {
      const { resolve, reject } = this.#waiting;
      // A later caller may have written after the store was read: it needs a check that has not been sent yet.
      this.#waiting = undefined;
      try {
        await this.#check(store);
        // Callers are resolved once the next check is on its way, so that the store works while they are served.
        resolve();
      } catch (error) {
        reject(error);
      }
    }
    this.#isChecking = false;
  }

  async #check(store: Store): Promise<void> {
    for (;;) {
      if (await this.#step(store)) continue;
      this.bots.index.today = dayOf(this.checkedAtMs);
      if (this.isWhole) return;
      if (await this.#copy.settle(this.checkedAtMs)) break;
      this.#reset(this.epoch);
    }
    this.isWhole = true;
    this.hasBeenWhole = true;
    this.#refreshedAtMs = performance.now();
    if (store.known.count(this.bots.size + this.posts.size)) void noteSize(store);
  }

  /** Sends one check. Returns whether another must follow. */
  async #step(store: Store): Promise<boolean> {
    const hasNothing = this.#version === 0;
    const isInstallsDue = performance.now() - this.#refreshedAtMs >= installLagMs;
    const reply = await store.script('read-changes', [keys.state], [this.#version, this.epoch, isInstallsDue ? 1 : 0]);
    const [epoch, reached, latest, time, began, changes] = reply as Reply;
    store.clock.see(Number(time));
    store.known.see(epoch, Number(latest));
    const nowMs = Number(time);
    const isOther = epoch !== this.epoch || Number(reached) < this.#version;
    if (isOther) {
      // A store that lost something within an epoch does not know when.
      this.beganAtMs = epoch === this.epoch || began === '' ? nowMs : Number(began);
      // Nothing read in another epoch is valid.
      this.#reset(epoch);
    } else this.beganAtMs = Math.max(this.beganAtMs, Number(began));
    if (reached === latest) this.checkedAtMs = nowMs;
    if (isOther && !hasNothing) return true;
    if (hasNothing) return this.#readWhole(store, Number(latest));
    for (const [id, version, position, fields, former] of changes) {
      this.isWhole = false;
      this.#copy.record({
        id,
        version: Number(version),
        position: Number(position ?? former ?? 0),
        isListed: position !== null,
        hash: toMap(fields),
      });
    }
    this.#version = Number(reached);
    return changes.length > 0 && reached !== latest;
  }

  /** Changes made while everything is read must be read again, from the version before. */
  async #readWhole(store: Store, latest: number): Promise<boolean> {
    if (latest === 0) return false;
    this.isWhole = false;
    await this.#copy.readWhole(store);
    this.#version = latest;
    return true;
  }

  #reset(epoch: string): void {
    this.#copy.reset();
    this.isWhole = false;
    this.epoch = epoch;
    this.#version = 0;
  }
}

type Waiters = {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

const waitersOf = (): Waiters => {
  let resolve: Waiters['resolve'] = () => undefined;
  let reject: Waiters['reject'] = () => undefined;
  const promise = new Promise<void>((fulfil, refuse) => {
    [resolve, reject] = [fulfil, refuse];
  });
  return { promise, resolve, reject };
};
