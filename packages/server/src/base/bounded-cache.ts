/**
 * A cache with a bound. The oldest entries are dropped first; one that was read since it was last considered stays for
 * another round, so a flood of new keys does not displace what is read again and again. (An LRU cache would let it.)
 */

type Entry<Value> = { value: Value; size: number; wasRead: boolean };

type Options<Value> = {
  /** The most it holds: the sum of `sizeOf`. */
  readonly max: number;
  /**
   * The size of an entry. A value may grow: it is measured again when it is read.
   *
   * @default () => 1, so that `max` is a number of entries
   */
  readonly sizeOf?: (key: string, value: Value) => number;
  /**
   * A larger entry is not stored.
   *
   * @default max
   */
  readonly maxEach?: number;
  /** Whether an entry must stay, even if the cache holds too much until a later `set`. */
  readonly isInUse?: (value: Value) => boolean;
  /** Called with each value that leaves the cache. */
  readonly onDrop?: (value: Value) => void;
};

/** The most entries that one call spares, which bounds how long it takes. */
const mostSpared = 100;

/** Values by key. */
export class BoundedCache<Value extends object> {
  readonly #options: Required<Options<Value>>;
  /** The entry that is considered next comes first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #held = 0;

  constructor(options: Options<Value>) {
    const { max } = options;
    this.#options = { sizeOf: () => 1, maxEach: max, isInUse: () => false, onDrop: () => undefined, ...options };
  }

  /** What it holds: the sum of the sizes. */
  get held(): number {
    return this.#held;
  }

  /** The number of entries. */
  get count(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.wasRead = true;
    const size = this.#options.sizeOf(key, entry.value);
    if (size !== entry.size) {
      this.#held += size - entry.size;
      entry.size = size;
      this.#makeRoom();
    }
    return entry.value;
  }

  /** Stores a value in place of the previous one. */
  set(key: string, value: Value): void {
    this.delete(key);
    const size = this.#options.sizeOf(key, value);
    if (size > this.#options.maxEach) return;
    this.#entries.set(key, { value, size, wasRead: false });
    this.#held += size;
    this.#makeRoom();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#drop(key, entry);
  }

  *values(): Iterable<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  #makeRoom(): void {
    const { max, isInUse } = this.#options;
    let spared = 0;
    for (const [key, entry] of this.#entries) {
      if (this.#held <= max) return;
      const mustStay = isInUse(entry.value);
      if (mustStay && spared >= mostSpared) return;
      if (mustStay || (entry.wasRead && spared < mostSpared)) {
        spared += 1;
        entry.wasRead = false;
        this.#entries.delete(key);
        this.#entries.set(key, entry);
      } else this.#drop(key, entry);
    }
  }

  #drop(key: string, { value, size }: Entry<Value>): void {
    this.#entries.delete(key);
    this.#held -= size;
    this.#options.onDrop(value);
  }
}
