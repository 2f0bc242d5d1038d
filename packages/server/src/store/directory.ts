/**
 * This process's copy of the directory, and the promise that it is the store's: `fresh()` resolves when every change
 * that was acknowledged before the call is in it. One check in flight serves every caller that was waiting when it was
 * sent, so the store sees few checks however many requests come.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import type { Post } from '@bot-directory/contract';
import type { Clock } from '../base/clock.ts';
import type { BotId } from '../base/ids.ts';
import { botFromHash } from '../domain/bot-fields.ts';
import { botSearchText, compare, type ListedBot } from '../domain/listing.ts';
import { Collection, type Stored } from './collection.ts';
import { keys } from './keys.ts';
import { postFromHash } from './post-store.ts';
import type { Store } from './redis.ts';

/** A bot of the copy. `link` is where its install action leads. */
export type DirectoryBot = Stored & ListedBot & { readonly id: BotId; readonly link: string };

/** A post of the copy. */
export type DirectoryPost = Stored & { readonly post: Post };

/** How late an install count may reach the list, in milliseconds. */
const installLagMs = 1_000;
const batchSize = 1_000;

type Deps = { readonly store: Store | undefined; readonly baseUrl: string; readonly clock: Clock };
type Change = [id: string, version: string, place: string, hash: string[]];

/** The copy. Without a store it is empty, and always fresh. */
export class Directory {
  readonly bots = new Collection<DirectoryBot>();
  readonly posts = new Collection<DirectoryPost>();
  /** Distinguishes one life of the store from another. */
  epoch = '';
  readonly #deps: Deps;
  readonly #slugs = new Map<string, string>();
  #version = 0;
  #refreshedAtMs = 0;
  #byInstalls: DirectoryBot[] | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The bot under a slug. */
  bySlug(slug: string): DirectoryBot | undefined {
    const id = this.#slugs.get(slug);
    return id === undefined ? undefined : this.bots.get(id);
  }

  /** The bots, fewest installs and oldest first. */
  byInstalls(): readonly DirectoryBot[] {
    const position = ({ seq, bot }: DirectoryBot) => ({ seq, installs: bot.install_count });
    return (this.#byInstalls ??= [...this.bots.entries].sort((a, b) => compare(position(a), position(b), 'installs')));
  }

  /** Resolves when the copy holds all that was acknowledged before the call; rejects with StoreUnreachable. */
  fresh(): Promise<void> {
    const { store } = this.#deps;
    return store === undefined ? Promise.resolve() : (this.#next ??= this.#runNext(store));
  }

  /** The check in flight may have been answered before these callers' writes: only one that is yet to be sent will do. */
  async #runNext(store: Store): Promise<void> {
    await this.#running.catch(ignore);
    // All requests that came with this turn of the event loop join before it is sent.
    await immediately();
    this.#next = undefined;
    this.#running = this.#check(store);
    await this.#running;
  }

  async #check(store: Store): Promise<void> {
    const [version, urgent, epoch] = await store.call((redis) => redis.hmget(keys.state, 'version', 'urgent', 'epoch'));
    if (this.epoch !== (epoch ?? '') || Number(version ?? 0) < this.#version) this.#clear(epoch ?? '');
    const late = Number(version ?? 0) > this.#version && this.#deps.clock() - this.#refreshedAtMs >= installLagMs;
    if (Number(urgent ?? 0) > this.#version || late) await this.#refresh(store);
  }

  async #refresh(store: Store): Promise<void> {
    for (;;) {
      const reply = await store.script(
        'read-changes',
        [keys.state, keys.changes, keys.bots, keys.posts],
        [this.#version, batchSize, keys.directoryPrefix],
      );
      const [version, epoch, changes] = reply as [string, string, Change[]];
      if (epoch !== this.epoch) return this.#restart(store, epoch);
      for (const change of changes) this.#apply(change);
      this.#version = Number(version);
      if (changes.length < batchSize) break;
    }
    this.bots.settle();
    this.posts.settle();
    this.#byInstalls = undefined;
    this.#refreshedAtMs = this.#deps.clock();
  }

  /** The store was replaced between two reads: nothing that was read holds. */
  #restart(store: Store, epoch: string): Promise<void> {
    this.#clear(epoch);
    return this.#refresh(store);
  }

  #apply([id, version, place, fields]: Change): void {
    const hash = new Map<string, string>();
    for (let i = 0; i < fields.length; i += 2) hash.set(fields[i] ?? '', fields[i + 1] ?? '');
    const placed = { id, seq: Number(place), version: Number(version) };
    if (id.startsWith('post_')) {
      const { post, changedAtMs } = postFromHash(hash);
      this.posts.put({ ...placed, post, changedAtMs, json: Buffer.from(JSON.stringify(post)) });
      return;
    }
    const { bot, link, changedAtMs } = botFromHash(hash, this.#deps.baseUrl);
    this.#slugs.set(bot.slug, id);
    this.bots.put({
      ...placed,
      id: id as BotId,
      bot,
      link,
      changedAtMs,
      search: botSearchText(bot),
      json: Buffer.from(JSON.stringify(bot)),
    });
  }

  #clear(epoch: string): void {
    this.bots.clear();
    this.posts.clear();
    this.#slugs.clear();
    this.#byInstalls = undefined;
    this.#version = 0;
    this.#refreshedAtMs = 0;
    this.epoch = epoch;
  }
}

const ignore = (): void => undefined;
