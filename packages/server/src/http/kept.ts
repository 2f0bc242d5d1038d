/** A bounded cache of representations: one that nobody requested is dropped first. */
import type { Representation } from './representation.ts';

const maxBytes = 64 * 1_048_576;
/** What a representation takes besides its body: headers, maps, the key. */
const overheadBytes = 2_000;

type Kept = { readonly representation: Representation; wasAsked: boolean; bytes: number };

/** The bound; a test may set its own. */
export type KeptLimits = { readonly bytes: number };

/** Keeps representations by key. */
export class KeptRepresentations {
  readonly #byKey = new Map<string, Kept>();
  readonly #limits: KeptLimits;
  #bytes = 0;

  constructor(limits: KeptLimits = { bytes: maxBytes }) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The representation under a key, if it has this tag. */
  get(key: string, tag: string): Representation | undefined {
    const kept = this.#byKey.get(key);
    if (kept?.representation.stamp.tag !== tag) return undefined;
    kept.wasAsked = true;
    // It grows when it is compressed.
    const bytes = sizeOf(key, kept.representation);
    if (bytes !== kept.bytes) {
      this.#bytes += bytes - kept.bytes;
      kept.bytes = bytes;
      this.#makeRoom();
    }
    return kept.representation;
  }

  /** Keeps a representation in place of an older one, unless it is too large beside all others. */
  put(key: string, representation: Representation): void {
    this.#drop(key);
    const bytes = sizeOf(key, representation);
    if (bytes > this.#limits.bytes / 4) return;
    this.#byKey.set(key, { representation, wasAsked: false, bytes });
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** Starts with the oldest; one that was requested lately stays for another round. */
  #makeRoom(): void {
    for (const [key, kept] of this.#byKey) {
      if (this.#bytes <= this.#limits.bytes) return;
      this.#byKey.delete(key);
      this.#bytes -= kept.bytes;
      if (!kept.wasAsked) {
        kept.representation.retire();
        continue;
      }
      kept.wasAsked = false;
      this.#bytes += kept.bytes;
      this.#byKey.set(key, kept);
    }
  }

  #drop(key: string): void {
    const kept = this.#byKey.get(key);
    if (kept === undefined) return;
    kept.representation.retire();
    this.#bytes -= kept.bytes;
    this.#byKey.delete(key);
  }
}

const sizeOf = (key: string, { heldBytes }: Representation): number => 2 * key.length + heldBytes + overheadBytes;
