/**
 * Keeps a copy of the directory equal to the store: `fresh()` resolves when the copy has every change that was
 * acknowledged before the call. One check in flight serves every caller that was waiting when it was sent, so the store
 * gets few checks however many requests arrive.
 */
import { setImmediate as immediately } from 'node:timers/promises';
import { keys } from './keys.ts';
import { hashOf, type StoredEntry } from './read-whole.ts';
import type { Store } from './redis.ts';

/** What is kept fresh: empty after a reset, and some version of the store whenever its changes have settled. */
export type Copy = {
  reset: () => void;
  /** Replaces the copy's content by everything in the store. */
  readWhole: (store: Store) => Promise<void>;
  apply: (change: StoredEntry) => void;
  /** Makes the applied changes visible. False: they do not fit, and everything must be read again. */
  settle: (nowMs: number) => Promise<boolean>;
};

/** How late an install count may reach the copy, in milliseconds. */
const installLagMs = 1_000;

type Reply = [
  lineage: string,
  version: string,
  latest: string,
  time: string,
  began: string,
  changes: [id: string, version: string, place: string | null, hash: string[]][],
];

/** Keeps one copy fresh. Without a store it always is. */
export class Freshness {
  /** The lineage of the store that the copy is of. With a version it identifies the state. */
  lineage = '';
  /** When the lineage began, by the store's clock; at the latest when this process first saw it. */
  beganAtMs = 0;
  /** When the copy last held everything, by the store's clock: later changes are dated no earlier. */
  checkedAtMs = 0;
  /** Whether the copy is complete for some version of the store. */
  isWhole: boolean;
  readonly #store: Store | undefined;
  readonly #copy: Copy;
  #version = 0;
  #refreshedAtMs = -Infinity;
  /** The callers whose check has not been sent yet. */
  #waiting: Waiters | undefined;
  #isChecking = false;

  constructor(store: Store | undefined, copy: Copy) {
    this.#store = store;
    this.#copy = copy;
    this.isWhole = store === undefined;
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
        // Callers are resolved once the next check is on its way, so that the store works while they are answered.
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
      if (this.isWhole) return;
      if (await this.#copy.settle(this.checkedAtMs)) break;
      this.#reset(this.lineage);
    }
    this.isWhole = true;
    this.#refreshedAtMs = performance.now();
  }

  /** Asks the store once. Returns whether there is more to ask. */
  async #step(store: Store): Promise<boolean> {
    const hasNothing = this.#version === 0;
    const isInstallsDue = performance.now() - this.#refreshedAtMs >= installLagMs;
    const reply = await store.script(
      'read-changes',
      [keys.state],
      [this.#version, this.lineage, isInstallsDue ? 1 : 0],
    );
    const [lineage, version, latest, time, began, changes] = reply as Reply;
    store.clock.see(Number(time));
    const nowMs = Number(time) + store.offsetMs();
    const isOther = lineage !== this.lineage || Number(version) < this.#version;
    if (isOther) {
      // Nothing read in another lineage is valid.
      this.#reset(lineage);
      this.beganAtMs = nowMs;
    }
    if (began !== '') this.beganAtMs = Number(began);
    if (version === latest) this.checkedAtMs = nowMs;
    if (isOther && !hasNothing) return true;
    if (hasNothing) return this.#readWhole(store, Number(latest));
    for (const [id, changed, place, fields] of changes) {
      this.isWhole = false;
      const [seq, isListed] = [Number(place ?? 0), place !== null];
      this.#copy.apply({ id, version: Number(changed), seq, isListed, hash: hashOf(fields) });
    }
    this.#version = Number(version);
    store.lineage.see(this.#version);
    return changes.length > 0 && version !== latest;
  }

  /** Changes made while everything is read must be read again, from the version before. */
  async #readWhole(store: Store, latest: number): Promise<boolean> {
    if (latest > 0) {
      this.isWhole = false;
      await this.#copy.readWhole(store);
    }
    this.#version = latest;
    store.lineage.see(latest);
    return latest > 0;
  }

  #reset(lineage: string): void {
    this.#copy.reset();
    this.isWhole = false;
    this.lineage = lineage;
    this.#version = 0;
  }
}

type Waiters = {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

const waitersOf = (): Waiters => {
  let [resolve, reject]: [Waiters['resolve'], Waiters['reject']] = [() => undefined, () => undefined];
  const promise = new Promise<void>((fulfil, refuse) => {
    [resolve, reject] = [fulfil, refuse];
  });
  return { promise, resolve, reject };
};
