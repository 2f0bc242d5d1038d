/**
 * A whole list. Its plain bytes are its segments, and its gzip their compressed forms; updating either costs only what
 * changed. Brotli cannot be joined from parts: it is made in the background once the list is quiet (`quietMsPerByte`),
 * and served when it is ready.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Collection } from '../directory/directory.ts';
import {
  compress,
  type Description,
  type Encoding,
  joinSmall,
  lengthOf,
  type Representation,
  type Validators,
  type Variant,
  variantOf,
} from './representation.ts';

const worthCompressing = 1_024;
/** Up to this many segments are compressed while the client waits: it takes some milliseconds. */
const fewSegments = 8;
/** A list of up to this size is compressed as soon as it changes; a larger one once it is quiet. */
const smallBytes = 2_000_000;
const quietMsPerByte = 1 / 10_000;

/** All entries of a collection, newest first, as they are now. */
export class WholeList implements Representation {
  heldBytes = 0;
  readonly description: Description;
  readonly #segments: Collection['segments'];
  readonly #identity: Variant;
  #gzip: Variant | Promise<Variant> | undefined;
  #br: Variant | undefined;
  #isBrotliAsked = false;
  #gzipIsNear = false;
  #isWanted = true;

  constructor(
    readonly validators: Validators,
    collection: Collection,
    description: Description,
    private readonly onError: (error: unknown) => void,
  ) {
    this.description = { ...description, total: collection.size };
    this.#segments = collection.segments;
    const pieces = this.#segments.pieces();
    let sent: readonly Buffer[] | undefined;
    this.#identity = variantOf('identity', this, {
      length: lengthOf(pieces),
      pieces: () => (sent ??= this.#joinSmall(pieces)),
    });
  }

  variant(accepted: readonly Encoding[]): Variant | Promise<Variant> {
    if (this.#identity.length < worthCompressing) return this.#identity;
    if (accepted.includes('br')) {
      if (this.#br !== undefined) return this.#br;
      if (!this.#isBrotliAsked) void this.#makeBrotli();
    }
    return accepted.includes('gzip') ? this.#gzipped() : this.#identity;
  }

  retire(): void {
    this.#isWanted = false;
  }

  /** Returns gzip at once if it is ready, soon if little is missing, and otherwise plain bytes until it is ready. */
  #gzipped(): Variant | Promise<Variant> {
    if (this.#gzip !== undefined)
      return this.#gzip instanceof Promise && !this.#gzipIsNear ? this.#identity : this.#gzip;
    const made = this.#joinGzip();
    if (made !== undefined) return made;
    this.#gzipIsNear = this.#segments.countUncompressed() <= fewSegments;
    this.#gzip = this.#segments.deflate().then(
      () => this.#joinGzip() ?? this.#identity,
      (error: unknown) => {
        this.onError(error);
        return (this.#gzip = this.#identity);
      },
    );
    return this.#gzipIsNear ? this.#gzip : this.#identity;
  }

  #joinGzip(): Variant | undefined {
    const pieces = this.#segments.gzip();
    if (pieces === undefined) return undefined;
    const sent = this.#joinSmall(pieces);
    return (this.#gzip = variantOf('gzip', this, { length: lengthOf(sent), pieces: () => sent }));
  }

  /** A joined body is a copy; the pieces of others are the segments' own. */
  #joinSmall(pieces: readonly Buffer[]): readonly Buffer[] {
    const joined = joinSmall(pieces);
    if (joined !== pieces) this.heldBytes += lengthOf(joined);
    return joined;
  }

  async #makeBrotli(): Promise<void> {
    this.#isBrotliAsked = true;
    const { length: bytes, pieces } = this.#identity;
    try {
      if (bytes > smallBytes) await wait(bytes * quietMsPerByte, undefined, { ref: false });
      const made = await compress({ encoding: 'br', bytes, pieces, isWanted: () => this.#isWanted });
      if (made === undefined) return;
      const sent = joinSmall(made);
      this.heldBytes += lengthOf(sent);
      this.#br = variantOf('br', this, { length: lengthOf(sent), pieces: () => sent });
    } catch (error) {
      this.onError(error);
    }
  }
}
