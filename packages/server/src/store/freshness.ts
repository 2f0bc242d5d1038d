/**
 * The promise that a copy of the directory is the store's: `fresh()` resolves when every change that was acknowledged
 * before the call is in it. One check in flight serves every caller that was waiting when it was sent, so the store sees
 * few checks however many requests come.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** A bot or a post that changed: its place in the list, and its hash. */
export type Change = {
  readonly id: string;
  readonly version: number;
  readonly seq: number;
  readonly hash: ReadonlyMap<string, string>;
};

/** What is kept fresh. A reset empties it; it is whole again when `settle` is called. */
export type Copy = { reset: () => void; apply: (change: Change) => void; settle: () => void };

/** How late an install count may reach the copy, in milliseconds. */
const installLagMs = 1_000;
const batchSize = 1_000;

type Reply = [
  lineage: string,
  version: string,
  latest: string,
  time: string,
  began: string,
  changes: [id: string, version: string, place: string, hash: string[]][],
];

/** Keeps one copy fresh. Without a store it always is. */
export class Freshness {
  /** The lineage of the store that the copy is of: with a version, its identity. */
  lineage = '';
  /** When the lineage began, by the store's clock; at the latest when this process first saw it. */
  beganAtMs = 0;
  /** When the copy last held all there was, by the store's clock: whatever it does not hold is stamped with no earlier time. */
  checkedAtMs = 0;
  /** Whether the copy is all of some version of the store. */
  isWhole: boolean;
  readonly #store: Store | undefined;
  readonly #copy: Copy;
  #version = 0;
  #refreshedAtMs = -Infinity;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(store: Store | undefined, copy: Copy) {
    this.#store = store;
    this.#copy = copy;
    this.isWhole = store === undefined;
  }

  /** Resolves when the copy holds all that was acknowledged before the call; rejects with StoreUnreachable. */
  fresh(): Promise<void> {
    return this.#store === undefined ? Promise.resolve() : (this.#next ??= this.#runNext(this.#store));
  }

  /** The check in flight may have been answered before these callers' writes: only one that is yet to be sent will do. */
  async #runNext(store: Store): Promise<void> {
    await this.#running.catch(ignore);
    // All requests that came with this tick of the event loop join before it is sent.
    await immediately();
    this.#next = undefined;
    this.#running = this.#check(store);
    await this.#running;
  }

  async #check(store: Store): Promise<void> {
    for (;;) {
      const isInstallsDue = performance.now() - this.#refreshedAtMs >= installLagMs;
      const reply = await store.script(
        'read-changes',
        [keys.state, keys.changes, keys.bots, keys.posts],
        [this.#version, this.lineage, batchSize, keys.directoryPrefix, isInstallsDue ? 1 : 0, store.offsetMs()],
      );
      const changes = this.#take(reply as Reply);
      store.lineage.see(this.lineage, this.#version);
      if (changes < batchSize) break;
    }
    if (this.isWhole) return;
    this.#copy.settle();
    this.isWhole = true;
    this.#refreshedAtMs = performance.now();
  }

  /** Takes what the store says into the copy. Says how many changes it were. */
  #take([lineage, version, latest, time, began, changes]: Reply): number {
    if (lineage !== this.lineage || Number(version) < this.#version) {
      // Nothing that was read in another life of the store holds.
      this.#copy.reset();
      this.isWhole = false;
      this.lineage = lineage;
      this.beganAtMs = Number(time);
    }
    if (began !== '') this.beganAtMs = Number(began);
    if (version === latest) this.checkedAtMs = Number(time);
    for (const [id, changed, place, fields] of changes) {
      const hash = new Map<string, string>();
      for (let i = 0; i < fields.length; i += 2) hash.set(fields[i] ?? '', fields[i + 1] ?? '');
      this.#copy.apply({ id, version: Number(changed), seq: Number(place), hash });
      this.isWhole = false;
    }
    this.#version = Number(version);
    return changes.length;
  }
}

const ignore = (): void => undefined;
